#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalog/coord/plan_queue.h"
#include "catalog/coord/service/coord_context.h"
#include "catalog/coord/service/plan_rows.h"
#include "catalog/coord/service/plan_schedule.h"
#include "catalog/coord/service/slice_context.h"
#include "catalogd_coord_idl/catalogd_coord_types.h"

// The service of catalogd_coord.thrift: one class for each kind of call, all on one CoordContext.
// Requests and answers are the structs of the IDL; what they mean is said there.
//
// Thread safety: yes, all of them. Nothing waits on the calling thread.
// Errors: CoordFailure, whose code tells what happened and whether to try again.
// Owners (`caller.owner`) have been prefixed with the authenticated user, and rights have been
// checked, before a call comes here.
namespace catalogd::coord {

// Registering, options, state; recovery at the start; what events say about a table.
class TableCalls {
 public:
  explicit TableCalls(CoordContext* context) : context_(context) {}

  // Takes over what the store has; tables whose last commits must be found out begin as RECOVERING
  // and are looked after on workers. Once, before any call.
  Status Start(StoreContent content);
  void Register(const api::RegisterTableRequest& request, Done<api::CoordTable> done);
  void Unregister(const api::UnregisterTableRequest& request, Done<api::CoordTable> done);
  void AlterOptions(const api::AlterOptionsRequest& request, Done<api::CoordTable> done);
  CoordResult<api::CoordTable> State(const api::TableRequest& request);
  std::vector<api::CoordTable> List();
  void GenerateInstant(const api::GenerateInstantRequest& request,
                       Done<api::GeneratedInstant> done);

  // What the cache shows after an event: the table is gone, was renamed, or has parameters.
  void OnGone(const ObjectName& name);
  void OnRenamed(const ObjectName& from, const ObjectName& to);
  void OnParameters(const ObjectName& name, const std::map<std::string, std::string>& parameters,
                    EventId event);

 private:
  CoordContext* const context_;
};

class TxnCalls {
 public:
  explicit TxnCalls(CoordContext* context) : context_(context) {}

  void Begin(const api::BeginTxnRequest& request, Done<api::TxnInfo> done);
  void Beat(const api::TxnCall& request, Done<api::Beat> done);
  void RegisterFiles(const api::RegisterFilesRequest& request, Done<api::Beat> done);
  void Commit(const api::CommitRequest& request, Done<api::CommitResult> done);
  void Abort(const api::AbortRequest& request, Done<api::TxnInfo> done);
  CoordResult<api::TxnInfo> Get(const api::GetTxnRequest& request);
  CoordResult<std::vector<api::TxnInfo>> List(const api::ListTxnsRequest& request);
  // Ends what has expired; called by a timer.
  void Reap();

 private:
  CoordContext* const context_;
};

class PlanCalls {
 public:
  explicit PlanCalls(CoordContext* context) : context_(context) {}

  void Schedule(const api::SchedulePlanRequest& request, Done<api::ScheduledPlan> done);
  CoordResult<std::vector<api::PlanInfo>> List(const api::ListPlansRequest& request);
  CoordResult<api::PlanInfo> Get(const api::PlanCall& request);
  void Claim(const api::ClaimPlanRequest& request, Done<api::ClaimedPlan> done);
  void Beat(const api::PlanCall& request, Done<api::Beat> done);
  void RegisterFiles(const api::RegisterFilesRequest& request, Done<api::Beat> done);
  void Complete(const api::CommitRequest& request, Done<api::CommitResult> done);
  void FailPlan(const api::EndPlanRequest& request, Done<api::PlanInfo> done);
  void Abort(const api::EndPlanRequest& request, Done<api::PlanInfo> done);
  void Cancel(const api::EndPlanRequest& request, Done<api::PlanInfo> done);
  void Reset(const api::EndPlanRequest& request, Done<api::PlanInfo> done);
  void Rollback(const api::ClaimPlanRequest& request, Done<api::ClaimedPlan> done);
  void Wait(const api::WaitPlansRequest& request, Done<api::WaitPlansResult> done);
  // Looks at the triggers of one table, after a commit; of all, by a timer, which also takes note
  // of claims that have expired.
  void CheckTriggers(const ManagedTablePtr& table);
  void CheckAllTriggers();

 private:
  struct Wanted;  // What a claim without a plan takes.
  // A claim that was given, for a caller whose answer was lost.
  struct KeptClaim {
    std::string table_id;
    PlanId plan;
    Fence fence;
  };
  using DecideEnd = std::function<PlanChange(const TableState&, const PlanRecord*)>;

