// Histories nobody thought of: random writers, compactions, log compactions and rollbacks. At each
// time the view has what was completed, nothing twice, in the order a second implementation finds.
// That implementation with its typical mistakes must fail the examples made against them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "catalog/base/random.h"
#include "tests/unit/coord/group_history.h"
#include "tests/unit/coord/instants.h"
#include "tests/unit/coord/slice_reference.h"

namespace catalogd::coord::testing {
namespace {

struct File {
  bool base = false;
  BaseName base_name;
  LogName log_name;
  Instant instant;
  std::optional<Instant> completed;  // At the time that is asked for.
};

struct Slice {
  std::optional<File> base;
  std::vector<File> logs;
};

std::vector<File> FilesOf(const Group& group, int64_t time, bool uncommitted_too) {
  const CompletionIndex& times = group.times();
  std::vector<File> files;
  const auto add = [&](File file) {
    const CompletionAnswer answer = times.Lookup(file.instant);
    if (answer.state == CompletionState::kCompleted && answer.completed <= At(time)) {
      file.completed = answer.completed;
    }
    const bool pending =
        answer.state == CompletionState::kPending || answer.state == CompletionState::kCompleted;
    if (file.completed || (uncommitted_too && pending && file.instant <= At(time))) {
      files.push_back(file);
    }
  };
  for (const BaseName& base : group.history.bases) add({true, base, {}, base.instant, {}});
  for (const LogName& log : group.history.logs) add({false, {}, log, log.instant, {}});
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return CompareLogs(a.log_name, b.log_name) < 0; });
  return files;
}

std::optional<Instant> PendingPlan(const Group& group, int64_t time) {
  const CompletionIndex& times = group.times();
  std::optional<Instant> pending;
  for (const Instant& plan : group.history.plans) {
    const CompletionAnswer answer = times.Lookup(plan);
    const bool done = answer.state == CompletionState::kCompleted && answer.completed <= At(time);
    if (plan <= At(time) && !done) pending = plan;
  }
  return pending;
}

std::map<Instant, Slice> Slices(const std::vector<File>& files, std::optional<Instant> plan,
                                const Mistakes& mistakes) {
  std::map<Instant, Slice> slices;
  for (const File& file : files) {
    if (file.base) slices[file.instant].base = file;
  }
  if (plan) slices[*plan];
  std::vector<File> logs;
  std::copy_if(files.begin(), files.end(), std::back_inserter(logs),
               [](const File& file) { return !file.base; });
  if (slices.empty() && !logs.empty()) {
    Instant anchor = logs[0].instant;
    for (auto log = logs.rbegin(); log != logs.rend() && !mistakes.anchor_at_first_log; ++log) {
      if (log->completed) anchor = log->instant;
    }
    slices[anchor];
  }
  for (const File& log : logs) {
    std::optional<Instant> key;
    for (const auto& [candidate, slice] : slices) {
      const bool fits =
          !log.completed || (mistakes.barrier_strictly_before ? candidate < *log.completed
                                                              : candidate <= *log.completed);
      if (fits) key = candidate;
    }
    slices[key.value_or(log.instant)].logs.push_back(log);
  }
  return slices;
}

bool IsCommitted(const Group& group, const Instant& key, int64_t time) {
  const CompletionAnswer answer = group.times().Lookup(key);
  return answer.state == CompletionState::kCompleted && answer.completed <= At(time);
}

}  // namespace

std::string ReferenceReader(const Group& group, int64_t time, const Mistakes& mistakes) {
  const std::optional<Instant> plan = PendingPlan(group, time);
  std::map<Instant, Slice> slices =
      Slices(FilesOf(group, time, mistakes.group_then_filter), plan, mistakes);
  if (mistakes.group_then_filter) {
    std::erase_if(slices, [&](const auto& slice) {
      return slice.first != plan && !IsCommitted(group, slice.first, time);
    });
    for (auto& [key, slice] : slices) {
      std::erase_if(slice.logs, [](const File& log) { return !log.completed; });
      if (slice.base && !slice.base->completed) slice.base.reset();
    }
  }
  if (slices.empty()) return "nothing";
  std::vector<File> logs;
  auto newest = slices.rbegin();
  std::optional<File> base = newest->second.base;
  if (newest->first == plan && slices.size() > 1) {
    base = std::next(newest)->second.base;
    logs = std::next(newest)->second.logs;
  }
  logs.insert(logs.end(), newest->second.logs.begin(), newest->second.logs.end());
  std::vector<LogName> names;
  for (const File& log : logs) names.push_back(log.log_name);
  return group.Show(base ? std::optional(base->base_name) : std::nullopt, names);
}

namespace {

// A random life of one group, and what its files hold: the numbers of the writes in them.
class Life {
 public:
  explicit Life(uint64_t seed) : random_(seed) {
    if (random_.OneIn(2)) WriteBase();
    while (time_ < 60) Step();
  }

  Group group;
  std::vector<std::pair<Instant, Instant>> writes;  // Requested, completed.

  // The writes that a reader sees at the time, in the order they apply.
  std::vector<Instant> Seen(int64_t time) {
    const GroupView view = group.View(time);
    if (!view.merged) return {};
    std::vector<Instant> seen;
    if (view.merged->base) seen = contents_.at(view.merged->base->instant);
    for (const LogName& log : MergeOrder(*view.merged, group.history.log_compactions)) {
      const std::vector<Instant>& content = contents_.at(log.instant);
      seen.insert(seen.end(), content.begin(), content.end());
    }
    return seen;
  }

