#include "events/event_processor.h"

#include <algorithm>

namespace catalogd::events {

std::string_view ProcessorStateName(ProcessorState state) {
  switch (state) {
    case ProcessorState::kDisabled:
      return "disabled";
    case ProcessorState::kStarting:
      return "starting";
    case ProcessorState::kActive:
      return "active";
    case ProcessorState::kPaused:
      return "paused";
    case ProcessorState::kResyncing:
      return "resyncing";
    case ProcessorState::kDegraded:
      return "degraded";
  }
  return "unknown";
}

EventProcessor::EventProcessor(NotificationLog* log, EventSink* sink, const Clock* clock,
                               const Options& options)
    : log_(log), sink_(sink), clock_(clock), options_(options), random_(options.jitter_seed) {
  MutexLock lock(mutex_);
  status_.since = clock_->WallNow();
}

catalogd::Status EventProcessor::RunOnce() {
  bool resyncing = false;
  {
    MutexLock lock(mutex_);
    more_ = false;
    if (status_.state == ProcessorState::kDisabled || status_.state == ProcessorState::kPaused) {
      return Ok();
    }
    // Before StartAt, and between a log condition and the next StartAt, there is nothing to ask.
    if (!log_->running()) return Ok();
    ++status_.polls;
    status_.polling = true;
    resyncing = resync_from_log_;
  }
  const TimePoint began = clock_->Now();
  const auto at_end = PollWhileThereIsRoom();
  if (!at_end) {
    NoteFailure(at_end.error());
    return AsError(at_end.error());
  }
  NoteSuccess(*at_end, began, resyncing);
  return Ok();
}

bool EventProcessor::MayPoll() const {
  MutexLock lock(mutex_);
  return !stopping_ && status_.state != ProcessorState::kDisabled &&
         status_.state != ProcessorState::kPaused;
}

Result<bool> EventProcessor::PollWhileThereIsRoom() {
  while (MayPoll() && sink_->HasRoom()) {
    const EventId before = log_->fetched_to();
    ASSIGN_OR_RETURN(const bool at_end, log_->Poll(clock_->Now() + options_.call_timeout, 1));
    if (at_end) return true;
    // Nothing more although it is not the end: the log looked odd, or has stopped.
    if (log_->fetched_to() == before) return false;
  }
  return false;
}

void EventProcessor::NoteSuccess(bool at_end, TimePoint began, bool was_resyncing) {
  const EventId fetched = log_->fetched_to();
  const bool running = log_->running();
  MutexLock lock(mutex_);
  status_.polling = false;
  status_.last_success = clock_->Now();
  status_.latest_event_id = running ? fetched : status_.latest_event_id;
  if (at_end && running) {
    status_.end_began = began;
    status_.end_event_id = fetched;
  }
  backoff_ = {};
  more_ = !at_end;
  if (status_.state == ProcessorState::kDegraded) Enter(before_degraded_, {});
  // The sink has started the log again, and this poll was of the new one.
  if (was_resyncing && resync_from_log_ && running) {
    resync_from_log_ = false;
    if (status_.state == ProcessorState::kResyncing) Enter(ProcessorState::kActive, {});
  }
}

void EventProcessor::NoteFailure(const Error& error) {
  MutexLock lock(mutex_);
  status_.polling = false;
  ++status_.failed_polls;
  backoff_ = backoff_ == Duration{} ? options_.poll_interval
                                    : std::min<Duration>(backoff_ * 2, options_.max_backoff);
  const ProcessorState now = status_.state;
  if (now == ProcessorState::kPaused || now == ProcessorState::kDisabled) return;
  if (now != ProcessorState::kDegraded) {
    before_degraded_ = now;
    Enter(ProcessorState::kDegraded, error.message);
  }
  status_.reason = error.message;
}

void EventProcessor::Enter(ProcessorState state, const std::string& reason) {
  if (state != status_.state) status_.since = clock_->WallNow();
  status_.state = state;
  status_.reason = reason;
}

Duration EventProcessor::NextWait() {
  if (backoff_ != Duration{}) {
    // A quarter up or down, so that daemons of one metastore do not come back in step.
    constexpr uint64_t kSteps = 1000;
    const auto quarter = backoff_ / 4;
    return backoff_ - quarter +
           quarter * 2 * static_cast<Duration::rep>(random_.Below(kSteps)) /
               static_cast<Duration::rep>(kSteps);
  }
  // The tail was full, or the log looked odd: look again soon.
  return more_ ? options_.poll_interval / 10 : options_.poll_interval;
}

void EventProcessor::Run() {
  while (true) {
    // The outcome is in the state; the loop goes on whatever it was.
    const catalogd::Status polled = RunOnce();
    static_cast<void>(polled);
    MutexLock lock(mutex_);
    const TimePoint until = clock_->Now() + NextWait();
    while (!stopping_ && !kicked_ && wake_.WaitUntil(mutex_, until)) {
    }
    if (stopping_) return;
    kicked_ = false;
  }
}

void EventProcessor::Stop() {
  MutexLock lock(mutex_);
  stopping_ = true;
  wake_.NotifyAll();
}

void EventProcessor::Kick() {
  MutexLock lock(mutex_);
  kicked_ = true;
  wake_.NotifyAll();
}

void EventProcessor::SetState(ProcessorState state, const std::string& reason) {
  MutexLock lock(mutex_);
  Enter(state, reason);
  resync_from_log_ = false;
  backoff_ = {};
  kicked_ = true;
  wake_.NotifyAll();
}

EventProcessor::Status EventProcessor::status() const {
  MutexLock lock(mutex_);
  return status_;
}

void EventProcessor::OnEvents(const std::vector<EventPtr>& events) {
  sink_->Apply(PlanLanes(events));
  MutexLock lock(mutex_);
  if (!events.empty()) {
    status_.latest_event_id = std::max(status_.latest_event_id, events.back()->id);
  }
}

void EventProcessor::OnFetchedTo(EventId id) { sink_->OnFetchedTo(id); }

void EventProcessor::OnCondition(LogCondition condition, const std::string& text) {
  {
    MutexLock lock(mutex_);
    if (condition == LogCondition::kRefused) {
      // The log has not changed, we may only not read it: the failed poll says so in the state.
      return;
    }
    status_.latest_event_id = {};
    if (status_.state != ProcessorState::kPaused && status_.state != ProcessorState::kDisabled) {
      Enter(ProcessorState::kResyncing, text);
      resync_from_log_ = true;
    }
  }
  sink_->OnLogCondition(condition, text);
}

}  // namespace catalogd::events
