#include "tests/sim/options.h"

#include "catalog/base/random.h"

namespace catalogd::sim {
namespace {

template <class T>
T OneOf(Random* random, std::initializer_list<T> values) {
  return *(values.begin() + random->Below(values.size()));
}

void DrawFaults(Random* random, SimOptions* options) {
  if (random->OneIn(3)) return;  // A quiet seed: everything works.
  const auto rate = [random] { return random->OneIn(3) ? 10 + random->Below(80) : 0; };
  options->not_sent = rate();
  options->lost_before = rate();
  options->lost_after = rate();
  options->late_writes = rate();
  options->slow = rate();
  options->torn_reads = random->OneIn(2);
  options->duplicate_rows = random->OneIn(4);
  options->cleaner = random->OneIn(6);
  options->restore = random->OneIn(8);
  options->other_uuid = random->OneIn(2);
  if (options->generation == hms::Generation::kHive2) {
    options->reread_window = static_cast<int>(random->Below(4));
    options->late_rows = options->reread_window > 0 && random->OneIn(2);
    // A restore that takes back only rows that had not become visible is no restore to the daemon:
    // nothing tells it from rows that are late, and the oracle would wait for a new epoch in vain.
    options->restore = options->restore && !options->late_rows;
  }
  if (random->OneIn(6)) options->gaps = options->reread_window > 0 ? options->reread_window : 1;
  // A restored log that skips just the newest id that was read looks like one that was cleaned; the
  // sequence of a real one is restored with it.
  options->restore = options->restore && options->gaps == 0;
  if (random->OneIn(3)) options->ddl_lock_timeout = std::chrono::milliseconds(100);
  if (random->OneIn(6)) options->max_queued_ddls = 1;
}

void DrawDaemon(Random* random, SimOptions* options) {
  options->payload = random->OneIn(6) ? sync::PayloadMode::kStub : sync::PayloadMode::kTrust;
  options->batch = OneOf(random, {1000, 1000, 1, 2, 3});
  options->max_catch_up = OneOf<int64_t>(random, {5000, 5000, 5000, 0, 2});
  options->max_deltas = OneOf<size_t>(random, {1000, 1000, 3});
  options->grain = OneOf(random, {Grain::kCalls, Grain::kLocks, Grain::kLocks, Grain::kUnlocks});
  options->stay = OneOf<uint64_t>(random, {0, 8, 12, 15});
  options->tick_one_in = OneOf<uint64_t>(random, {0, 0, 100, 1000});
}

}  // namespace

SimOptions DrawOptions(uint64_t seed) {
  Random random(seed ^ 0x51ACADE5EEDU);
  SimOptions options;
  options.seed = seed;
  options.generation = OneOf(&random, {hms::Generation::kHive4, hms::Generation::kHive4,
                                       hms::Generation::kHive3, hms::Generation::kHive2});
  options.databases = OneOf(&random, {1, 1, 2});
  options.tables = OneOf(&random, {1, 2, 3});
  options.tables_before_database = random.OneIn(2);
  options.partitions = random.OneIn(2);
  options.renames = random.OneIn(2);
  options.database_drops = random.OneIn(3);
  options.odd_events = random.OneIn(4);
  options.packed = random.OneIn(4);
  options.foreigners = OneOf(&random, {1, 1, 2});
  options.foreign_ops = static_cast<int>(2 + random.Below(7));
  options.locals = OneOf(&random, {0, 1, 1, 2});
  options.local_ops = static_cast<int>(1 + random.Below(5));
  options.readers = OneOf(&random, {1, 1, 2});
  options.reads = static_cast<int>(3 + random.Below(10));
  options.waiters = OneOf(&random, {0, 1});
  options.cold = random.OneIn(8);
  options.warm = !random.OneIn(3);
  options.pauses = random.OneIn(8);
  options.resyncs = random.OneIn(8);
  options.restart = random.OneIn(8);
  DrawFaults(&random, &options);
  DrawDaemon(&random, &options);
  return options;
}

SimOptions SmallOptions(uint64_t seed) {
  Random random(seed ^ 0x5A11U);
  SimOptions options;
  options.seed = seed;
  options.tables = OneOf(&random, {1, 2});
  options.partitions = random.OneIn(2);
  options.renames = random.OneIn(2);
  options.foreign_ops = 2;
  options.local_ops = 1;
  options.reads = 3;
  options.dumps = 0;
  options.grain = Grain::kCalls;
  return options;
}

std::string SimOptions::ToString() const {
  std::string text = std::string(hms::GenerationName(generation)) + ", " +
                     std::to_string(databases) + " x " + std::to_string(tables) + " tables";
  const auto flag = [&text](bool on, const char* name) {
    if (on) text += std::string(", ") + name;
  };
  const auto number = [&text](auto value, const char* name) {
    if (value > 0) text += std::string(", ") + name + " " + std::to_string(value);
  };
  flag(partitions, "partitions");
  flag(renames, "renames");
  flag(database_drops, "database drops");
  flag(odd_events, "odd events");
  flag(packed, "packed");
  number(foreigners * foreign_ops, "foreign ops");
  number(locals * local_ops, "local ops");
  number(readers * reads, "reads");
  number(waiters * waits, "waits");
  flag(cold, "cold");
  flag(warm, "warm");
  flag(pauses, "pauses");
  flag(resyncs, "resyncs");
  flag(restart, "restart");
  number(not_sent, "not sent");
  number(lost_before, "lost before");
  number(lost_after, "lost after");
  number(late_writes, "late writes");
  number(slow, "slow");
  flag(torn_reads, "torn reads");
  flag(duplicate_rows, "duplicate rows");
  flag(late_rows, "late rows");
  number(gaps, "gaps");
  flag(cleaner, "cleaner");
  flag(restore, "restore");
  flag(payload == sync::PayloadMode::kStub, "stub payload");
  number(batch, "batch");
  number(reread_window, "window");
  flag(max_catch_up < 5000, "short catch-up");
  return text;
}

}  // namespace catalogd::sim
