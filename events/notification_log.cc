#include "events/notification_log.h"

#include <algorithm>
#include <utility>

#include "catalog/base/probes.h"
#include "events/event_decoder.h"

namespace catalogd::events {
namespace {

constexpr size_t kRecent = 1000;
// Larger events are remembered for people without their images.
constexpr size_t kRecentBytes = 16U << 10U;

EventId Minus(EventId id, int64_t count) {
  return EventId(std::max<int64_t>(id.value() - count, 0));
}

std::string Id(EventId id) { return std::to_string(id.value()); }

EventPtr ForRecent(const EventPtr& event) {
  if (event->bytes <= kRecentBytes) return event;
  auto slim = std::make_shared<Event>();
  slim->id = event->id;
  slim->kind = event->kind;
  slim->type = event->type;
  slim->time = event->time;
  slim->name = event->name;
  slim->old_name = event->old_name;
  slim->problem = event->problem;
  slim->truncate = event->truncate;
  slim->columns_changed = event->columns_changed;
  slim->function = event->function;
  slim->fingerprint = event->fingerprint;
  return slim;
}

// `late`: its id, or a greater one, has been seen before, so its names may be beyond it.
EventPtr Decode(const hms::NotificationEvent& row, bool late, bool fingerprint) {
  DecoderLimits limits;
  limits.fingerprint = fingerprint;
  Event event = DecodeEvent(row, limits);
  event.late = late;
  return std::make_shared<const Event>(std::move(event));
}

}  // namespace

std::string_view LogConditionName(LogCondition condition) {
  switch (condition) {
    case LogCondition::kNormal:
      return "normal";
    case LogCondition::kHole:
      return "hole";
    case LogCondition::kWentBack:
      return "went back";
    case LogCondition::kOtherLog:
      return "other log";
    case LogCondition::kRefused:
      return "refused";
    case LogCondition::kUnordered:
      return "unordered";
  }
  return "unknown";
}

// The right to fetch: one at a time.
class NotificationLog::Fetching {
 public:
  explicit Fetching(NotificationLog* log) : log_(log) {}
  ~Fetching() {
    if (!held_) return;
    MutexLock lock(log_->mutex_);
    log_->fetching_ = false;
    log_->fetch_done_.NotifyAll();
  }
  Fetching(const Fetching&) = delete;
  Fetching& operator=(const Fetching&) = delete;

  Status Acquire(TimePoint deadline) {
    MutexLock lock(log_->mutex_);
    while (log_->fetching_) {
      if (!log_->fetch_done_.WaitUntil(log_->mutex_, deadline) && log_->fetching_) {
        return MakeError(ErrorCode::kTimedOut,
                         "the notification log is being fetched by another request, which did not "
                         "finish in time; try again");
      }
    }
    log_->fetching_ = true;
    held_ = true;
    return Ok();
  }

