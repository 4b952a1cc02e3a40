#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "catalog/base/clock.h"
#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"
#include "catalog/base/random.h"
#include "events/event_sink.h"
#include "events/notification_log.h"

namespace catalogd::events {

enum class ProcessorState {
  kDisabled,  // Pure proxy: nothing is followed.
  kStarting,  // Names are being listed.
  kActive,
  kPaused,     // By an operator.
  kResyncing,  // The log changed; names are being listed again.
  kDegraded,   // The metastore is away or refuses: reason and since when; tries again by itself.
};
std::string_view ProcessorStateName(ProcessorState state);

// Polls the log, plans lanes and hands them to the sink. RunOnce is one round, for tests and the
// simulator; Run is the loop around it.
//
// States: whoever wires the daemon enters them with SetState; by itself the processor only goes to
// kDegraded and back to the state before, and to kResyncing on a log condition and on to kActive
// with the first good poll after the log has been started again. It polls in every state but
// kDisabled and kPaused, as soon as the log has been started.
// Thread safety: yes. Errors: a failing poll makes the state kDegraded and is tried again with
// back-off; following never stops for good.
class EventProcessor final : public LogListener {
 public:
  struct Options {
    Duration poll_interval = std::chrono::milliseconds(500);
    Duration call_timeout = std::chrono::seconds(30);
    Duration max_backoff = std::chrono::seconds(10);
    uint64_t jitter_seed = 0;  // Of the back-off after failures.
  };
  struct Status {
    ProcessorState state = ProcessorState::kDisabled;
    std::string reason;  // Of degraded, disabled.
    WallTime since;      // When the state was entered.
    uint64_t polls = 0;
    uint64_t failed_polls = 0;
    bool polling = false;    // A poll is under way. While paused or disabled, none begins.
    TimePoint last_success;  // Of a poll.
    // The server's newest id as far as we know.
    EventId latest_event_id;
    // The newest poll that found the end of the log: when it began, and an id that no event of
    // before then is above.
    TimePoint end_began;
    EventId end_event_id;
  };

  EventProcessor(NotificationLog* log, EventSink* sink, const Clock* clock, const Options& options);

  catalogd::Status RunOnce();
  // Until Stop: RunOnce, then waits for the poll interval or a Kick.
  void Run();
  void Stop();
  // Polls at once (a waiter or an operator wants it).
  void Kick();
  void SetState(ProcessorState state, const std::string& reason);
  [[nodiscard]] Status status() const;

  void OnEvents(const std::vector<EventPtr>& events) override;
  void OnFetchedTo(EventId id) override;
  void OnCondition(LogCondition condition, const std::string& text) override;

 private:
  // Polls batch by batch while the sink has room: true when the log's end has been reached.
  Result<bool> PollWhileThereIsRoom();
  [[nodiscard]] bool MayPoll() const;
  void NoteFailure(const Error& error);
  void NoteSuccess(bool at_end, TimePoint began, bool was_resyncing);
  void Enter(ProcessorState state, const std::string& reason) REQUIRES(mutex_);
  Duration NextWait() REQUIRES(mutex_);

  NotificationLog* const log_;
  EventSink* const sink_;
  const Clock* const clock_;
  const Options options_;

  mutable Mutex mutex_{LockRank::kProcessor};
  CondVar wake_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool kicked_ GUARDED_BY(mutex_) = false;
  Status status_ GUARDED_BY(mutex_);
  Duration backoff_ GUARDED_BY(mutex_){};
  Random random_ GUARDED_BY(mutex_);
  // The last poll left something behind.
  bool more_ GUARDED_BY(mutex_) = false;
  ProcessorState before_degraded_ GUARDED_BY(mutex_) = ProcessorState::kActive;
  // kResyncing was entered by OnCondition, not by SetState.
  bool resync_from_log_ GUARDED_BY(mutex_) = false;
};

}  // namespace catalogd::events
