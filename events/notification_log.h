#pragma once

#include <climits>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/base/names.h"
#include "catalog/base/result.h"
#include "events/event.h"
#include "hms_client/metastore.h"

namespace catalogd::events {

// What a fetch found out about the log besides events.
enum class LogCondition {
  kNormal,
  kHole,       // The log starts later than what we had read: events are lost.
  kWentBack,   // The current id is below what we have read.
  kOtherLog,   // The newest event we remember is there with another content.
  kRefused,    // The server does not let us read notifications.
  kUnordered,  // One id was given to two events, where ids should be dense. Found by its owner.
};
inline constexpr size_t kLogConditionCount = static_cast<size_t>(LogCondition::kUnordered) + 1;
std::string_view LogConditionName(LogCondition condition);

// Gets every new event exactly once, in log order, as soon as it has been fetched and before the
// fetch returns. Called by one thread at a time; must only queue work.
class LogListener {
 public:
  virtual ~LogListener() = default;
  virtual void OnEvents(const std::vector<EventPtr>& events) = 0;
  // The server shows nothing between the newest event and `id`, though `id` has been given out.
  virtual void OnFetchedTo(EventId id) { static_cast<void>(id); }
  // The log is not what it was; events up to `fetched` cannot be trusted to be complete.
  virtual void OnCondition(LogCondition condition, const std::string& text) = 0;
};

// The tail: the part of the notification log held in memory, from the trim point (the watermark, or
// the oldest pin, or what the budget leaves room for) to the newest fetched event. Shared by
// poller, DDLs and loader: whoever needs events up to an id makes sure they are fetched; one fetch
// runs at a time and the others wait.
//
// Order of one fetch: rows arrive, are decoded, enter the tail (Range answers for them from here
// on), the listener is told, and only then fetched_to() rises and waiting FetchTo calls return. So
// whoever waited knows that the listener has everything up to its target, and the listener and what
// it starts may use Range for the events it was given.
//
// Checks: each fetch begins one id early and compares the newest event it remembers. A finding that
// could be a passing sight (a hole, a smaller current id) counts when two fetches in a row make it.
// A finding stops the log: nothing is fetched or delivered until StartAt. Being refused does not
// stop it.
//
// Not for: applying events, deciding what they mean.
// Thread safety: yes. Locks: rank kLogTail, never across an RPC or a call of the listener.
// Invariants: T1 ids in the tail ascend (equal ids only where the server's log has them);
// T2 every event between trimmed_to() and fetched_to() that the server showed is in the tail;
// T3 listeners see events in tail order, once; late ones (reread_window) when they are first seen;
// T4 after StartAt has returned, no event fetched before it is delivered.
class NotificationLog {
 public:
  struct Options {
    int batch = 1000;  // Events per fetch.
    // The tail's budget. Beyond it the oldest events go, applied or not, pinned or not: whoever
    // asks for them is told so, and knows less. One batch may exceed it.
    size_t max_bytes = 256U << 20U;
    size_t max_events = 200000;
    // Late ids: how many ids below the newest one are read again. 0 where ids are dense and in
    // order (3.1 and later).
    int reread_window = 0;
    // Under many writes a whole window with each fetch costs more than the writes. So it is read
    // whole as seldom as this, and by then as far below what it covered last; fetches in between
    // read this many ids below the newest again: as many as writers that are at it at one moment.
    Duration whole_window_every = std::chrono::milliseconds(250);
    int short_window = 100;
  };

  NotificationLog(hms::Metastore* metastore, const Clock* clock, const Options& options);

  void SetListener(LogListener* listener);
  // Starts (again) at `position`: the tail is emptied, and the next fetch begins behind it. Nothing
  // is fetched before the first StartAt. May be called from OnCondition, not from OnEvents.
  // `reread_window`: replaces the option of that name from here on; negative: stays as it is.
  // `fingerprint`: of the event at `position`, as it was before whatever else the caller read. With
  // it, a log that was exchanged since then is found out, however far the other one has come.
  void StartAt(EventId position, int reread_window = -1,
               std::optional<uint64_t> fingerprint = std::nullopt);
  // When it returns, nothing is delivered until the next StartAt; what was fetched stays.
  void Stop();
  // False before the first StartAt, and from a log condition or Stop to the next StartAt.
  [[nodiscard]] bool running() const;

  // One round of polling: fetches everything new, batch by batch, until the server has no more.
  // True when the tail is at the server's end; false when something is left, the log is not
  // running, or it looked odd and wants a second look.
  // At most `max_batches` fetches. True also means: everything that was committed before the call
  // is in the tail, because the last fetch began after it.
  Result<bool> Poll(TimePoint deadline, int max_batches = INT_MAX);
  // Returns when every event up to `target` is in the tail. kResourceExhausted without fetching
  // when that would take more than `max_events` events: the caller makes stubs instead.
  Status FetchTo(EventId target, int64_t max_events, TimePoint deadline);

  // Events in (after, up_to] that touch any of `names`, in order.
  // kInvalidState if `after` lies before the trim point or `up_to` has not been fetched.
  Result<std::vector<EventPtr>> Range(EventId after, EventId up_to,
                                      const std::vector<ObjectName>& names) const;

  // Keeps events behind `after` from being trimmed while the pin lives and the budget allows it.
  class Pin {
   public:
    Pin() = default;
    ~Pin();
    Pin(Pin&& other) noexcept;
    Pin& operator=(Pin&& other) noexcept;
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    friend class NotificationLog;
    Pin(NotificationLog* log, EventId after) : log_(log), after_(after) {}
    NotificationLog* log_ = nullptr;
    EventId after_;
  };
  // kInvalidState if events behind `after` are gone already.
  Result<Pin> PinAfter(EventId after);

