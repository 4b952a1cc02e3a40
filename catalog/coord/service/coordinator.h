#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catalog/base/executor.h"
#include "catalog/coord/service/coord_error.h"
#include "catalogd_idl/catalogd_coord_types.h"

namespace catalogd::coord {

class StoreWriter;
class TablePublisher;

struct CoordinatorParts {
  StoreWriter* store = nullptr;
  TablePublisher* publisher = nullptr;
  Executor* workers = nullptr;  // Calls run there and may wait for the disk.
  Timer* timer = nullptr;
  const Clock* clock = nullptr;
  std::string address;  // Where this daemon is reached: told to those who ask another owner.
};

// Who calls, as the endpoint knows him: the owner of what he begins and claims, and as whom a
// commit is published.
struct Caller {
  std::string user;
  std::vector<std::string> groups;
};

// Table coordination as a service: the calls of catalogd_coord.thrift. Decisions are made by the
// pure functions of catalog/coord; this keeps the tables in memory, stores what was decided before
// anybody is told, and publishes commits to the metastore.
//
// Thread safety: yes. Calls that end in `Done` answer once, on any thread; the others look at
// memory only and return at once.
// Lifetime: its parts outlive it, and Stop() comes before their end.
class Coordinator {
 public:
  explicit Coordinator(const CoordinatorParts& parts);
  ~Coordinator();

  // Reads the store and settles what a stop left between two steps. Until a table is settled,
  // calls that change it are told RETRY_LATER.
  Status Start();
  // Answers what waits with STOPPING. Idempotent.
  void Stop();

  template <class T>
  using Done = std::function<void(CoordResult<T>)>;

  void Register(const api::CoordRegisterRequest& request, const Caller& caller,
                Done<api::CoordTable> done);
  void Unregister(const api::CoordTableRef& table, Done<api::CoordTable> done);
  void AlterOptions(const api::CoordOptionsRequest& request, Done<api::CoordTable> done);
  void TakeInstant(const api::CoordTableRef& table, Done<api::CoordInstant> done);

  void Begin(const api::CoordBeginRequest& request, const Caller& caller,
             Done<api::CoordTxn> done);
  void Beat(const api::CoordHolder& holder, Done<api::CoordBeat> done);
  void RegisterFiles(const api::CoordHolder& holder, const std::vector<std::string>& names,
                     Done<bool> done);
  // Of a transaction or of a plan.
  void Commit(const api::CoordCommitRequest& request, const Caller& caller,
              Done<api::CoordCommitResult> done);
  void Abort(const api::CoordHolder& holder, const std::string& reason, Done<api::CoordTxn> done);

  void Schedule(const api::CoordScheduleRequest& request, Done<api::CoordScheduleResult> done);
  void Claim(const api::CoordClaimRequest& request, const Caller& caller,
             Done<api::CoordClaim> done);
  void FailPlan(const api::CoordHolder& holder, const std::string& error,
                Done<api::CoordPlan> done);
  void AbortPlan(const api::CoordHolder& holder, Done<api::CoordPlan> done);
  void CancelPlan(const api::CoordTableRef& table, int64_t plan_id, Done<api::CoordPlan> done);
  void ResetPlan(const api::CoordTableRef& table, int64_t plan_id, Done<api::CoordPlan> done);
  void Rollback(const api::CoordTableRef& table, int64_t plan_id, const std::string& owner,
                const Caller& caller, Done<api::CoordClaim> done);
  void WaitPlans(const api::CoordWaitPlansRequest& request,
                 Done<api::CoordWaitPlansResult> done);
  void WaitVersion(const api::CoordWaitVersionRequest& request, Done<api::CoordTable> done);
  void Pin(const api::CoordPinRequest& request, Done<api::CoordPin> done);
  void Unpin(const api::CoordTableRef& table, const std::string& token, Done<bool> done);
  void Fsck(const api::CoordTableRef& table, Done<api::CoordFsck> done);

  [[nodiscard]] std::vector<api::CoordTable> Tables() const;
  [[nodiscard]] CoordResult<api::CoordTable> Table(const api::CoordTableRef& table) const;
  [[nodiscard]] CoordResult<api::CoordTxn> Txn(const api::CoordTableRef& table, int64_t txn_id,
                                               const std::string& idempotency_key) const;
  [[nodiscard]] CoordResult<std::vector<api::CoordTxn>> Txns(
      const api::CoordTableRef& table, const std::vector<std::string>& states) const;
  [[nodiscard]] CoordResult<std::vector<api::CoordPlan>> Plans(
      const api::CoordPlansRequest& request) const;
  [[nodiscard]] CoordResult<api::CoordSlices> Slices(const api::CoordSlicesRequest& request);
  [[nodiscard]] CoordResult<api::CoordIncremental> Incremental(
      const api::CoordIncrementalRequest& request) const;
  [[nodiscard]] CoordResult<std::vector<api::CoordTime>> Times(
      const api::CoordTimesRequest& request) const;
  [[nodiscard]] CoordResult<std::vector<api::CoordVersion>> Versions(
      const api::CoordVersionsRequest& request) const;
  [[nodiscard]] CoordResult<api::CoordConflict> Explain(
      const api::CoordExplainRequest& request) const;
  [[nodiscard]] std::vector<api::CoordConflict> Conflicts(size_t limit) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catalogd::coord