 private:
  NotificationLog* const log_;
  bool held_ = false;
};

NotificationLog::NotificationLog(hms::Metastore* metastore, const Clock* clock,
                                 const Options& options)
    : metastore_(metastore),
      clock_(clock),
      options_(options),
      reread_window_(std::max(options.reread_window, 0)) {}

void NotificationLog::SetListener(LogListener* listener) { listener_ = listener; }

void NotificationLog::StartAt(EventId position, int reread_window,
                              std::optional<uint64_t> fingerprint) {
  std::deque<EventPtr> old_tail;
  MutexLock lock(mutex_);
  // A fetch that is under way notices the generation and throws its rows away.
  ++generation_;
  while (delivering_) fetch_done_.Wait(mutex_);
  running_ = true;
  if (reread_window >= 0) reread_window_ = reread_window;
  odd_ = LogCondition::kNormal;
  seen_.clear();
  if (fingerprint) seen_.emplace_back(position, *fingerprint);
  // Of what lies below the position nothing is known yet.
  learning_ = !fingerprint || reread_window_ > 0;
  old_tail.swap(tail_);
  recent_.clear();
  trimmed_to_ = entered_to_ = fetched_to_ = watermark_ = whole_to_ = position;
  newest_fingerprint_ = fingerprint;
  whole_at_ = TimePoint{};
  stats_.events = 0;
  stats_.bytes = 0;
  fetch_done_.NotifyAll();
}

void NotificationLog::Stop() {
  MutexLock lock(mutex_);
  ++generation_;  // A fetch that is under way throws its rows away.
  while (delivering_) fetch_done_.Wait(mutex_);
  running_ = false;
  fetch_done_.NotifyAll();
}

bool NotificationLog::running() const {
  MutexLock lock(mutex_);
  return running_;
}

Result<bool> NotificationLog::Poll(TimePoint deadline, int max_batches) {
  for (int batch = 0; batch < max_batches; ++batch) {
    {
      MutexLock lock(mutex_);
      if (!running_) return false;
    }
    Fetching fetching(this);
    RETURN_IF_ERROR(fetching.Acquire(deadline));
    ASSIGN_OR_RETURN(const Outcome outcome, Fetch(EventId(), deadline));
    if (outcome != Outcome::kMore) return outcome == Outcome::kAtEnd;
  }
  return false;
}

Status NotificationLog::FetchTo(EventId target, int64_t max_events, TimePoint deadline) {
  uint64_t generation = 0;
  {
    MutexLock lock(mutex_);
    generation = generation_;
  }
  while (true) {
    Fetching fetching(this);
    RETURN_IF_ERROR(CheckTarget(generation, target, max_events));
    if (fetched_to() >= target) return Ok();
    RETURN_IF_ERROR(fetching.Acquire(deadline));
    // Whoever fetched meanwhile may have fetched enough.
    const EventId before = fetched_to();
    if (before >= target) continue;
    if (clock_->Now() >= deadline) {
      return MakeError(ErrorCode::kTimedOut, "event " + Id(target) + " was not reached in time; " +
                                                 "the log has been fetched up to " + Id(before));
    }
    ASSIGN_OR_RETURN(const Outcome outcome, Fetch(target, deadline));
    if (outcome == Outcome::kAtEnd && fetched_to() == before) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "event " + Id(target) + " has not happened; the newest is " + Id(before));
    }
  }
}

Status NotificationLog::CheckTarget(uint64_t generation, EventId target, int64_t max_events) const {
  MutexLock lock(mutex_);
  if (!running_ || generation_ != generation) {
    return MakeError(ErrorCode::kInvalidState,
                     "the notification log is not followed or has just been started again; event " +
                         Id(target) + " cannot be waited for");
  }
  // What is being delivered need not be fetched any more, only waited for.
  const int64_t missing = target.value() - entered_to_.value();
  if (missing > max_events && missing > 0) {
    return MakeError(ErrorCode::kResourceExhausted,
                     "event " + Id(target) + " is " + std::to_string(missing) +
                         " events ahead of what has been fetched, more than " +
                         std::to_string(max_events));
  }
  return Ok();
}

// The caller has the right to fetch.
Result<NotificationLog::Outcome> NotificationLog::Fetch(EventId target, TimePoint deadline) {
  const View view = TakeView();
  auto batch = Read(view, target, deadline);
  if (!batch) {
    if (batch.error().code == ErrorCode::kPermission ||
        batch.error().code == ErrorCode::kUnsupported) {
      NoteRefusal(batch.error());
    }
    return AsError(std::move(batch).error());
  }
  return Commit(view, *batch);
}

NotificationLog::View NotificationLog::TakeView() {
  MutexLock lock(mutex_);
  ++stats_.fetches;
  View view{generation_, fetched_to_, learning_, reread_window_, seen_, {}, {}, clock_->Now()};
  // Whatever was above the window at the last whole look, and had not shown, is in this one.
  view.whole_from = Minus(std::min(fetched_to_, whole_to_), 1 + int64_t{reread_window_});
  const bool whole = learning_ || view.began - whole_at_ >= options_.whole_window_every;
  const EventId short_from = Minus(fetched_to_, 1 + int64_t{options_.short_window});
  view.from = whole ? view.whole_from : std::max(view.whole_from, short_from);
  return view;
}

