#include <fmt/format.h>
#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "catalog/coord/service/commit_rows.h"
#include "catalog/coord/service/publication.h"

// What runs in the background until the metastore and the store agree again.
namespace catalogd::coord {
namespace {

constexpr Duration kFirstDelay = std::chrono::milliseconds(200);
constexpr Duration kMaxDelay = std::chrono::seconds(10);

// One job that is tried until it ends, each time as a write of the table's name.
class Work : public std::enable_shared_from_this<Work> {
 public:
  Work(CoordContext* context, ManagedTablePtr table, std::function<void()> then)
      : context_(context), table_(std::move(table)), then_(std::move(then)) {}
  virtual ~Work() = default;

  void RunAfter(Duration delay) {
    context_->timer->At(context_->clock->Now() + delay, [self = shared_from_this()] {
      self->context_->workers->SubmitAlways([self] { self->Run(); });
    });
  }

  void Run() {
    if (context_->stopping.load()) return;
    TablePublisher::Lock lock;
    {
      const MutexLock held(table_->mutex);
      lock.table = table_->state.name();
      lock.timeout = table_->state.options().lock_timeout;
    }
    lock.owner = Name();
    context_->publisher->UnderWrite(
        std::move(lock),
        [self = shared_from_this()](TimePoint deadline) { return self->Try(deadline); },
        [self = shared_from_this()](const Result<EventId>& end) { self->OnTried(end); });
  }

 protected:
  [[nodiscard]] virtual std::string Name() const = 0;
  // OK: it is done. kUnavailable and the like: once more, later.
  virtual Status Try(TimePoint deadline) = 0;
  virtual void OnEnd(EventId event) = 0;

  CoordContext* context() const { return context_; }
  ManagedTable& table() const { return *table_; }
  const ManagedTablePtr& table_ptr() const { return table_; }

 private:
  void OnTried(const Result<EventId>& end) {
    if (!end) {
      LOG(WARNING) << Name() << " of table " << table_->id()
                   << " is tried again: " << end.error().ToString();
      RunAfter(delay_);
      delay_ = std::min(delay_ * 2, kMaxDelay);
      return;
    }
    OnEnd(*end);
    if (then_) then_();
    table_->Wake();
  }

  CoordContext* const context_;
  const ManagedTablePtr table_;
  const std::function<void()> then_;
  Duration delay_ = kFirstDelay;
};

Status AsStatus(const CoordStatus& status) {
  if (status) return Ok();
  return MakeError(ErrorCode::kUnavailable, status.error().message);
}

// Ends of themselves: there is nothing left that could be done for this table from here.
Status Over(ManagedTable* table, const CoordStatus& why) {
  LOG(WARNING) << "table " << table->id() << ": " << why.error().message;
  return Ok();
}

class Settle final : public Work {
 public:
  using Work::Work;

 protected:
  [[nodiscard]] std::string Name() const override { return "settling a commit"; }

  Status Try(TimePoint deadline) override {
    ObjectName name;
    {
      const MutexLock lock(table().mutex);
      if (!PreparedTxn(table().state)) return Ok();
      name = table().state.name();
    }
    const auto seen_table = context()->publisher->Read(name, deadline);
    if (!seen_table && seen_table.error().code == ErrorCode::kNotFound) return Gone();
    if (!seen_table) return AsError(seen_table.error());
    Seen seen;
    {
      const MutexLock lock(table().mutex);
      seen = Judge(table().state, *seen_table);
      const CoordStatus may = TakeStanding(context(), &table(), seen);
      if (!may) return AbandonPrepared(may);
    }
    if (seen.standing == Standing::kPrepared) return AsStatus(SettleCommitted(&table()));
    return Bump(name, seen, deadline);
  }

  void OnEnd(EventId) override {
    const MutexLock lock(table().mutex);
    table().background.settling = false;
    if (table().state.hold() == TableHold::kRecovering) table().state.SetHold(TableHold::kNone, "");
  }

 private:
  // The request whose answer was lost may still arrive: another value makes it fail.
  Status Bump(const ObjectName& name, const Seen& seen, TimePoint deadline) {
    const std::string nonce = NewNonce();
    Publication publication;
    IdVersion version;
    {
      const MutexLock lock(table().mutex);
      version = table().state.record().row.id_version;
      publication = MakePublication(table().state, version, nonce, table().state.record().epoch);
    }
    if (!seen.text.empty()) publication.expected = seen.text;
    RETURN_IF_ERROR(context()->publisher->Publish(name, publication, deadline));
    return AsStatus(SettleUndone(
        &table(), PublishRecord{table().id(), version, nonce, PublishState::kDone, {}, 1, ""}));
  }

