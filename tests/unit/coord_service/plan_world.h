#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/coord/coord_world.h"

namespace catalogd::coord::testing {

// Executors, schedulers and operators of the plans of a table, each a call. The table has keys and
// files of any names, and plans only what it is asked to.
class PlanWorld : public CoordWorld {
 protected:
  static std::map<std::string, std::string> Quiet() { return {{"max_delta_commits", "100000"}}; }

  api::CoordCaller CallerOf(const std::string& owner, const std::string& table = "sales.orders") {
    api::CoordCaller caller = Caller(table);
    caller.owner = owner;
    return caller;
  }
  static api::DataFile Base(const std::string& name, const std::string& partition = "",
                            const std::string& group = "") {
    api::DataFile file = File(name, partition, group);
    file.kind = "BASE";
    return file;
  }
  // One delta of a group; the name of the file is its own.
  void Delta(const std::string& name, const std::string& group = "g1") {
    const auto written = Write({File(name, "", group)});
    ASSERT_TRUE(written) << written.error().message;
  }

  CoordResult<api::ScheduledPlan> Schedule(const api::SchedulePlanRequest& request) {
    return Ask<api::ScheduledPlan>(
        [&](auto done) { coord_->plans.Schedule(request, std::move(done)); });
  }
  api::SchedulePlanRequest OrderOf(const std::string& type, std::vector<std::string> groups = {},
                                   bool forced = true) {
    api::SchedulePlanRequest request;
    request.caller = Caller();
    request.type = type;
    request.forced = forced;
    for (std::string& group : groups) {
      request.groups.emplace_back().file_id = std::move(group);
    }
    return request;
  }
  // A compaction of the groups, or of all.
  api::PlanInfo Planned(const std::string& type = "COMPACT", std::vector<std::string> groups = {}) {
    const auto scheduled = Schedule(OrderOf(type, std::move(groups)));
    EXPECT_TRUE(scheduled) << scheduled.error().message;
    if (!scheduled) return {};
    EXPECT_TRUE(scheduled->__isset.plan) << scheduled->reason;
    return scheduled->plan;
  }