Result<NotificationLog::Batch> NotificationLog::Read(const View& view, EventId target,
                                                     TimePoint deadline) {
  ASSIGN_OR_RETURN(Batch batch, ReadFrom(view, view.from, target, deadline));
  const bool odd = batch.condition != LogCondition::kNormal || batch.cleaned;
  if (batch.whole || !odd) return batch;
  MARK("log.whole_window_after_all");
  return ReadFrom(view, view.whole_from, target, deadline);
}

Result<NotificationLog::Batch> NotificationLog::ReadFrom(const View& view, EventId from,
                                                         EventId target, TimePoint deadline) {
  AssertNoMutexHeld("fetching notifications");
  // Room for what is read again, so that a reply always has room for new events.
  const int64_t again = std::max<int64_t>(view.fetched.value() - from.value(), 1);
  const int max = options_.batch + static_cast<int>(again) + static_cast<int>(view.seen.size());
  ASSIGN_OR_RETURN(auto rows, metastore_->NextEvents(from, max, deadline));
  Batch batch;
  batch.up_to = view.fetched;
  batch.whole = from == view.whole_from;
  batch.at_end = rows.size() < static_cast<size_t>(max);
  const auto by_id = [](const hms::NotificationEvent& a, const hms::NotificationEvent& b) {
    return a.id < b.id;
  };
  if (!std::is_sorted(rows.begin(), rows.end(), by_id)) {
    std::stable_sort(rows.begin(), rows.end(), by_id);
  }
  const auto first_new =
      std::upper_bound(rows.begin(), rows.end(), view.fetched,
                       [](EventId id, const hms::NotificationEvent& row) { return id < row.id; });
  batch.learning = view.learning && first_new == rows.end() && !batch.at_end;
  const bool newest_seen = SortOld(view, rows.begin(), first_new, &batch);
  if (batch.condition != LogCondition::kNormal) return batch;
  if (first_new != rows.end()) {
    SortNew(view, first_new, rows.end(), &batch);
  } else if (batch.at_end && (!newest_seen || target > view.fetched)) {
    RETURN_IF_ERROR(CheckEnd(view, target, deadline, &batch));
  }
  return batch;
}

// Rows at or below the newest id are known, learned, late or duplicate; or the newest one has other
// content: then this is another log. True when the newest id is among them.
bool NotificationLog::SortOld(const View& view, RowIterator row, RowIterator end,
                              Batch* batch) const {
  bool known_newest = false;
  bool other_newest = false;
  batch->cleaned = !view.seen.empty();
  std::vector<Seen>& learned = batch->learned;
  for (; row != end; ++row) {
    const Seen seen(row->id, Fingerprint(*row));
    const bool known = std::binary_search(view.seen.begin(), view.seen.end(), seen);
    if (row->id == view.fetched) (known ? known_newest : other_newest) = true;
    if (known) batch->cleaned = false;
    if (known) continue;
    // Equal rows of one id: only once.
    const bool duplicate = std::find(learned.begin(), learned.end(), seen) != learned.end();
    if (!duplicate) learned.push_back(seen);
    if (duplicate || !view.learning) ++batch->late_or_duplicate;
    if (!duplicate && !view.learning) batch->events.push_back(Decode(*row, true, true));
  }
  const bool remembered = (view.window <= 0 && !view.learning) ||
                          (!view.seen.empty() && view.seen.back().first == view.fetched);
  if (other_newest && !known_newest && remembered) {
    MARK("log.other_log");
    batch->events.clear();
    batch->condition = LogCondition::kOtherLog;
    batch->certain = true;
    batch->text = "event " + Id(view.fetched) + " is not the one that was read before";
  }
  return known_newest || other_newest;
}