 private:
  // A duration, now and then longer than everything else.
  int64_t Later() {
    return time_ + 1 + static_cast<int64_t>(random_.Below(random_.OneIn(4) ? 40 : 8));
  }
  // All times of a table are different.
  int64_t Unused(int64_t time) {
    while (!used_.insert(time).second) ++time;
    return time;
  }

  void Write(Span span) {
    group.Log(fmt::format("w{}", span.requested), span);
    contents_[At(span.requested)] = {At(span.requested)};
    if (span.completed != kPending) writes.emplace_back(At(span.requested), At(span.completed));
  }

  void WriteBase() {
    const Span span{Unused(1), Unused(2)};
    group.Base(span);
    contents_[At(span.requested)] = {At(span.requested)};
    writes.emplace_back(At(span.requested), At(span.completed));
  }

  std::vector<Instant> ContentOf(const PlanInputs& inputs) {
    std::vector<Instant> content;
    FileSlice slice;
    if (inputs.base) content = contents_.at(inputs.base->instant);
    for (const LogName& log : inputs.logs) slice.logs.push_back({log, log.instant, false});
    for (const LogName& log : MergeOrder(slice, group.history.log_compactions)) {
      const std::vector<Instant>& more = contents_.at(log.instant);
      content.insert(content.end(), more.begin(), more.end());
    }
    return content;
  }

  // A compaction or a log compaction, whichever, while no other one runs.
  void Plan(bool of_logs) {
    const Instant now = At(time_);
    const GroupPlan plan = PlanGroup(group.history, group.times(), now, time_ < busy_until_);
    if (plan.refusal != PlanRefusal::kNone) return;
    PlanInputs inputs = plan.inputs;
    if (of_logs) inputs.base.reset();
    if (of_logs && inputs.logs.size() < 2) return;
    used_.insert(time_);
    const Span span{time_, random_.OneIn(6) ? kPending : Unused(Later())};
    busy_until_ = span.completed == kPending ? 1000 : span.completed;
    contents_[now] = ContentOf(inputs);
    if (!of_logs) {
      group.Plan(span);
      return;
    }
    std::vector<int64_t> instants;
    for (const LogName& log : inputs.logs) instants.push_back(std::stoll(Short(log.instant)));
    group.LogCompact(fmt::format("lc{}", time_), span, instants);
  }

  void Step() {
    time_ = time_ + 1 + static_cast<int64_t>(random_.Below(3));
    while (used_.contains(time_)) ++time_;
    switch (random_.Below(8)) {
      case 0:
        return Plan(false);
      case 1:
        return Plan(true);
      case 2: {
        group.RolledBack(Unused(time_), random_.OneIn(2) ? fmt::format("bad{}", time_) : "");
        return;
      }
      case 3:
        return Write({Unused(time_), kPending});
      default:
        return Write({Unused(time_), Unused(Later())});
    }
  }

  Random random_;
  int64_t time_ = 2;
  int64_t busy_until_ = 0;
  std::set<int64_t> used_;
  std::map<Instant, std::vector<Instant>> contents_;  // By the instant of the file.
};

constexpr uint64_t kLives = 300;

TEST(SliceProperty, TheViewAtATimeHoldsExactlyWhatWasCompletedByThen) {
  size_t compared = 0;
  for (uint64_t seed = 1; seed <= kLives; ++seed) {
    Life life(seed);
    for (int64_t time = 0; time <= 110; time += 1 + static_cast<int64_t>(seed % 3)) {
      std::vector<Instant> expected;
      for (const auto& [requested, completed] : life.writes) {
        if (completed <= At(time)) expected.push_back(requested);
      }
      std::vector<Instant> seen = life.Seen(time);
      std::sort(seen.begin(), seen.end());
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(seen, expected) << "seed " << seed << " time " << time << ": "
                                << life.group.Show(life.group.View(time).slices);
      compared += seen.size();
    }
  }
  EXPECT_GT(compared, kLives * 100);
}

TEST(SliceProperty, ASecondImplementationSeesTheSameFilesInTheSameOrder) {
  for (uint64_t seed = 1; seed <= kLives; ++seed) {
    const Life life(seed);
    for (int64_t time = 0; time <= 110; time += 5) {
      ASSERT_EQ(life.group.Reader(life.group.View(time)), ReferenceReader(life.group, time, {}))
          << "seed " << seed << " time " << time;
    }
  }
}

TEST(SliceProperty, TheExamplesAreMadeAgainstTheMistakesThatAreEasyToMake) {
  const Group w04 = Group().Base({10, 15}).Log("a", {20, 40}).Plan({40, 50});
  EXPECT_EQ(ReferenceReader(w04, 50, {}), "b40 + a");
  EXPECT_EQ(ReferenceReader(w04, 50, {.barrier_strictly_before = true}), "b40") << "a is lost";

  const Group w14 =
      Group().Base({10, 12}).Log("a", {15, 18}).Base({20, kPending}).Log("b", {21, 23});
  EXPECT_EQ(ReferenceReader(w14, 23, {}), "b10 + a,b");
  EXPECT_EQ(ReferenceReader(w14, 23, {.group_then_filter = true}), "b10 + a") << "b is hidden";

  const Group w06 = Group().Log("p", {1, kPending}).Log("c1", {2, 4}).Log("c2", {3, 6});
  EXPECT_EQ(ReferenceReader(w06, 6, {}), "c1,c2");
  EXPECT_EQ(ReferenceReader(w06, 6, {.group_then_filter = true, .anchor_at_first_log = true}),
            "nothing");
}

}  // namespace
}  // namespace catalogd::coord::testing
