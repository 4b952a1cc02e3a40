#include "tests/sim/world.h"

#include <utility>

#include "tests/sim/life.h"

namespace catalogd::sim {
namespace {

constexpr int kPatience = 300;  // Looks, one virtual second apart, until the cache must agree.

Model::Options ModelOptions(const SimOptions& options) {
  Model::Options model;
  model.generation = options.generation;
  model.tables_before_database = options.tables_before_database;
  model.max_gap = options.gaps;
  return model;
}

sync::SyncOptions CoreOptions(const SimOptions& options) {
  sync::SyncOptions core;
  core.payload = options.payload;
  core.ddl_lock_timeout = options.ddl_lock_timeout;
  core.log.batch = options.batch;
  core.log.reread_window = options.reread_window;
  core.log.short_window = 0;  // Between whole windows nothing is read again.
  core.reread_window = options.reread_window;
  core.max_deltas = options.max_deltas;
  core.journal_entries = 50;
  return core;
}

std::vector<ObjectName> Universe(const SimOptions& options) {
  std::vector<ObjectName> names;
  for (int d = 0; d < options.databases; ++d) {
    const std::string db = "d" + std::to_string(d);
    names.push_back(ObjectName::Database(kDefaultCatalog, db));
    for (int t = 0; t < options.tables; ++t) {
      names.push_back(ObjectName::Table(kDefaultCatalog, db, "t" + std::to_string(t)));
    }
  }
  return names;
}

}  // namespace

World::Life::Life(const SimOptions& options, Scheduler* of, const Clock* clock, Timer* timer,
                  hms::Connector* connector, sync::StateStore* store)
    : scheduler(of),
      sync_pool(of, "sync", 2, SIZE_MAX),
      loader_pool(of, "loader", 2, 1000),
      ddl_pool(of, "ddl", 2, options.max_queued_ddls),
      pool(connector, *clock, {}),
      client(&pool),
      core(&client, store, clock, timer, CoreOptions(options),
           {.sync = &sync_pool, .loader = &loader_pool, .ddl = &ddl_pool}),
      ddl(&core) {
  core.context().max_catch_up_events = options.max_catch_up;
}

void World::Life::SpawnLoops() {
  loops = 2;
  scheduler->Spawn("poller", [this] {
    core.processor().Run();
    --loops;
  });
  scheduler->Spawn("supervisor", [this] {
    while (!stopping) {
      const Duration wait = core.SuperviseOnce();
      scheduler->Await(
          "supervisor", [this] { return stopping; }, scheduler->now() + wait);
    }
    --loops;
  });
}

void World::Life::Stop() {
  stopping = true;
  core.processor().Stop();
  scheduler->Await("the loops end", [this] { return loops == 0; });
  core.Stop();
  // Looked at from outside: conditions of Await must not take locks.
  while (!ddl_pool.idle() || !loader_pool.idle() || !sync_pool.idle() || ddl.in_flight() != 0 ||
         core.locks().waiting() != 0) {
    scheduler->Sleep(std::chrono::milliseconds(10));
  }
  ddl_pool.Stop();
  loader_pool.Stop();
  sync_pool.Stop();
}

World::World(const SimOptions& options, Scheduler* scheduler)
    : options_(options),
      scheduler_(scheduler),
      model_(ModelOptions(options)),
      metastore_(&model_, scheduler, &options_),
      oracle_(&model_, &options_, scheduler),
      clock_(scheduler),
      universe_(Universe(options)),
      store_(std::move(*sync::StateStore::Open(""))) {
  scheduler_->OnBrokenRule([this](const std::string& text) { oracle_.Fail("I9", text); });
}

World::~World() = default;

void World::Spawn() {
  for (const ObjectName& name : universe_) {
    Op op;
    op.kind = name.is_database() ? OpKind::kCreateDatabase : OpKind::kCreateTable;
    op.name = name;
    op.partitioned = options_.partitions;
    if (name.is_database() || options_.seed % 2 == 0) model_.Apply(op);
  }
  scheduler_->Spawn("director", [this] { Direct(); });
}

void World::StartLife() {
  timer_ = std::make_unique<SimTimer>(scheduler_);
  life_ = std::make_unique<Life>(options_, scheduler_, &clock_, timer_.get(), &metastore_,
                                 store_.get());
  oracle_.Attach(&life_->core);
  life_->SpawnLoops();
}

void World::Direct() {
  const int lives = options_.restart ? 2 : 1;
  for (int life = 0; life < lives; ++life) {
    const bool last = life + 1 == lives;
    StartLife();
    over_ = false;
    if (!options_.cold) WaitUntilReady();
    metastore_.SetFaults(true);
    SpawnClients();
    scheduler_->Await("the clients are done", [this] { return clients_ == 0; });
    over_ = true;
    metastore_.SetFaults(false);
    if (last) {
      life_->core.Pause(false);
      WaitForConvergence();
    }
    EndLife();
  }
}

void World::WaitUntilReady() {
  for (int look = 0; look < kPatience && !life_->core.status().ready; ++look) {
    scheduler_->Sleep(std::chrono::seconds(1));
  }
  if (options_.warm) static_cast<void>(LoadEverything());
}

void World::EndLife() {
  life_->Stop();
  timer_->Stop();
  dumps_.clear();
  past_lives_.push_back(std::move(life_));
  past_timers_.push_back(std::move(timer_));
}

void World::WaitForConvergence() {
  sync::SyncCore& core = life_->core;
  // Late rows show in the first whole poll from now on; the one under way may be from before.
  // A poll is whole only when the last whole one is some time ago.
  for (int poll = 0; poll < 2; ++poll) {
    scheduler_->Sleep(core.options().log.whole_window_every);
    static_cast<void>(core.processor().RunOnce());
  }
  for (int look = 0; look < kPatience; ++look) {
    while (metastore_.FinishLateWrite()) {
    }
    scheduler_->Sleep(std::chrono::seconds(1));
    if (!oracle_.settled() || !core.status().ready) continue;
    if (core.watermark().value() != model_.current() || core.watermark().pending() != 0) continue;
    // The watermark does not wait for rows that come late.
    if (core.status().pending_events != 0 || !life_->sync_pool.idle()) continue;
    if (core.floors().size() != 0 || core.loader().running_or_queued() != 0) continue;
    if (life_->ddl.in_flight() != 0) continue;
    // A load may fail because it waits for the poller, which is slow. Later it must not.
    if (!LoadEverything() && look + 1 < kPatience) continue;
    oracle_.CheckEnd(universe_);
    for (const Oracle::Dump& dump : dumps_) oracle_.CheckDeltas(dump, universe_);
    // Only a restore makes another log of it; noticed around a restart it may count twice.
    if (model_.era() == 0 && core.cache().epoch() != LogEpoch(1)) {
      oracle_.Fail("I2", "the log epoch rose though the log is the same");
    }
    const uint64_t contradictions = core.counters().contradictions.load();
    if (options_.orderly() && contradictions != 0) {
      oracle_.Fail("I6", std::to_string(contradictions) + " contradictions in an orderly log");
    }
    // Where following began anew, a listing may have had what the write did.
    const bool followed_throughout = !options_.cold && core.counters().resyncs.load() == 1;
    const uint64_t missing = core.counters().ddl_event_missing.load();
    if (options_.orderly() && followed_throughout && missing != 0) {
      oracle_.Fail("I6", std::to_string(missing) + " own writes did not see their event");
    }
    return;
  }
  const sync::FollowStatus status = core.status();
  oracle_.Fail("I6", "not converged: ready " + std::to_string(static_cast<int>(status.ready)) +
                         " (" + status.reason + "), watermark " +
                         std::to_string(status.watermark.value()) + " of " +
                         std::to_string(model_.current().value()) + ", pending " +
                         std::to_string(status.pending_events) + ", floors " +
                         std::to_string(core.floors().size()) + ", loads " +
                         std::to_string(core.loader().running_or_queued()) + ", DDLs " +
                         std::to_string(life_->ddl.in_flight()) + ", lock waiters " +
                         std::to_string(status.lock_waiters));
}

// False when a load failed for another reason than that there is nothing to be loaded.
bool World::LoadEverything() {
  sync::SyncCore& core = life_->core;
  bool all = true;
  for (const ObjectName& name : universe_) {
    const cache::SlotView view = core.cache().Lookup(name);
    const bool loaded = view.state == cache::SlotState::kPresent &&
                        (name.is_database() || view.snapshot->partitions != nullptr);
    if (loaded || view.state == cache::SlotState::kAbsent) continue;
    int calls = 0;
    core.loader().Load(name, [&calls, &all, this](const Status& status) {
      ++calls;
      if (status) return;
      scheduler_->Note(status.error().message);
      all = all && status.error().code == ErrorCode::kNotFound;
    });
    scheduler_->Await("a load", [&calls] { return calls > 0; });
  }
  return all;
}

}  // namespace catalogd::sim