void NotificationLog::SortNew(const View& view, RowIterator row, RowIterator end,
                              Batch* batch) const {
  // Ids without rows are usual where there is a window; not when the cleaner has just been there.
  const int64_t step = batch->cleaned ? 1 : 1 + int64_t{view.window};
  batch->events.reserve(batch->events.size() + static_cast<size_t>(end - row));
  EventId last = view.fetched;
  const EventId newest = std::prev(end)->id;
  const auto first = row;
  for (; row != end; ++row) {
    if (row->id.value() - last.value() > step) {
      batch->condition = LogCondition::kHole;
      batch->text = "events " + Id(last.Next()) + " to " + std::to_string(row->id.value() - 1) +
                    " are missing from the notification log";
      batch->at_end = false;
      break;
    }
    // What the next fetch will see again. A hole makes the event before it the newest.
    const auto next =
        std::find_if(row, end, [row](const auto& other) { return other.id != row->id; });
    const bool remembered =
        view.window > 0 || row->id == newest || next->id.value() - row->id.value() > step;
    if (row->id == last) {
      ++batch->late_or_duplicate;
      // Rows of one id are neighbours.
      auto other = row;
      while (other != first && (other - 1)->id == row->id && !(*(other - 1) == *row)) --other;
      if (other != first && (other - 1)->id == row->id) continue;
    }
    const EventPtr& event = batch->events.emplace_back(Decode(*row, row->id == last, remembered));
    last = row->id;
    if (remembered) batch->learned.emplace_back(event->id, event->fingerprint);
  }
  batch->up_to = last;
}

// Nothing new, and that is not obvious: the newest event is gone, or more was expected.
Status NotificationLog::CheckEnd(const View& view, EventId target, TimePoint deadline,
                                 Batch* batch) {
  ASSIGN_OR_RETURN(const EventId current, metastore_->CurrentEventId(deadline));
  if (current == view.fetched) return Ok();
  if (current < view.fetched) {
    batch->condition = LogCondition::kWentBack;
    batch->text = "the metastore's newest event is " + Id(current) + ", but " + Id(view.fetched) +
                  " has been read already; was its database restored?";
    return Ok();
  }
  if (!batch->cleaned && current.value() - view.fetched.value() <= view.window) {
    // Ids without visible events are usual there. The target was the current id before the fetch,
    // so that whatever will be visible of it has been seen, or comes late.
    batch->up_to = std::max(view.fetched, std::min(target, current));
    return Ok();
  }
  batch->condition = LogCondition::kHole;
  batch->text = "the metastore's newest event is " + Id(current) +
                ", but there is nothing in the notification log behind " + Id(view.fetched);
  return Ok();
}

NotificationLog::Outcome NotificationLog::Commit(const View& view, const Batch& batch) {
  bool certain = false;
  std::vector<EventPtr> dropped;  // Freed without the mutex.
  {
    MutexLock lock(mutex_);
    // Not running: stopped between a caller's own look at that and the beginning of this fetch.
    if (generation_ != view.generation || !running_) return Outcome::kOdd;
    refused_ = false;
    certain = batch.certain || (batch.condition != LogCondition::kNormal &&
                                batch.condition == odd_ && batch.up_to == odd_at_);
    odd_ = batch.condition;
    odd_at_ = batch.up_to;
    Remember(view, batch);
    Enter(batch, &dropped);
    delivering_ = true;
  }
  if (listener_ != nullptr) {
    if (!batch.events.empty()) listener_->OnEvents(batch.events);
    const EventId newest = batch.events.empty() ? view.fetched : batch.events.back()->id;
    if (batch.up_to > newest) listener_->OnFetchedTo(batch.up_to);
  }
  {
    MutexLock lock(mutex_);
    delivering_ = false;
    // StartAt waits for the delivery before it touches anything.
    RaiseFetched(batch);
    fetch_done_.NotifyAll();
    if (generation_ != view.generation || !running_) return Outcome::kOdd;
    if (certain) running_ = false;
  }
  if (certain) {
    MARK("log.stopped");
    if (listener_ != nullptr) listener_->OnCondition(batch.condition, batch.text);
    return Outcome::kStopped;
  }
  if (batch.condition != LogCondition::kNormal) return Outcome::kOdd;
  return batch.at_end ? Outcome::kAtEnd : Outcome::kMore;
}