  api::ClaimPlanRequest ClaimOf(const std::string& owner, int64_t plan_id = 0) {
    api::ClaimPlanRequest request;
    request.caller = CallerOf(owner);
    request.plan_id = plan_id;
    return request;
  }
  CoordResult<api::ClaimedPlan> Claim(const api::ClaimPlanRequest& request) {
    return Ask<api::ClaimedPlan>([&](auto done) { coord_->plans.Claim(request, std::move(done)); });
  }
  CoordResult<api::ClaimedPlan> Claim(const std::string& owner, int64_t plan_id = 0,
                                      int64_t held = 0) {
    api::ClaimPlanRequest request = ClaimOf(owner, plan_id);
    request.held_fence = held;
    return Claim(request);
  }
  CoordResult<api::ClaimedPlan> Rollback(const std::string& owner, int64_t plan_id) {
    return Ask<api::ClaimedPlan>(
        [&](auto done) { coord_->plans.Rollback(ClaimOf(owner, plan_id), std::move(done)); });
  }
  CoordResult<api::Beat> Beat(const api::ClaimedPlan& claim, const std::string& progress = "") {
    api::PlanCall request;
    request.caller = Caller();
    request.plan_id = claim.plan.plan_id;
    request.fence = claim.fence;
    request.progress = progress;
    return Ask<api::Beat>([&](auto done) { coord_->plans.Beat(request, std::move(done)); });
  }
  CoordResult<api::Beat> Announce(const api::ClaimedPlan& claim, std::vector<std::string> names) {
    api::RegisterFilesRequest request;
    request.caller = Caller();
    request.plan_id = claim.plan.plan_id;
    request.fence = claim.fence;
    request.names = std::move(names);
    return Ask<api::Beat>(
        [&](auto done) { coord_->plans.RegisterFiles(request, std::move(done)); });
  }
  api::CommitRequest CompletionOf(const api::ClaimedPlan& claim,
                                  std::vector<api::DataFile> added = {}) {
    api::CommitRequest request;
    request.caller = Caller();
    request.plan_id = claim.plan.plan_id;
    request.fence = claim.fence;
    request.added = std::move(added);
    return request;
  }
  CoordResult<api::CommitResult> Complete(const api::ClaimedPlan& claim,
                                          std::vector<api::DataFile> added = {}) {
    const api::CommitRequest request = CompletionOf(claim, std::move(added));
    return Ask<api::CommitResult>(
        [&](auto done) { coord_->plans.Complete(request, std::move(done)); });
  }
  using EndCall = void (PlanCalls::*)(const api::EndPlanRequest&, Done<api::PlanInfo>);
  CoordResult<api::PlanInfo> End(EndCall call, int64_t plan_id, int64_t fence = 0,
                                 const std::string& error = "") {
    api::EndPlanRequest request;
    request.caller = Caller();
    request.plan_id = plan_id;
    request.fence = fence;
    request.error = error;
    return Ask<api::PlanInfo>([&](auto done) { (coord_->plans.*call)(request, std::move(done)); });
  }
  CoordResult<api::PlanInfo> Fail(const api::ClaimedPlan& claim, const std::string& error) {
    return End(&PlanCalls::FailPlan, claim.plan.plan_id, claim.fence, error);
  }
  CoordResult<api::PlanInfo> Abort(const api::ClaimedPlan& claim) {
    return End(&PlanCalls::Abort, claim.plan.plan_id, claim.fence);
  }
  CoordResult<api::PlanInfo> Cancel(int64_t plan_id) { return End(&PlanCalls::Cancel, plan_id); }
  CoordResult<api::PlanInfo> Reset(int64_t plan_id) { return End(&PlanCalls::Reset, plan_id); }

  api::PlanInfo Show(int64_t plan_id) {
    api::PlanCall request;
    request.caller = Caller();
    request.plan_id = plan_id;
    const auto info = coord_->plans.Get(request);
    EXPECT_TRUE(info) << info.error().message;
    return info.value_or(api::PlanInfo());
  }
  std::vector<api::PlanInfo> Plans(const std::string& state = "ALL") {
    api::ListPlansRequest request;
    request.caller = Caller();
    request.state = state;
    const auto plans = coord_->plans.List(request);
    EXPECT_TRUE(plans) << plans.error().message;
    return plans.value_or(std::vector<api::PlanInfo>());
  }
  // A call that stays under way: whether it has been answered, and how.
  template <class T>
  struct Pending {
    Mutex mutex{LockRank::kLeaf};
    std::optional<CoordResult<T>> answer GUARDED_BY(mutex);
    std::optional<CoordResult<T>> Get() {
      const MutexLock lock(mutex);
      return answer;
    }
  };
  template <class T, class Call>
  std::shared_ptr<Pending<T>> Start(Call call) {
    auto pending = std::make_shared<Pending<T>>();
    call(Done<T>([pending](CoordResult<T> result) {
      const MutexLock lock(pending->mutex);
      EXPECT_FALSE(pending->answer) << "answered twice";
      pending->answer = std::move(result);
    }));
    Settle();
    return pending;
  }
  std::shared_ptr<Pending<api::ClaimedPlan>> StartClaim(const std::string& owner, int64_t wait_ms) {
    api::ClaimPlanRequest request = ClaimOf(owner);
    request.wait_ms = wait_ms;
    return Start<api::ClaimedPlan>(
        [&](auto done) { coord_->plans.Claim(request, std::move(done)); });
  }
};

// The code of a failure; 0 for a success.
template <class T>
CoordCode CodeOf(const CoordResult<T>& result) {
  return result ? CoordCode() : result.error().code;
}

}  // namespace catalogd::coord::testing