  // Everything up to `watermark` has been applied: it may go, except what is pinned.
  void TrimTo(EventId watermark);

  [[nodiscard]] EventId fetched_to() const;
  // Up to where the last fetch came that read the whole window.
  [[nodiscard]] EventId whole_window_to() const;
  // fetched_to() with the fingerprint of its event, if the server showed one: of one moment.
  struct Newest {
    EventId id;
    std::optional<uint64_t> fingerprint;
  };
  [[nodiscard]] Newest newest() const;
  [[nodiscard]] EventId trimmed_to() const;

  struct Stats {
    size_t events = 0;
    size_t bytes = 0;
    uint64_t fetches = 0;
    uint64_t fetched_events = 0;
    uint64_t late_or_duplicate = 0;
    uint64_t late = 0;        // Of these, other events than those seen before under their ids.
    uint64_t dropped = 0;     // Events that the budget took before they were applied or unpinned.
    int32_t newest_time = 0;  // eventTime of the newest event, seconds since 1970; 0: none.
  };
  [[nodiscard]] Stats stats() const;
  // The newest `count` events, newest first, trimmed ones included as far as they are remembered
  // (1000; large ones without their images).
  [[nodiscard]] std::vector<EventPtr> Recent(size_t count) const;

 private:
  class Fetching;
  // An id and a fingerprint of it: an event that has been seen.
  using Seen = std::pair<EventId, uint64_t>;
  using RowIterator = std::vector<hms::NotificationEvent>::const_iterator;
  // What a fetch knows when it begins.
  struct View {
    uint64_t generation = 0;
    EventId fetched;
    bool learning = false;
    int window = 0;  // As Options::reread_window.
    std::vector<Seen> seen;
    EventId from;        // Behind which rows are asked for,
    EventId whole_from;  // and where the whole window begins.
    TimePoint began;
  };
  // What a fetch found.
  struct Batch {
    std::vector<EventPtr> events;  // Late ones and new ones, ascending.
    std::vector<Seen> learned;
    EventId up_to;  // Everything the server shows up to here has been seen.
    bool learning = false;
    bool cleaned = false;  // Nothing of what was seen before is there any more.
    bool at_end = false;
    bool whole = false;  // It has read the whole window.
    uint64_t late_or_duplicate = 0;
    LogCondition condition = LogCondition::kNormal;
    bool certain = false;  // No second look needed.
    std::string text;
  };
  enum class Outcome { kMore, kAtEnd, kOdd, kStopped };

  Status CheckTarget(uint64_t generation, EventId target, int64_t max_events) const;
  Result<Outcome> Fetch(EventId target, TimePoint deadline);
  View TakeView();
  Result<Batch> Read(const View& view, EventId target, TimePoint deadline);
  Result<Batch> ReadFrom(const View& view, EventId from, EventId target, TimePoint deadline);
  bool SortOld(const View& view, RowIterator row, RowIterator end, Batch* batch) const;
  void SortNew(const View& view, RowIterator row, RowIterator end, Batch* batch) const;
  Status CheckEnd(const View& view, EventId target, TimePoint deadline, Batch* batch);
  Outcome Commit(const View& view, const Batch& batch);
  void Enter(const Batch& batch, std::vector<EventPtr>* dropped) REQUIRES(mutex_);
  void MakeRoomFor(const Batch& batch, std::vector<EventPtr>* dropped) REQUIRES(mutex_);
  void PopOldest(EventId up_to, std::vector<EventPtr>* popped) REQUIRES(mutex_);
  void Remember(const View& view, const Batch& batch) REQUIRES(mutex_);
  void RaiseFetched(const Batch& batch) REQUIRES(mutex_);
  void NoteRefusal(const Error& error);
  void Trim(std::vector<EventPtr>* trimmed) REQUIRES(mutex_);
  void Unpin(EventId after);

  hms::Metastore* const metastore_;
  const Clock* const clock_;
  const Options options_;
  LogListener* listener_ = nullptr;

  mutable Mutex mutex_{LockRank::kLogTail};
  CondVar fetch_done_;
  bool running_ GUARDED_BY(mutex_) = false;
  uint64_t generation_ GUARDED_BY(mutex_) = 0;  // Counts StartAt and Stop.
  bool fetching_ GUARDED_BY(mutex_) = false;
  bool delivering_ GUARDED_BY(mutex_) = false;  // The listener is in OnEvents.
  bool refused_ GUARDED_BY(mutex_) = false;
  int reread_window_ GUARDED_BY(mutex_);
  // The next fetch finds out what is at and below the start.
  bool learning_ GUARDED_BY(mutex_) = false;
  // The last fetch that read the whole window: when it began, and up to where it came.
  TimePoint whole_at_ GUARDED_BY(mutex_);
  EventId whole_to_ GUARDED_BY(mutex_);
  // Of the re-read ids, sorted.
  std::vector<Seen> seen_ GUARDED_BY(mutex_);
  // What the last fetch found odd, and at which id.
  LogCondition odd_ GUARDED_BY(mutex_) = LogCondition::kNormal;
  EventId odd_at_ GUARDED_BY(mutex_);
  std::deque<EventPtr> tail_ GUARDED_BY(mutex_);
  std::deque<EventPtr> recent_ GUARDED_BY(mutex_);
  std::multiset<EventId> pins_ GUARDED_BY(mutex_);
  EventId trimmed_to_ GUARDED_BY(mutex_);
  EventId entered_to_ GUARDED_BY(mutex_);  // In the tail; the listener may not know yet.
  EventId fetched_to_ GUARDED_BY(mutex_);
  std::optional<uint64_t> newest_fingerprint_ GUARDED_BY(mutex_);  // Of fetched_to_.
  EventId watermark_ GUARDED_BY(mutex_);
  Stats stats_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::events
