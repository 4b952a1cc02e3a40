#include "catalog/coord/service/commit_pipeline.h"

#include <fmt/format.h>

#include <utility>

#include "catalog/base/probes.h"
#include "catalog/coord/commit_retry.h"
#include "catalog/coord/service/commit_rows.h"
#include "catalog/coord/service/infos.h"
#include "catalog/coord/service/publication.h"

namespace catalogd::coord {
namespace {

constexpr Duration kSettleDelay = std::chrono::seconds(1);

// One commit on its way.
class CommitRun : public std::enable_shared_from_this<CommitRun> {
 public:
  CommitRun(CoordContext* context, ManagedTablePtr table, const api::CommitRequest& request,
            Done<api::CommitResult> done)
      : context_(context), table_(std::move(table)), request_(request), done_(std::move(done)) {}

  void Start() {
    TablePublisher::Lock lock;
    bool sync = false;
    CoordStatus may;
    {
      const MutexLock held(table_->mutex);
      const TableState& state = table_->state;
      may = state.MayChange();
      sync = state.options().publish == PublishMode::kSync;
      lock.table = state.name();
      lock.timeout = state.options().lock_timeout;
    }
    if (!may) return done_(AsFailure(may.error()));
    if (request_.caller.deadline_ms > 0) {
      lock.timeout = std::chrono::milliseconds(request_.caller.deadline_ms);
    }
    lock.owner = request_.plan_id != 0 ? fmt::format("completion of plan {}", request_.plan_id)
                                       : fmt::format("commit of transaction {}", request_.txn_id);
    if (sync) {
      CommitAndPublish(std::move(lock));
    } else {
      CommitOnly(std::move(lock));
    }
  }

 private:
  // publish=async: what is stored is committed.
  void CommitOnly(TablePublisher::Lock lock) {
    context_->publisher->UnderLock(
        std::move(lock), [self = shared_from_this()](const Status& locked) {
          if (!locked) return self->done_(AsFailure(FailureOf(locked.error(), "commit")));
          if (const auto failed = self->StoreAtOnce()) self->done_(AsFailure(*failed));
        });
  }

  std::optional<CoordFailure> StoreAtOnce() {
    const MutexLock lock(table_->mutex);
    TableState& state = table_->state;
    auto commit = PrepareCommit(context_, &state, request_);
    if (!commit) return commit.error();
    const auto self = shared_from_this();
    if (commit->failure) {
      StoreRefusal(std::move(*commit));
      return std::nullopt;
    }
    if (commit->repeated) {
      table_->Store({}, [self, result = *commit->repeated](const CoordStatus& stored) {
        stored ? self->done_(result) : self->done_(AsFailure(stored.error()));
      });
      return std::nullopt;
    }
    CommitPrepared(&commit->batch, WallMillis(*context_->clock));
    Note(*commit);
    table_->Store(std::move(commit->batch), [self](const CoordStatus& stored) {
      if (!stored) return self->done_(AsFailure(stored.error()));
      self->Answer();
      PublishSoon(self->context_, self->table_);
    });
    return std::nullopt;
  }

  void StoreRefusal(PreparedCommit commit) REQUIRES(table_->mutex) {
    table_->Store(std::move(commit.batch),
                  [self = shared_from_this(), failure = *commit.failure](const CoordStatus&) {
                    self->done_(AsFailure(failure));
                  });
  }

  // publish=sync: what is in the metastore is committed.
  void CommitAndPublish(TablePublisher::Lock lock) {
    const auto self = shared_from_this();
    context_->publisher->UnderWrite(
        std::move(lock), [self](TimePoint deadline) { return self->Body(deadline); },
        [self](const Result<EventId>& end) { self->OnEnd(end); });
  }

  Status Body(TimePoint deadline) {
    const CoordStatus done = PrepareAndPublish(deadline);
    if (done) return Ok();
    failure_ = done.error();
    // What the metastore may have done to the table is not known only in one case.
    const bool unknown = sent_ && failure_->code == CoordCode::kCommitStateUnknown;
    return MakeError(unknown ? ErrorCode::kUnknownOutcome : ErrorCode::kConflict,
                     failure_->message);
  }