void NotificationLog::Remember(const View& view, const Batch& batch) {
  learning_ = batch.learning;
  if (batch.whole) {
    whole_at_ = view.began;
    whole_to_ = batch.up_to;
  }
  const EventId oldest = Minus(std::min(batch.up_to, whole_to_), reread_window_);
  for (const Seen& seen : batch.learned) {
    if (seen.first >= oldest) seen_.push_back(seen);
  }
  std::erase_if(seen_, [oldest](const Seen& seen) { return seen.first < oldest; });
  std::sort(seen_.begin(), seen_.end());
}

// What is seen of another log says nothing about the event that was remembered.
void NotificationLog::RaiseFetched(const Batch& batch) {
  if (batch.condition == LogCondition::kOtherLog) return;
  fetched_to_ = batch.up_to;
  newest_fingerprint_.reset();
  if (!seen_.empty() && seen_.back().first == fetched_to_) {
    newest_fingerprint_ = seen_.back().second;
  }
}

void NotificationLog::Enter(const Batch& batch, std::vector<EventPtr>* dropped) {
  MakeRoomFor(batch, dropped);
  for (const EventPtr& event : batch.events) {
    recent_.push_back(ForRecent(event));
    if (recent_.size() > kRecent) recent_.pop_front();
    stats_.newest_time = std::max(stats_.newest_time, event->time);
    if (event->late) ++stats_.late;
    if (event->id <= trimmed_to_) continue;  // Late, and nobody may ask for it any more.
    const auto at =
        tail_.empty() || tail_.back()->id <= event->id
            ? tail_.end()
            : std::upper_bound(tail_.begin(), tail_.end(), event->id,
                               [](EventId id, const EventPtr& other) { return id < other->id; });
    tail_.insert(at, event);
    stats_.bytes += event->bytes;
  }
  stats_.events = tail_.size();
  stats_.fetched_events += batch.events.size();
  stats_.late_or_duplicate += batch.late_or_duplicate;
  entered_to_ = batch.up_to;
}

// Before the batch enters, so that it is there at least until the next one.
void NotificationLog::MakeRoomFor(const Batch& batch, std::vector<EventPtr>* dropped) {
  size_t bytes = stats_.bytes;
  for (const EventPtr& event : batch.events) bytes += event->bytes;
  size_t events = tail_.size() + batch.events.size();
  EventId up_to;
  for (const EventPtr& event : tail_) {
    if (bytes <= options_.max_bytes && events <= options_.max_events) break;
    bytes -= event->bytes;
    --events;
    up_to = event->id;
  }
  if (up_to <= trimmed_to_) return;
  MARK("log.budget");
  trimmed_to_ = up_to;
  PopOldest(up_to, dropped);
  stats_.dropped += dropped->size();
}

void NotificationLog::PopOldest(EventId up_to, std::vector<EventPtr>* popped) {
  while (!tail_.empty() && tail_.front()->id <= up_to) {
    stats_.bytes -= tail_.front()->bytes;
    popped->push_back(std::move(tail_.front()));
    tail_.pop_front();
  }
  stats_.events = tail_.size();
}

void NotificationLog::NoteRefusal(const Error& error) {
  {
    MutexLock lock(mutex_);
    if (refused_) return;
    refused_ = true;
  }
  if (listener_ != nullptr) listener_->OnCondition(LogCondition::kRefused, error.message);
}

