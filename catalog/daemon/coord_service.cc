#include "catalog/daemon/coord_service.h"

#include "catalog/daemon/thrift_method.h"
#include "catalogd_coord_idl/CatalogdCoord.h"

namespace catalogd::api {

// Found by its argument (thrift_method.h), which does not look into unnamed namespaces.
static void FillException(const coord::CoordFailure& failure, CoordError* out) {
  *out = daemon::ErrorOf(failure);
}

}  // namespace catalogd::api

namespace catalogd::daemon {
namespace {

using coord::AsFailure;
using coord::CoordResult;
using coord::CoordStatus;

using Right = CoordAccess::Right;
constexpr CoordRule kRead{};
constexpr CoordRule kLongRead{.is_long = true};
constexpr CoordRule kListing{.is_long = true, .filters = true};
constexpr CoordRule kWrite{.right = Right::kWrite};
constexpr CoordRule kLease{.right = Right::kWrite, .needs_owner = true};
constexpr CoordRule kAdmin{.right = Right::kAdmin};

// Without an owner two executors would pass for one.
auto NoOwner() {
  return coord::Fail(coord::CoordCode::kInvalidArgument,
                     "caller.owner is missing: expected a name of whoever is to hold the lease, "
                     "such as its host and process");
}

}  // namespace

api::CoordError ErrorOf(const coord::CoordFailure& failure) {
  api::CoordError error;
  error.code = static_cast<int32_t>(failure.code);
  error.name = coord::CoordCodeName(failure.code);
  error.message = failure.message;
  error.retryable = coord::CoordIsRetryable(failure.code);
  error.retry_after_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(failure.retry_after).count();
  error.details = failure.details;
  return error;
}

api::CoordError CoordinationIsOff() {
  return ErrorOf(
      {coord::CoordCode::kUnsupported, "this daemon runs with --coordination off", {}, {}});
}

CoordService::CoordService(coord::Coordinator* coordinator, CoordAccess* access, Executor* workers)
    : coordinator_(coordinator), access_(access), workers_(workers) {
  AddMethods();
}

CoordService::CoordService(api::CoordError why) : closed_(std::move(why)) { AddMethods(); }

void CoordService::AddMethods() {
  AddTables();
  AddTxns();
  AddPlans();
  AddReads();
}

std::vector<std::string> CoordService::methods() const {
  std::vector<std::string> names;
  for (const auto& [name, method] : methods_) names.push_back(name);
  return names;
}

void CoordService::Handle(std::string_view message, CoordCallerFacts caller, Reply reply) const {
  const auto header = wire::ParseMessageHeader(message);
  if (!header) return reply("");
  const auto method = methods_.find(header->method);
  if (method == methods_.end()) {
    return reply(wire::EncodeApplicationError(
        header->method, header->sequence_id, wire::ApplicationError::kUnknownMethod,
        "Invalid method name: '" + std::string(header->method) + "'"));
  }
  ThriftCall call;
  call.method = std::string(header->method);
  call.sequence_id = header->sequence_id;
  call.arguments = std::string(message.substr(header->body));
  call.caller = std::move(caller.identity);
  call.peer = std::move(caller.peer);
  call.reply = std::move(reply);
  method->second(std::move(call));
}

std::optional<ObjectName> CoordService::NameOf(const std::string& reference) const {
  const auto found = coordinator_->context.tables.Find(reference);
  if (!found) return std::nullopt;
  const MutexLock lock((*found)->mutex);
  return (*found)->state.name();
}

void CoordService::Judge(const CoordRule& rule, const CoordCallerFacts& caller,
                         const std::string& table, std::function<void(CoordStatus)> then) const {
  if (const auto may = access_->MayDo(rule.right, caller); !may) return then(may);
  if (rule.filters) return then({});
  std::optional<ObjectName> name;
  if (!table.empty()) {
    name = NameOf(table);
    // There is nothing to be shown; registering is the administrator's.
    if (!name) return then({});
  }
  if (const auto now = access_->MayReadNow(caller, name)) return then(*now);
  const Status submitted = workers_->Submit(
      [this, caller, name = *name, then] { then(access_->MayRead(caller, name)); });
  if (!submitted) then(AsFailure(coord::FailureOf(submitted.error(), "asking for rights")));
}

// What the generated code has for a method, under its name.
template <class ArgsOf, class OutcomeOf>
struct CoordMethod {
  using Args = ArgsOf;
  using Outcome = OutcomeOf;
  using Success = decltype(Outcome::success);
  const char* name;
};
#define COORD_METHOD(method)                                         \
  CoordMethod<api::CatalogdCoord_catalogd_coord_##method##_args,     \
              api::CatalogdCoord_catalogd_coord_##method##_result> { \
    "catalogd_coord_" #method                                        \
  }