  // The table is gone: what was prepared can never be published.
  Status Gone() {
    const CoordStatus undone = SettleUndone(&table(), std::nullopt);
    return AsStatus(undone);
  }

  Status AbandonPrepared(const CoordStatus& why) REQUIRES(table().mutex) {
    StoreBatch batch = UndoBatch(table().state, std::nullopt);
    table().Store(std::move(batch), [](const CoordStatus&) {});
    return Over(&table(), why);
  }
};

class Publish final : public Work {
 public:
  Publish(CoordContext* context, ManagedTablePtr table, PublishWhy why, std::function<void()> then)
      : Work(context, std::move(table), std::move(then)), why_(why) {}

 protected:
  [[nodiscard]] std::string Name() const override { return "publishing versions"; }

  Status Try(TimePoint deadline) override {
    ObjectName name;
    {
      const MutexLock lock(table().mutex);
      const bool held = !table().state.MayChange() && table().state.hold() == TableHold::kNone;
      if (held && why_ != PublishWhy::kOverride) return Ok();
      if (PreparedTxn(table().state)) return Ok();  // It will publish more than this would.
      name = table().state.name();
    }
    const auto seen_table = context()->publisher->Read(name, deadline);
    if (!seen_table && seen_table.error().code == ErrorCode::kNotFound) return Ok();
    if (!seen_table) return AsError(seen_table.error());
    Seen seen;
    CoordStatus prepared;
    {
      const MutexLock lock(table().mutex);
      seen = Judge(table().state, *seen_table);
      if (why_ != PublishWhy::kOverride) prepared = TakeStanding(context(), &table(), seen);
    }
    if (!prepared) return EndOrAgain(prepared);
    Publication publication;
    PublishRecord sent{table().id(), {}, NewNonce(), PublishState::kSent, {}, 1, ""};
    prepared = table().StoreNow([&](TableState* state) -> CoordResult<StoreBatch> {
      const bool always = why_ != PublishWhy::kNewest;
      epoch_ = std::max(state->record().epoch, seen.state.epoch) + (always ? 1 : 0);
      sent.version = state->record().row.id_version;
      const bool newest = seen.standing == Standing::kAsKnown && seen.state.version == sent.version;
      if (newest && !always) return StoreBatch();
      publication = MakePublication(*state, sent.version, sent.nonce, epoch_);
      // Stored before it is sent: an epoch above the stored one is never our own.
      TableRecord record = state->record();
      record.epoch = epoch_;
      return StoreBatch{record, sent};
    });
    if (!prepared) return EndOrAgain(prepared);
    if (publication.parameters.empty()) return Ok();
    if (!seen.text.empty()) publication.expected = seen.text;
    const Status published = context()->publisher->Publish(name, publication, deadline);
    context()->counters.publications.fetch_add(1, std::memory_order_relaxed);
    if (!published) {
      context()->counters.publish_failures.fetch_add(1, std::memory_order_relaxed);
      return published;
    }
    return Done(sent);
  }

  void OnEnd(EventId) override {
    bool again = false;
    {
      const MutexLock lock(table().mutex);
      again = std::exchange(table().background.publish_again, false);
      table().background.publishing = again;
    }
    if (again)
      std::make_shared<Publish>(context(), table_ptr(), PublishWhy::kNewest, nullptr)->RunAfter({});
  }

 private:
  Status EndOrAgain(const CoordStatus& failed) {
    if (CoordIsRetryable(failed.error().code)) return AsStatus(failed);
    return Over(&table(), failed);
  }

  Status Done(PublishRecord sent) {
    sent.state = PublishState::kDone;
    return AsStatus(table().StoreNow([&](TableState* state) -> CoordResult<StoreBatch> {
      TableRecord record = state->record();
      record.nonce = sent.nonce;
      if (why_ == PublishWhy::kOverride) {
        record.corrupt = false;
        state->SetHold(TableHold::kNone, "");
      }
      return StoreBatch{record, sent};
    }));
  }

  const PublishWhy why_;
  int64_t epoch_ = 0;
};

}  // namespace

void SettleSoon(CoordContext* context, const ManagedTablePtr& table, Duration delay,
                std::function<void()> then) {
  {
    const MutexLock lock(table->mutex);
    if (table->background.settling) return;
    table->background.settling = true;
  }
  std::make_shared<Settle>(context, table, std::move(then))->RunAfter(delay);
}

void PublishSoon(CoordContext* context, const ManagedTablePtr& table, PublishWhy why,
                 std::function<void()> then) {
  {
    const MutexLock lock(table->mutex);
    if (table->background.publishing) {
      table->background.publish_again = true;
      return;
    }
    table->background.publishing = true;
  }
  std::make_shared<Publish>(context, table, why, std::move(then))->RunAfter({});
}

}  // namespace catalogd::coord