Result<std::vector<EventPtr>> NotificationLog::Range(EventId after, EventId up_to,
                                                     const std::vector<ObjectName>& names) const {
  MutexLock lock(mutex_);
  if (after < trimmed_to_) {
    return MakeError(ErrorCode::kInvalidState, "events behind " + Id(after) +
                                                   " are gone from memory; it begins behind " +
                                                   Id(trimmed_to_));
  }
  if (up_to > entered_to_) {
    return MakeError(
        ErrorCode::kInvalidState,
        "event " + Id(up_to) + " has not been fetched; the newest is " + Id(entered_to_));
  }
  std::vector<EventPtr> found;
  auto at = std::upper_bound(tail_.begin(), tail_.end(), after,
                             [](EventId id, const EventPtr& event) { return id < event->id; });
  for (; at != tail_.end() && (*at)->id <= up_to; ++at) {
    const Event& event = **at;
    if (std::any_of(names.begin(), names.end(),
                    [&event](const ObjectName& name) { return event.Touches(name); })) {
      found.push_back(*at);
    }
  }
  return found;
}

NotificationLog::Pin::~Pin() {
  if (log_ != nullptr) log_->Unpin(after_);
}

NotificationLog::Pin::Pin(Pin&& other) noexcept
    : log_(std::exchange(other.log_, nullptr)), after_(other.after_) {}

NotificationLog::Pin& NotificationLog::Pin::operator=(Pin&& other) noexcept {
  if (this == &other) return *this;
  if (log_ != nullptr) log_->Unpin(after_);
  log_ = std::exchange(other.log_, nullptr);
  after_ = other.after_;
  return *this;
}

Result<NotificationLog::Pin> NotificationLog::PinAfter(EventId after) {
  MutexLock lock(mutex_);
  if (after < trimmed_to_) {
    return MakeError(ErrorCode::kInvalidState, "events behind " + Id(after) +
                                                   " are gone from memory; it begins behind " +
                                                   Id(trimmed_to_));
  }
  pins_.insert(after);
  return Pin(this, after);
}

void NotificationLog::Unpin(EventId after) {
  std::vector<EventPtr> trimmed;
  MutexLock lock(mutex_);
  if (const auto pin = pins_.find(after); pin != pins_.end()) pins_.erase(pin);
  Trim(&trimmed);
}

void NotificationLog::TrimTo(EventId watermark) {
  // Declared before the lock: large events are freed without it.
  std::vector<EventPtr> trimmed;
  MutexLock lock(mutex_);
  watermark_ = std::max(watermark_, watermark);
  Trim(&trimmed);
}

void NotificationLog::Trim(std::vector<EventPtr>* trimmed) {
  EventId limit = std::min(watermark_, entered_to_);
  if (!pins_.empty()) limit = std::min(limit, *pins_.begin());
  if (limit <= trimmed_to_) return;
  trimmed_to_ = limit;
  PopOldest(limit, trimmed);
}

EventId NotificationLog::fetched_to() const {
  MutexLock lock(mutex_);
  return fetched_to_;
}

EventId NotificationLog::whole_window_to() const {
  MutexLock lock(mutex_);
  return whole_to_;
}

NotificationLog::Newest NotificationLog::newest() const {
  MutexLock lock(mutex_);
  return {fetched_to_, newest_fingerprint_};
}

EventId NotificationLog::trimmed_to() const {
  MutexLock lock(mutex_);
  return trimmed_to_;
}

NotificationLog::Stats NotificationLog::stats() const {
  MutexLock lock(mutex_);
  return stats_;
}

std::vector<EventPtr> NotificationLog::Recent(size_t count) const {
  MutexLock lock(mutex_);
  const size_t size = std::min(count, recent_.size());
  return {recent_.rbegin(), recent_.rbegin() + static_cast<std::ptrdiff_t>(size)};
}

}  // namespace catalogd::events