  // Ends or changes a plan and answers what became of it.
  void ChangePlan(const ManagedTablePtr& table, PlanId plan, const DecideEnd& decide,
                  Done<api::PlanInfo> done);
  void CompleteHere(const ManagedTablePtr& table, const api::CommitRequest& request,
                    Done<api::CommitResult> done);
  CoordResult<PlanChange> DecideRollback(TableState* state, const api::ClaimPlanRequest& request,
                                         api::ClaimedPlan* claimed);
  CoordResult<PlanChange> DecideClaim(TableState* state, PlanId plan, const ClaimRequest& request,
                                      api::ClaimedPlan* claimed);
  void ClaimOne(const ManagedTablePtr& table, PlanId plan, ClaimRequest request,
                const std::string& key, Done<api::ClaimedPlan> done);
  // True: it has been or will be answered.
  bool ClaimNext(const std::shared_ptr<const Wanted>& wanted, const Done<api::ClaimedPlan>& done);
  std::optional<Offer> FindOffer(const Wanted& wanted, const std::set<PlanId>& passed_over);
  // Claims that wait look again at `when`: a back-off or a lease ends then, and nobody says so.
  void WakeAt(const std::string& table_id, TimePoint when);
  void NoteClaim(const std::string& key, const std::string& table_id,
                 const api::ClaimedPlan& claimed);
  void NoteExpired(const ManagedTablePtr& table);
  void CheckTable(const ManagedTablePtr& table, bool whole);
  void LookAgain(const std::string& table_id);
  void ScheduleDue(const ManagedTablePtr& table, const std::set<PlanType>& types);
  void PlanByTrigger(const ManagedTablePtr& table, const ObjectName& name, PlanType type);
  api::PlanInfo InfoOf(const TableState& state, const PlanRecord& plan);
  void DropProgress(PlanId plan);

  CoordContext* const context_;
  Mutex mutex_{LockRank::kCoord};  // Never together with a table's.
  std::string last_served_ GUARDED_BY(mutex_);
  std::map<std::string, TimePoint> wakes_ GUARDED_BY(mutex_);
  // Claims by owner and idempotency key, and the keys in the order in which they came.
  std::map<std::string, KeptClaim> kept_claims_ GUARDED_BY(mutex_);
  std::deque<std::string> kept_keys_ GUARDED_BY(mutex_);
  // What is to be planned by tables that wait for their lock.
  std::map<std::string, std::set<PlanType>> due_ GUARDED_BY(mutex_);
  std::map<std::string, PlanLook> looked_ GUARDED_BY(mutex_);  // By the timer, the last time.
  Mutex progress_mutex_{LockRank::kLeaf};
  std::map<PlanId, std::string> progress_ GUARDED_BY(progress_mutex_);
};

class ReadCalls {
 public:
  explicit ReadCalls(CoordContext* context) : context_(context) {}

  void Slices(const api::GetFileSlicesRequest& request, Done<api::FileSlicePage> done);
  CoordResult<api::IncrementalResult> Incremental(const api::GetIncrementalRequest& request);
  CoordResult<std::vector<api::CompletionTime>> CompletionTimes(
      const api::GetCompletionTimesRequest& request);
  CoordResult<std::vector<api::VersionInfo>> Versions(const api::ListVersionsRequest& request);
  void WaitForVersion(const api::WaitForVersionRequest& request,
                      Done<api::WaitForVersionResult> done);
  CoordResult<api::ConflictInfo> Explain(const api::ExplainRequest& request);
  CoordResult<std::vector<api::ConflictInfo>> Conflicts(const api::ListTxnsRequest& request);
  void Pin(const api::PinRequest& request, Done<api::PinInfo> done);
  void Unpin(const api::UnpinRequest& request, Done<api::PinInfo> done);
  // Lists the folder, on a worker.
  void Fsck(const api::FsckRequest& request, Done<api::FsckReport> done);

 private:
  CoordContext* const context_;
  SliceContexts slice_contexts_;
};

// All of it, wired.
class Coordinator {
 public:
  Coordinator(StoreWriter* writer, TablePublisher* publisher, const Clock* clock, Timer* timer,
              Executor* workers)
      : context(writer, publisher, clock, timer, workers),
        tables(&context),
        txns(&context),
        plans(&context),
        reads(&context) {
    context.after_commit = [this](const ManagedTablePtr& table) { plans.CheckTriggers(table); };
  }

  CoordContext context;
  TableCalls tables;
  TxnCalls txns;
  PlanCalls plans;
  ReadCalls reads;

  // Starts what is done from time to time. After tables.Start.
  void Run();
  // Ends what waits; nothing is begun any more.
  void Stop();

 private:
  void Every(Duration period, std::function<void()> work);
};

}  // namespace catalogd::coord
