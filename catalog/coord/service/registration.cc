#include <fmt/format.h>

#include <utility>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/infos.h"
#include "catalog/coord/service/publication.h"
#include "catalog/coord/service/table_info.h"

namespace catalogd::coord {
namespace {

constexpr Duration kLockTimeout = std::chrono::seconds(30);

// One registration on its way.
class Registration : public std::enable_shared_from_this<Registration> {
 public:
  Registration(CoordContext* context, const api::RegisterTableRequest& request,
               Done<api::CoordTable> done)
      : context_(context), request_(request), done_(std::move(done)) {}

  void Start() {
    if (const CoordStatus read = ReadRequest(); !read) return done_(AsFailure(read.error()));
    TablePublisher::Lock lock;
    lock.table = name_;
    lock.owner = "registration for coordination";
    lock.timeout = request_.caller.deadline_ms > 0
                       ? Duration(std::chrono::milliseconds(request_.caller.deadline_ms))
                       : kLockTimeout;
    const auto self = shared_from_this();
    context_->publisher->UnderWrite(
        std::move(lock), [self](TimePoint deadline) { return self->Body(deadline); },
        [self](const Result<EventId>& end) { self->OnEnd(end); });
  }

 private:
  CoordStatus ReadRequest() {
    const auto name = ParseObjectName(request_.caller.table);
    if (!name || !name->is_table()) {
      return Fail(CoordCode::kInvalidArgument,
                  "'" + request_.caller.table + "' is no table: write db.table");
    }
    name_ = *name;
    COORD_ASSIGN_OR_RETURN(record_.type, ParseTableType(request_.type));
    COORD_ASSIGN_OR_RETURN(record_.policy, ParsePolicy(request_.policy));
    for (const auto& [option, value] : request_.table_options) {
      if (IsInternalOption(option)) {
        return Fail(CoordCode::kInvalidArgument,
                    "the table option '" + option + "' is the daemon's");
      }
    }
    const auto options = WithOptions({}, request_.table_options);
    if (!options) return AsFailure(FailureOf(options.error(), "options"));
    return {};
  }

  Status Body(TimePoint deadline) {
    const CoordStatus made = MakeTable(deadline);
    if (made) return Ok();
    failure_ = made.error();
    const bool unknown = failure_->code == CoordCode::kCommitStateUnknown;
    return MakeError(unknown ? ErrorCode::kUnknownOutcome : ErrorCode::kConflict,
                     failure_->message);
  }

  CoordStatus MakeTable(TimePoint deadline) {
    if (const ManagedTablePtr there = context_->tables.FindName(name_)) {
      CoordStatus failed =
          Fail(CoordCode::kAlreadyRegistered, name_.ToString() + " is registered already");
      failed.error().details["table_id"] = there->id();
      return failed;
    }
    const auto seen = context_->publisher->Read(name_, deadline);
    if (!seen) return AsFailure(FailureOf(seen.error(), name_.ToString()));
    COORD_RETURN_IF_FAILED(LookAtOwner(*seen));
    COORD_RETURN_IF_FAILED(LookAtMetastore(*seen, deadline));
    FillRecord(*seen);
    return StoreAndPublish(deadline);
  }

  CoordStatus LookAtOwner(const PublishedTable& seen) {
    const auto parameter = seen.parameters.find(std::string(kStateParameter));
    if (parameter == seen.parameters.end()) return {};
    expected_ = parameter->second;
    const auto state = PublishedState::Parse(parameter->second);
    if (!state) return {};
    record_.epoch = state->epoch;
    if (request_.take_over || context_->tables.Find(state->table_id)) return {};
    return Fail(CoordCode::kNotOwner,
                fmt::format("{} is coordinated by another daemon (epoch {}, its id there is {}); "
                            "register it with take_over to take it from there",
                            name_.ToString(), state->epoch, state->table_id));
  }

