#include "catalog/coord/service/managed_table.h"

#include <glog/logging.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <utility>

namespace catalogd::coord {
namespace {

constexpr Duration kFirstDelay = std::chrono::milliseconds(100);
constexpr Duration kMaxDelay = std::chrono::seconds(10);

CoordFailure StoreFailure(const Error& error) {
  const bool unknown = error.code == ErrorCode::kUnknownOutcome;
  return {unknown ? CoordCode::kCommitStateUnknown : CoordCode::kStoreFailed,
          "the coordination store: " + error.message +
              (unknown ? "; ask for the state before trying again" : "; nothing was changed"),
          kFirstDelay,
          {}};
}

}  // namespace

void ManagedTable::Store(StoreBatch batch, std::function<void(CoordStatus)> done) {
  for (const StoreChange& change : batch) state.Apply(change);
  const IdVersion version = state.record().row.id_version;
  ways_.writer->Write(id_, std::move(batch),
                      [self = shared_from_this(), version, done = std::move(done)](Status status) {
                        self->OnStored(version, status, done);
                      });
}

CoordStatus ManagedTable::StoreNow(
    const std::function<CoordResult<StoreBatch>(TableState*)>& make) {
  auto answer = std::make_shared<std::promise<CoordStatus>>();
  std::future<CoordStatus> stored = answer->get_future();
  {
    const MutexLock lock(mutex);
    COORD_ASSIGN_OR_RETURN(StoreBatch batch, make(&state));
    Store(std::move(batch), [answer](CoordStatus status) { answer->set_value(std::move(status)); });
  }
  return stored.get();
}

void ManagedTable::OnStored(IdVersion version, const Status& status,
                            const std::function<void(CoordStatus)>& done) {
  if (status) {
    {
      const MutexLock lock(mutex);
      state.RaiseDurable(version);
    }
    done({});
    Wake();
    return;
  }
  bool first = false;
  {
    const MutexLock lock(mutex);
    first = state.hold() != TableHold::kRecovering;
    state.SetHold(
        TableHold::kRecovering,
        "the store could not write a change, and is read again: " + status.error().message);
  }
  LOG(ERROR) << "coordination of table " << id_ << ": " << status.error().ToString();
  if (first)
    ways_.workers->SubmitAlways([self = shared_from_this()] { self->ReadAgain(kFirstDelay); });
  done(AsFailure(StoreFailure(status.error())));
}

void ManagedTable::ReadAgain(Duration delay) {
  auto content = ways_.writer->Reload(id_);
  Result<TableState> fresh = MakeError(ErrorCode::kInternal, "");
  if (content) {
    fresh = TableState::FromStore(std::move(*content), ways_.clock->Now());
  } else {
    fresh = AsError(content.error());
  }
  if (!fresh && fresh.error().code == ErrorCode::kCancelled) return;  // The daemon is stopping.
  if (!fresh) {
    LOG(ERROR) << "coordination of table " << id_ << " stays held: " << fresh.error().ToString();
    ways_.timer->At(ways_.clock->Now() + delay, [self = shared_from_this(), delay] {
      self->ways_.workers->SubmitAlways(
          [self, delay] { self->ReadAgain(std::min(delay * 2, kMaxDelay)); });
    });
    return;
  }
  {
    const MutexLock lock(mutex);
    state = std::move(*fresh);
    // From here on memory and file agree again; what is handed over next is decided on it.
    ways_.writer->Resume(id_);
  }
  LOG(INFO) << "coordination of table " << id_ << " goes on from what the store has";
  Wake();
}

}  // namespace catalogd::coord