template <class Method, class Body>
void CoordService::Add(Method method, const CoordRule& rule, Body body) {
  using Outcome = typename Method::Outcome;
  using Answer = CoordResult<typename Method::Success>;
  methods_[method.name] = MethodOf<typename Method::Args>(
      [this, rule, body](ThriftCall call, const std::shared_ptr<typename Method::Args>& args) {
        if (closed_) {
          Outcome outcome;
          outcome.e = *closed_;
          outcome.__isset.e = true;
          return call.reply(EncodeOutcome(call.method, call.sequence_id, outcome));
        }
        const CoordCallerFacts who{call.caller, call.peer};
        const coord::Done<typename Method::Success> done = [call = std::move(call)](Answer answer) {
          AnswerCall<Outcome>(call, std::move(answer));
        };
        api::CoordCaller& caller = args->request.caller;
        if (rule.needs_owner && caller.owner.empty()) return done(NoOwner());
        caller.owner = who.User() + "/" + caller.owner;
        Judge(rule, who, caller.table, [this, rule, body, args, who, done](const CoordStatus& may) {
          if (!may) return done(AsFailure(may.error()));
          const auto run = [body, args, who, done] { body(who, args->request, done); };
          if (!rule.is_long) return run();
          const Status submitted = workers_->Submit(run);
          if (!submitted) done(AsFailure(coord::FailureOf(submitted.error(), "too many calls")));
        });
      });
}

template <class Method, class Part, class Request>
void CoordService::AddLater(Method method, const CoordRule& rule, Part coord::Coordinator::*part,
                            void (Part::*call)(const Request&,
                                               coord::Done<typename Method::Success>)) {
  Add(method, rule, [this, part, call](const auto&, const Request& request, const auto& done) {
    (coordinator_->*part.*call)(request, done);
  });
}

template <class Method, class Part, class Request>
void CoordService::AddNow(Method method, const CoordRule& rule, Part coord::Coordinator::*part,
                          CoordResult<typename Method::Success> (Part::*call)(const Request&)) {
  Add(method, rule, [this, part, call](const auto&, const Request& request, const auto& done) {
    done((coordinator_->*part.*call)(request));
  });
}

void CoordService::AddTables() {
  using coord::TableCalls;
  constexpr auto kTables = &coord::Coordinator::tables;
  AddLater(COORD_METHOD(register_table), kAdmin, kTables, &TableCalls::Register);
  AddLater(COORD_METHOD(unregister_table), kAdmin, kTables, &TableCalls::Unregister);
  AddLater(COORD_METHOD(alter_options), kAdmin, kTables, &TableCalls::AlterOptions);
  AddNow(COORD_METHOD(get_table_state), kRead, kTables, &TableCalls::State);
  AddLater(COORD_METHOD(generate_instant), kWrite, kTables, &TableCalls::GenerateInstant);
  // Where reads are judged everybody gets his own list.
  Add(COORD_METHOD(list_tables), kListing,
      [this](const CoordCallerFacts& who, const api::ListTablesRequest&, const auto& done) {
        std::vector<api::CoordTable> shown;
        for (api::CoordTable& table : coordinator_->tables.List()) {
          const auto name = NameOf(table.table_id);
          if (name && access_->MayRead(who, *name)) shown.push_back(std::move(table));
        }
        done(std::move(shown));
      });
}

