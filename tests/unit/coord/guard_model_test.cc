// Schedules nobody thought of: every order of claims, beats, late messages, failures, cancels,
// rollbacks, drops and restarts of a small world is walked through, and the rules of
// guard_model_world_test.cc are checked at each step. Guards that are broken on purpose must be
// caught by them.
#include "tests/unit/coord/guard_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "catalog/base/random.h"

namespace catalogd::coord::testing {

GuardStep Machine::Claim(const TableRow& table, const PlanRow& plan, const ClaimRequest& request,
                         TimePoint now, const GuardOptions& options) const {
  return ClaimPlan(table, &plan, request, now, options);
}
GuardStep Machine::Beat(const TableRow& table, const PlanRow& plan, const Holder& holder,
                        TimePoint now, const GuardOptions& options) const {
  return BeatPlan(table, &plan, holder, now, options);
}
GuardStep Machine::Register(const TableRow& table, const PlanRow& plan, const Holder& holder,
                            const std::vector<std::string>& names) const {
  return RegisterFiles(table, &plan, holder, names);
}
GuardStep Machine::Prepare(const TableRow& table, const PlanRow& plan, const Holder& holder,
                           const CompleteRequest& request, TimePoint now,
                           const GuardOptions& options) const {
  return BeginComplete(table, &plan, holder, request, now, options);
}
GuardStep Machine::Settle(const TableRow& table, const PlanRow& plan, Settled settled) const {
  return SettleComplete(table, plan, settled);
}
GuardStep Machine::Fail(const TableRow& table, const PlanRow& plan, const Holder& holder,
                        TimePoint now, const GuardOptions& options) const {
  return FailPlan(table, &plan, holder, "failed", now, options);
}
GuardStep Machine::Abort(const TableRow& table, const PlanRow& plan, const Holder& holder) const {
  return AbortPlan(table, &plan, holder);
}
GuardStep Machine::Cancel(const TableRow& table, const PlanRow& plan, TimePoint now) const {
  return CancelPlan(table, &plan, table.table_id, now);
}
PlanRow Machine::Restore(const PlanRow& plan, bool was_alive, TimePoint ready) const {
  return RestoreClaim(plan, was_alive, ready);
}
RollbackStep Machine::Rollback(const TableRow& table, const PlanRow& target,
                               const RollbackRequest& request, TimePoint now,
                               const GuardOptions& options) const {
  return ClaimRollback(table, &target, nullptr, request, now, options);
}

namespace {

struct Found {
  size_t worlds = 0;
  std::string broken;              // Empty: every rule held everywhere.
  std::vector<std::string> trace;  // The shortest way to it.
};

std::vector<std::string> TraceOf(const std::vector<std::pair<size_t, Event>>& ways, size_t at,
                                 const Event& last) {
  std::vector<std::string> trace = {Text(last)};
  for (; at != 0; at = ways[at].first) trace.insert(trace.begin(), Text(ways[at].second));
  return trace;
}

Found Explore(const Machine& machine, const Bounds& bounds) {
  Found found;
  std::unordered_set<std::string> seen;
  std::deque<std::pair<size_t, World>> open;
  std::vector<std::pair<size_t, Event>> ways = {{0, {}}};  // Of each world: from where, and how.
  open.emplace_back(0, StartOfWorld());
  while (!open.empty()) {
    const auto [at, world] = std::move(open.front());
    open.pop_front();
    ++found.worlds;
    for (const Event& event : EventsOf(world, bounds)) {
      World next = After(world, event, machine, bounds, &found.broken);
      if (!found.broken.empty()) {
        found.trace = TraceOf(ways, at, event);
        return found;
      }
      if (!seen.insert(next.Key()).second) continue;
      ways.emplace_back(at, event);
      open.emplace_back(ways.size() - 1, std::move(next));
    }
  }
  return found;
}

void ExpectKept(const Bounds& bounds, size_t at_least) {
  const Found found = Explore(Machine(), bounds);
  EXPECT_EQ(found.broken, "") << ::testing::PrintToString(found.trace);
  EXPECT_GT(found.worlds, at_least) << "the walk has become smaller";
}

TEST(GuardModel, EveryScheduleOfASmallWorldKeepsTheRules) { ExpectKept({}, 10'000); }

TEST(GuardModel, EveryScheduleWithStrictExpiryKeepsTheRules) {
  Bounds bounds;
  bounds.strict_expiry = true;
  ExpectKept(bounds, 10'000);
}

TEST(GuardModel, EveryScheduleInWhichTheTableIsDroppedKeepsTheRules) {
  Bounds bounds;
  bounds.drops = true;
  bounds.max_grants = 2;
  ExpectKept(bounds, 1'000);
}

// Timeline A-36: longer lives than the walk has, with more attempts and longer freezes.
TEST(GuardModel, TimelineA36RandomSchedulesKeepTheRules) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    Bounds bounds;
    bounds.max_attempts = 50;
    bounds.max_grants = 50;
    bounds.lease = 3;
    bounds.strict_expiry = seed % 3 == 0;
    Random random(seed);
    World world = StartOfWorld();
    for (int step = 0; step < 1000; ++step) {
      std::vector<Event> events = EventsOf(world, bounds);
      // Nothing ends for good, or most of the thousand steps would happen after the end.
      std::erase_if(events, [&](const Event& event) {
        const bool ends = event.op == Op::kCancel || event.op == Op::kPrepareGone;
        return (ends && step < 900) || (event.op == Op::kCommit && step < 500);
      });
      if (events.empty()) break;
      const Event event = events[random.Below(events.size())];
      std::string broken;
      world = After(world, event, Machine(), bounds, &broken);
      ASSERT_EQ(broken, "") << "seed " << seed << " step " << step << ": " << Text(event);
    }
  }
}

// Guards with one rule taken out. Each must break a rule of the world.

TimePoint Later(TimePoint now) { return now + std::chrono::seconds(1); }

struct NoFenceAtCompletion : Machine {
  GuardStep Prepare(const TableRow& table, const PlanRow& plan, const Holder& holder,
                    const CompleteRequest& request, TimePoint now,
                    const GuardOptions& options) const override {
    return Machine::Prepare(table, plan, {holder.table_id, plan.fence}, request, now, options);
  }
};

struct NoFenceAtBeats : Machine {
  GuardStep Beat(const TableRow& table, const PlanRow& plan, const Holder& holder, TimePoint now,
                 const GuardOptions& options) const override {
    return Machine::Beat(table, plan, {holder.table_id, plan.fence}, now, options);
  }
};

struct NoFenceAtFailures : Machine {
  GuardStep Fail(const TableRow& table, const PlanRow& plan, const Holder& holder, TimePoint now,
                 const GuardOptions& options) const override {
    return Machine::Fail(table, plan, {holder.table_id, plan.fence}, now, options);
  }
};

// At the end of the lease, not after it.
struct TakeoverAtTheEnd : Machine {
  GuardStep Claim(const TableRow& table, const PlanRow& plan, const ClaimRequest& request,
                  TimePoint now, const GuardOptions& options) const override {
    return Machine::Claim(table, plan, request, Later(now), options);
  }
};

struct TakeoverFromTheLiving : Machine {
  GuardStep Claim(const TableRow& table, const PlanRow& plan, const ClaimRequest& request,
                  TimePoint now, const GuardOptions& options) const override {
    return Machine::Claim(table, plan, request, now + options.lease, options);
  }
};

struct NoTakeover : Machine {
  GuardStep Claim(const TableRow& table, const PlanRow& plan, const ClaimRequest& request,
                  TimePoint now, const GuardOptions& options) const override {
    if (plan.claim) now = std::min(now, plan.claim->deadline);
    return Machine::Claim(table, plan, request, now, options);
  }
};

struct SameFenceForAll : Machine {
  GuardStep Claim(const TableRow& table, const PlanRow& plan, const ClaimRequest& request,
                  TimePoint now, const GuardOptions& options) const override {
    GuardStep step = Machine::Claim(table, plan, request, now, options);
    if (step.answer.code != GuardCode::kOk || !step.answer.takeover) return step;
    step.plan->fence = step.answer.fence = plan.fence;
    step.table = table;
    return step;
  }
};

struct FilesForgottenAtTakeover : Machine {
  GuardStep Claim(const TableRow& table, const PlanRow& plan, const ClaimRequest& request,
                  TimePoint now, const GuardOptions& options) const override {
    GuardStep step = Machine::Claim(table, plan, request, now, options);
    if (step.answer.takeover) step.plan->files.clear();
    return step;
  }
};

// With strict expiry only.
struct RenewalAfterExpiry : Machine {
  GuardStep Beat(const TableRow& table, const PlanRow& plan, const Holder& holder, TimePoint now,
                 const GuardOptions& options) const override {
    GuardOptions lenient = options;
    lenient.strict_expiry = false;
    return Machine::Beat(table, plan, holder, now, lenient);
  }
};

struct CompletionAfterExpiry : Machine {
  GuardStep Prepare(const TableRow& table, const PlanRow& plan, const Holder& holder,
                    const CompleteRequest& request, TimePoint now,
                    const GuardOptions& options) const override {
    GuardOptions lenient = options;
    lenient.strict_expiry = false;
    return Machine::Prepare(table, plan, holder, request, now, lenient);
  }
};

// Without it only: expiry decides, and nobody replaced the holder.
struct ExpiryDecides : Machine {
  GuardStep Prepare(const TableRow& table, const PlanRow& plan, const Holder& holder,
                    const CompleteRequest& request, TimePoint now,
                    const GuardOptions& options) const override {
    GuardOptions strict = options;
    strict.strict_expiry = true;
    return Machine::Prepare(table, plan, holder, request, now, strict);
  }
};

struct CompletedTwice : Machine {
  GuardStep Prepare(const TableRow& table, const PlanRow& plan, const Holder& holder,
                    const CompleteRequest& request, TimePoint now,
                    const GuardOptions& options) const override {
    PlanRow again = plan;
    if (again.state == PlanState::kCompleted) {
      again.state = PlanState::kClaimed;
      again.claim = coord::Claim{"A", options.lease, now, false};
      again.completion.reset();
    }
    return Machine::Prepare(table, again, holder, request, now, options);
  }
};

struct UndoneIdIsLost : Machine {
  GuardStep Settle(const TableRow& table, const PlanRow& plan, Settled settled) const override {
    GuardStep step = Machine::Settle(table, plan, settled);
    step.table->id_version = plan.prepared->id_version;
    return step;
  }
};

struct BeatRevives : Machine {
  GuardStep Beat(const TableRow& table, const PlanRow& plan, const Holder& holder, TimePoint now,
                 const GuardOptions& options) const override {
    PlanRow revived = plan;
    if (plan.state == PlanState::kRequested) {
      revived.state = PlanState::kClaimed;
      revived.claim = coord::Claim{"A", options.lease, now, false};
    }
    return Machine::Beat(table, revived, holder, now, options);
  }
};

struct CancelEndsTheLiving : Machine {
  GuardStep Cancel(const TableRow& table, const PlanRow& plan, TimePoint now) const override {
    return Machine::Cancel(table, plan, now + std::chrono::hours(1));
  }
};

struct CancelDuringCommit : Machine {
  GuardStep Cancel(const TableRow& table, const PlanRow& plan, TimePoint now) const override {
    PlanRow open = plan;
    if (open.state == PlanState::kCommitting) open.state = PlanState::kClaimed;
    return Machine::Cancel(table, open, now);
  }
};

struct NoGraceAfterRestart : Machine {
  PlanRow Restore(const PlanRow& plan, bool was_alive, TimePoint ready) const override {
    static_cast<void>(was_alive);
    return Machine::Restore(plan, false, ready);
  }
};

struct RollbackOfTheLiving : Machine {
  RollbackStep Rollback(const TableRow& table, const PlanRow& target,
                        const RollbackRequest& request, TimePoint now,
                        const GuardOptions& options) const override {
    return Machine::Rollback(table, target, request, now + options.lease, options);
  }
};

struct RollbackWithoutFence : Machine {
  RollbackStep Rollback(const TableRow& table, const PlanRow& target,
                        const RollbackRequest& request, TimePoint now,
                        const GuardOptions& options) const override {
    RollbackStep step = Machine::Rollback(table, target, request, now, options);
    step.target.reset();
    return step;
  }
};

struct DropIsNotSeen : Machine {
  GuardStep Beat(const TableRow& table, const PlanRow& plan, const Holder& holder, TimePoint now,
                 const GuardOptions& options) const override {
    TableRow there = table;
    there.dropped = false;
    return Machine::Beat(there, plan, holder, now, options);
  }
};

enum class In { kLenient, kStrict, kDrops };

template <class Broken>
void ExpectCaught(const std::string& name, In where, const std::string& rule) {
  Bounds bounds;
  bounds.strict_expiry = where == In::kStrict;
  bounds.drops = where == In::kDrops;
  const Found found = Explore(Broken(), bounds);
  EXPECT_THAT(found.broken, ::testing::HasSubstr(rule))
      << name << " after " << found.worlds << " worlds: " << ::testing::PrintToString(found.trace);
}

TEST(GuardModel, MutantsOfTheFenceAreCaught) {
  ExpectCaught<NoFenceAtCompletion>("completion", In::kLenient,
                                    "C-I4: a call of somebody replaced");
  ExpectCaught<NoFenceAtBeats>("beats", In::kLenient, "C-I4: a call of somebody replaced");
  ExpectCaught<NoFenceAtFailures>("failures", In::kLenient, "C-I4: a call of somebody replaced");
  ExpectCaught<SameFenceForAll>("same fence", In::kLenient, "fence that is not the greatest");
  ExpectCaught<RollbackWithoutFence>("rollback", In::kLenient,
                                     "given again to somebody who does not hold it");
}

TEST(GuardModel, MutantsOfTheLeaseAreCaught) {
  ExpectCaught<TakeoverAtTheEnd>("at the end", In::kLenient, "a grant over somebody who is alive");
  ExpectCaught<TakeoverFromTheLiving>("early", In::kLenient, "a grant over somebody who is alive");
  ExpectCaught<NoTakeover>("never", In::kLenient, "an expired plan cannot be taken over");
  ExpectCaught<RenewalAfterExpiry>("renewal", In::kStrict, "an expired holder went on");
  ExpectCaught<CompletionAfterExpiry>("completion", In::kStrict, "an expired holder went on");
  ExpectCaught<ExpiryDecides>("expiry", In::kLenient, "nobody replaced may not complete");
  ExpectCaught<NoGraceAfterRestart>("restart", In::kLenient, "a grant over somebody who is alive");
  ExpectCaught<RollbackOfTheLiving>("rollback", In::kLenient,
                                    "a rollback of somebody who is alive");
  ExpectCaught<CancelEndsTheLiving>("cancel", In::kLenient, "a cancel ended somebody who is alive");
}

TEST(GuardModel, MutantsOfCompletionAreCaught) {
  ExpectCaught<CompletedTwice>("twice", In::kLenient, "C-I");
  ExpectCaught<UndoneIdIsLost>("undone", In::kLenient, "C-I2: an undone id is lost");
  ExpectCaught<BeatRevives>("revived", In::kLenient, "C-I4: a call of somebody replaced");
  ExpectCaught<CancelDuringCommit>("cancel", In::kLenient, "a commit was ended by something else");
  ExpectCaught<FilesForgottenAtTakeover>("files", In::kLenient, "C-I6");
  ExpectCaught<DropIsNotSeen>("drop", In::kDrops, "a dropped table was changed");
}

}  // namespace
}  // namespace catalogd::coord::testing