  CoordStatus LookAtMetastore(const PublishedTable& seen, TimePoint deadline) {
    const auto compares = context_->publisher->Compares(name_, deadline);
    if (!compares) return AsFailure(FailureOf(compares.error(), "probe of the metastore"));
    std::map<std::string, std::string> values = request_.table_options;
    values["cas"] = *compares ? "true" : "false";
    values.try_emplace("partitioned", seen.partitioned ? "true" : "false");
    if (!seen.incarnation.empty()) values["incarnation"] = seen.incarnation;
    if (!*compares && !request_.accept_no_cas) {
      return Fail(CoordCode::kUnsupportedLayout,
                  "this metastore does not compare a parameter before it alters a table, so a "
                  "second daemon would not be noticed; register with accept_no_cas if this is the "
                  "only one");
    }
    if (!*compares) values.try_emplace("publish", "async");
    auto options = WithOptions({}, values);
    if (!options) return AsFailure(FailureOf(options.error(), "options"));
    options_ = std::move(*options);
    return {};
  }

  void FillRecord(const PublishedTable& seen) {
    record_.row.table_id = NewTableId();
    record_.catalog = name_.catalog();
    record_.db = name_.db();
    record_.name = name_.table();
    record_.base_path = request_.base_path.empty() ? seen.location : request_.base_path;
    record_.epoch += 1;
    record_.nonce = NewNonce();
    record_.options = OptionsToJson(options_);
    options_.check.matrix.policy = record_.policy;
  }

  // Stored first: a daemon that is killed in between publishes it after its start.
  CoordStatus StoreAndPublish(TimePoint deadline) {
    TableState state(record_);
    state.SetOptions(options_);
    state.SetHold(TableHold::kRecovering, "it is being registered");
    table_ = std::make_shared<ManagedTable>(std::move(state), context_->Ways());
    if (!context_->tables.Add(table_, name_, true)) {
      return Fail(CoordCode::kAlreadyRegistered, name_.ToString() + " is registered already");
    }
    PublishRecord publication{table_->id(), {}, record_.nonce, PublishState::kPending, {}, 0, ""};
    const AuditRecord audit{request_.caller.owner, "register " + name_.ToString(), table_->id(),
                            WallMillis(*context_->clock), "OK"};
    const CoordStatus stored = table_->StoreNow([&](TableState*) -> CoordResult<StoreBatch> {
      return StoreBatch{record_, publication, audit};
    });
    if (!stored) return GiveUp(stored.error());
    context_->AtStep("registered");
    Publication parameters;
    {
      const MutexLock lock(table_->mutex);
      parameters = MakePublication(table_->state, {}, record_.nonce, record_.epoch);
    }
    parameters.expected = expected_;
    const Status published = context_->publisher->Publish(name_, parameters, deadline);
    if (!published) return GiveUp(FailureOf(published.error(), "publication"));
    publication.state = PublishState::kDone;
    return table_->StoreNow([&](TableState* mine) -> CoordResult<StoreBatch> {
      mine->SetHold(TableHold::kNone, "");
      return StoreBatch{publication};
    });
  }

  CoordStatus GiveUp(const CoordFailure& failure) {
    context_->tables.Deactivate(table_->id(), name_);
    const CoordStatus dropped = table_->StoreNow([](TableState* state) -> CoordResult<StoreBatch> {
      TableRecord record = state->record();
      record.row.dropped = true;
      return StoreBatch{record};
    });
    static_cast<void>(dropped);  // Then a start finds a table that was never published.
    return AsFailure(failure);
  }

  void OnEnd(const Result<EventId>& end) {
    if (failure_) return done_(AsFailure(std::move(*failure_)));
    if (!end) return done_(AsFailure(FailureOf(end.error(), "register")));
    api::CoordTable info;
    {
      const MutexLock lock(table_->mutex);
      info = MakeCoordTable(table_->state, *context_->clock);
    }
    done_(std::move(info));
  }

  CoordContext* const context_;
  const api::RegisterTableRequest request_;
  const Done<api::CoordTable> done_;
  ObjectName name_;
  TableRecord record_;
  TableOptions options_;
  std::optional<std::string> expected_;
  ManagedTablePtr table_;
  std::optional<CoordFailure> failure_;
};

}  // namespace

void TableCalls::Register(const api::RegisterTableRequest& request, Done<api::CoordTable> done) {
  std::make_shared<Registration>(context_, request, std::move(done))->Start();
}

}  // namespace catalogd::coord