void CoordService::AddTxns() {
  using coord::TxnCalls;
  constexpr auto kTxns = &coord::Coordinator::txns;
  AddLater(COORD_METHOD(begin_txn), kLease, kTxns, &TxnCalls::Begin);
  AddLater(COORD_METHOD(heartbeat_txn), kWrite, kTxns, &TxnCalls::Beat);
  AddLater(COORD_METHOD(commit_txn), kWrite, kTxns, &TxnCalls::Commit);
  AddLater(COORD_METHOD(abort_txn), kWrite, kTxns, &TxnCalls::Abort);
  AddNow(COORD_METHOD(get_txn), kRead, kTxns, &TxnCalls::Get);
  AddNow(COORD_METHOD(list_txns), kLongRead, kTxns, &TxnCalls::List);
  Add(COORD_METHOD(register_files), kWrite,
      [this](const auto&, const api::RegisterFilesRequest& request, const auto& done) {
        if (request.plan_id != 0) {
          coordinator_->plans.RegisterFiles(request, done);
        } else {
          coordinator_->txns.RegisterFiles(request, done);
        }
      });
}

void CoordService::AddPlans() {
  using coord::PlanCalls;
  constexpr auto kPlans = &coord::Coordinator::plans;
  AddLater(COORD_METHOD(schedule_plan), kWrite, kPlans, &PlanCalls::Schedule);
  AddNow(COORD_METHOD(list_plans), kLongRead, kPlans, &PlanCalls::List);
  AddNow(COORD_METHOD(get_plan), kRead, kPlans, &PlanCalls::Get);
  AddLater(COORD_METHOD(claim_plan), kLease, kPlans, &PlanCalls::Claim);
  AddLater(COORD_METHOD(heartbeat_plan), kWrite, kPlans, &PlanCalls::Beat);
  AddLater(COORD_METHOD(complete_plan), kWrite, kPlans, &PlanCalls::Complete);
  AddLater(COORD_METHOD(fail_plan), kWrite, kPlans, &PlanCalls::FailPlan);
  AddLater(COORD_METHOD(abort_plan), kWrite, kPlans, &PlanCalls::Abort);
  AddLater(COORD_METHOD(cancel_plan), kAdmin, kPlans, &PlanCalls::Cancel);
  AddLater(COORD_METHOD(reset_plan), kAdmin, kPlans, &PlanCalls::Reset);
  AddLater(COORD_METHOD(rollback_plan), kLease, kPlans, &PlanCalls::Rollback);
  AddLater(COORD_METHOD(wait_plans), kRead, kPlans, &PlanCalls::Wait);
}

void CoordService::AddReads() {
  using coord::ReadCalls;
  constexpr auto kReads = &coord::Coordinator::reads;
  AddLater(COORD_METHOD(get_file_slices), kLongRead, kReads, &ReadCalls::Slices);
  AddNow(COORD_METHOD(get_incremental), kLongRead, kReads, &ReadCalls::Incremental);
  AddNow(COORD_METHOD(get_completion_times), kLongRead, kReads, &ReadCalls::CompletionTimes);
  AddNow(COORD_METHOD(list_versions), kLongRead, kReads, &ReadCalls::Versions);
  AddLater(COORD_METHOD(wait_for_version), kRead, kReads, &ReadCalls::WaitForVersion);
  AddNow(COORD_METHOD(explain_conflict), kRead, kReads, &ReadCalls::Explain);
  AddNow(COORD_METHOD(list_conflicts), kLongRead, kReads, &ReadCalls::Conflicts);
  AddLater(COORD_METHOD(pin_version), kRead, kReads, &ReadCalls::Pin);
  AddLater(COORD_METHOD(unpin_version), kRead, kReads, &ReadCalls::Unpin);
  AddLater(COORD_METHOD(fsck), kRead, kReads, &ReadCalls::Fsck);
}

}  // namespace catalogd::daemon