  CoordStatus PrepareAndPublish(TimePoint deadline) {
    std::optional<CoordFailure> refused;
    std::string expected;
    Publication publication;
    const std::string nonce = NewNonce();
    const CoordStatus prepared =
        table_->StoreNow([&](TableState* state) -> CoordResult<StoreBatch> {
          COORD_ASSIGN_OR_RETURN(PreparedCommit commit, PrepareCommit(context_, state, request_));
          if (commit.failure) {
            refused = std::move(commit.failure);
            return std::move(commit.batch);
          }
          if (commit.repeated) {
            repeated_ = std::move(commit.repeated);
            return StoreBatch();
          }
          Note(commit);
          commit.batch.emplace_back(
              PublishRecord{table_->id(), version_, nonce, PublishState::kPending, {}, 0, ""});
          expected = PublishedText(*state);
          return std::move(commit.batch);
        });
    if (!prepared) return OnNotPrepared(prepared.error());
    if (refused) return AsFailure(std::move(*refused));
    if (repeated_) return {};
    context_->AtStep("prepared");
    {
      const MutexLock lock(table_->mutex);
      publication = MakePublication(table_->state, version_, nonce, table_->state.record().epoch);
    }
    publication.expected = expected;
    return PublishRounds(std::move(publication), deadline);
  }

  // The store failed in the prepared step: what it has now is found out by reading it again, and a
  // prepared commit in it can be undone, since nothing was sent.
  CoordStatus OnNotPrepared(const CoordFailure& failure) {
    if (failure.code == CoordCode::kCommitStateUnknown) {
      SettleSoon(context_, table_, kSettleDelay);
    }
    return AsFailure(failure);
  }

  static std::string PublishedText(const TableState& state) {
    const auto& published = state.published();
    if (!published) return "";
    return PublishedState{state.id(), state.record().epoch, published->version, published->nonce}
        .Text();
  }

  CoordStatus PublishRounds(Publication publication, TimePoint deadline) {
    ObjectName name;
    RetryOptions retry;
    {
      const MutexLock lock(table_->mutex);
      name = table_->state.name();
      retry = table_->state.options().retry;
    }
    for (int round = 1;; ++round) {
      sent_ = true;
      const Status published = context_->publisher->Publish(name, publication, deadline);
      context_->AtStep("published");
      if (published) return Settled();
      const ErrorCode code = published.error().code;
      if (code == ErrorCode::kUnknownOutcome || code == ErrorCode::kTimedOut ||
          code == ErrorCode::kCorrupt) {
        return Unknown(published.error());
      }
      if (code != ErrorCode::kConflict || round >= retry.max_rounds) {
        return Undone(published.error());
      }
      COORD_ASSIGN_OR_RETURN(const Seen seen, LookAgain(name, deadline));
      if (seen.standing == Standing::kPrepared) return Settled();
      publication.expected = seen.text;
      if (seen.text.empty()) publication.expected.reset();
    }
  }

  // Somebody else has written the parameter.
  CoordResult<Seen> LookAgain(const ObjectName& name, TimePoint deadline) {
    const auto table = context_->publisher->Read(name, deadline);
    if (!table) {
      COORD_RETURN_IF_FAILED(Undone(table.error()));
      return Fail(CoordCode::kInternal, "?");
    }
    CoordStatus may;
    Seen seen;
    {
      const MutexLock lock(table_->mutex);
      seen = Judge(table_->state, *table);
      may = TakeStanding(context_, table_.get(), seen);
    }
    if (may) return seen;
    // Whatever the reason: this commit was not published and never will be.
    const CoordStatus undone = SettleUndone(table_.get(), std::nullopt);
    return AsFailure(undone ? may.error() : undone.error());
  }

  CoordStatus Settled() {
    const CoordStatus settled = SettleCommitted(table_.get());
    context_->AtStep("settled");
    if (settled) {
      context_->counters.publications.fetch_add(1, std::memory_order_relaxed);
      return {};
    }
    // It is in the metastore, so it is committed; the store will learn it.
    SettleSoon(context_, table_, kSettleDelay);
    return Fail(CoordCode::kCommitStateUnknown,
                "the commit is published and could not be stored yet; ask with GetTxn: " +
                    settled.error().message);
  }

  // Nothing was changed in the metastore.
  CoordStatus Undone(const Error& error) {
    context_->counters.publish_failures.fetch_add(1, std::memory_order_relaxed);
    const CoordStatus undone = SettleUndone(table_.get(), std::nullopt);
    if (!undone) SettleSoon(context_, table_, kSettleDelay);
    const bool gone = error.code == ErrorCode::kNotFound;
    return Fail(gone ? CoordCode::kTableGone : CoordCode::kMetastoreFailed,
                "the commit could not be published and was undone, so that it may be sent again: " +
                    error.message);
  }

  CoordStatus Unknown(const Error& error) {
    MARK("coord.unknown_outcome");
    context_->counters.unknown_outcomes.fetch_add(1, std::memory_order_relaxed);
    const CoordStatus unknown = SettleUnknown(table_.get());
    SettleSoon(context_, table_, unknown ? Duration{} : kSettleDelay);
    return Fail(CoordCode::kCommitStateUnknown,
                "the metastore's answer to the publication was lost; whether the commit is there "
                "is being found out: ask with GetTxn, do not commit again: " +
                    error.message);
  }

  void Note(const PreparedCommit& commit) {
    txn_id_ = commit.txn_id;
    version_ = commit.version;
    rebased_ = commit.rebased;
  }

  void OnEnd(const Result<EventId>& end) {
    if (failure_) return done_(AsFailure(std::move(*failure_)));
    if (!end) {  // The body did not run, or what it did could not be told.
      return done_(AsFailure(FailureOf(end.error(), "commit")));
    }
    if (repeated_) return done_(std::move(*repeated_));
    NoteEvent(*end);
    event_ = *end;
    Answer();
  }

  // Nobody waits for it: it says where the publication is in the log, and decides nothing.
  void NoteEvent(EventId event) {
    if (event.value() == 0) return;
    const MutexLock lock(table_->mutex);
    const TxnRecord* txn = table_->state.FindTxn(txn_id_);
    if (txn == nullptr) return;
    TxnRecord noted = *txn;
    noted.event_id = event.value();
    table_->Store({std::move(noted)}, [](const CoordStatus&) {});
  }

  void Answer() {
    api::CommitResult result;
    {
      const MutexLock lock(table_->mutex);
      const TxnRecord* txn = table_->state.FindTxn(txn_id_);
      if (txn == nullptr) {
        result.id_version = version_.value();
      } else {
        result = MakeCommitResult(table_->state, *txn);
      }
    }
    result.rebased = rebased_;
    context_->counters.committed.fetch_add(1, std::memory_order_relaxed);
    if (rebased_) context_->counters.rebased.fetch_add(1, std::memory_order_relaxed);
    if (request_.plan_id != 0) {
      context_->counters.plans_completed.fetch_add(1, std::memory_order_relaxed);
    }
    done_(std::move(result));
    table_->Wake();
    if (context_->after_commit) {
      context_->workers->SubmitAlways(
          [context = context_, table = table_] { context->after_commit(table); });
    }
  }

  CoordContext* const context_;
  const ManagedTablePtr table_;
  const api::CommitRequest request_;
  const Done<api::CommitResult> done_;
  // Of the thread that runs the body; then of the one that ends it.
  int64_t txn_id_ = 0;
  IdVersion version_;
  bool rebased_ = false;
  bool sent_ = false;
  EventId event_;
  std::optional<api::CommitResult> repeated_;
  std::optional<CoordFailure> failure_;
};

}  // namespace

void CommitToTable(CoordContext* context, const ManagedTablePtr& table,
                   const api::CommitRequest& request, Done<api::CommitResult> done) {
  std::make_shared<CommitRun>(context, table, request, std::move(done))->Start();
}

}  // namespace catalogd::coord
