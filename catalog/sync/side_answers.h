#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/base/names.h"
#include "events/lane_planner.h"

namespace catalogd::sync {

// What an answer is about, and so which events make it stale.
enum class SideKind : uint8_t {
  kFunctions,
  kConstraints,
  kForeignKeys,  // Constraints that depend on other tables, too: those the answer names.
  kStatistics,   // Column statistics.
  kSchema,       // What is told of a table without its partitions and statistics.
  kContent,      // What is told of a table's partitions, too.
  kTableList,    // Which tables a database has, and what is told of them in lists.
};

// Why an answer was dropped.
enum class StaleReason : uint8_t {
  kEvent,
  kOwnWrite,
  kLog,         // The log is not what it was, or following starts anew; unreadable events too.
  kExpired,     // It may have changed without an event.
  kDifference,  // The owner differed from the metastore without an event.
  kRoom,        // Not stale: others were used more.
};
std::string_view StaleReasonName(StaleReason reason);
inline constexpr size_t kStaleReasonCount = static_cast<size_t>(StaleReason::kRoom) + 1;

// Keeps the metastore's own answers to reads that the cache does not understand (of functions,
// constraints, column statistics, expressions over partitions, lists of tables), byte for byte,
// until something says that their owner has changed.
//
// Not a cache of objects: nothing in an answer is understood, patched or loaded; an event that
// names an owner drops what is owned. It knows nothing of levels and floors, which the endpoint
// applies. Thread safety: yes. Locks: one mutex, held for look-ups only. Invariants:
//   A1 an answer is given out only after a look at the end of the log that began after the
//      metastore had answered, and if from the read's beginning up to now no event of an owner was
//      fetched and no own write of it came back. So it is exact at every id that the log had been
//      fetched to before Find was called.
//   A2 answers and bytes stay within the options.
// Lifetime: Readings must not outlive it.
class SideAnswers {
 public:
  struct Options {
    size_t max_bytes = 64U << 20U;
    size_t max_answers = 50'000;
    // From the beginning of the read, for what may change without an event; 0: none are kept.
    Duration silent_life = std::chrono::seconds(10);
  };
  // What was asked.
  struct Question {
    SideKind kind = SideKind::kFunctions;
    // Tables, or the database of functions or a list. Empty: all databases.
    std::vector<ObjectName> owners;
    std::string call;     // Method and arguments.
    bool silent = false;  // Some changes of it have no event.
  };
  // When the newest look at the log that found its end began.
  using NewestLook = std::function<TimePoint()>;

  SideAnswers(const Options& options, const Clock* clock, NewestLook newest_look);

  // A read that is under way. Gone without Keep: nothing is kept.
  class Reading {
   public:
    Reading(Reading&& other) noexcept : home_(other.home_), call_(std::move(other.call_)) {
      id_ = other.id_;
      other.home_ = nullptr;
    }
    Reading& operator=(Reading&&) = delete;
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading();

   private:
    friend class SideAnswers;
    Reading(SideAnswers* home, std::string call, uint64_t id)
        : home_(home), call_(std::move(call)), id_(id) {}
    SideAnswers* home_;
    std::string call_;
    uint64_t id_ = 0;
  };
  // Before the metastore is asked. Absent: another read of the same is under way or waits for its
  // proof, or such answers are not kept.
  std::optional<Reading> Begin(const Question& question);
  // The metastore's answer, just come. `also`: owners that only the answer tells.
  void Keep(Reading reading, std::string reply, const std::vector<ObjectName>& also = {});

  // Null: nothing that may be given out. Counts nothing but what has expired.
  std::shared_ptr<const std::string> Find(const std::string& call);
  void CountHit() { hits_.fetch_add(1, std::memory_order_relaxed); }
  void CountMiss() { misses_.fetch_add(1, std::memory_order_relaxed); }

  // Every event, before any read can see the log fetched up to it.
  void OnEvents(const std::vector<events::LaneTask>& tasks);
  // All answers that these own; a database: with its functions and tables.
  void Drop(const std::vector<ObjectName>& names, StaleReason reason);
  void Clear(StaleReason reason);

  struct Stats {
    uint64_t hits = 0;
    uint64_t misses = 0;
    std::array<uint64_t, kStaleReasonCount> stale{};
    size_t answers = 0;
    size_t bytes = 0;
  };
  [[nodiscard]] Stats stats() const;
  // Answers that this name owns.
  [[nodiscard]] size_t OwnedBy(const ObjectName& name) const;

 private:
  struct Answer {
    uint64_t id = 0;
    SideKind kind = SideKind::kFunctions;
    bool silent = false;
    std::vector<ObjectName> owners;
    TimePoint began;
    TimePoint answered;
    bool proven = false;
    std::shared_ptr<const std::string> reply;  // Null while it is being read.
    size_t bytes = 0;
    std::list<const std::string*>::iterator used;
  };
  using Answers = std::unordered_map<std::string, Answer>;
  // What was dropped: freed when no lock is held.
  using Dropped = std::vector<Answers::node_type>;

  void OnEvent(const events::Event& event, Dropped* dropped) REQUIRES(mutex_);
  void DropConstraints(const events::Event& event, Dropped* dropped) REQUIRES(mutex_);
  void DropOwned(const ObjectName& name, StaleReason reason, Dropped* dropped,
                 const std::function<bool(SideKind)>& which) REQUIRES(mutex_);
  // Of the database of a table, and of all databases.
  void DropLists(const ObjectName& table, StaleReason reason, Dropped* dropped) REQUIRES(mutex_);
  void DropDatabase(const ObjectName& db, StaleReason reason, Dropped* dropped) REQUIRES(mutex_);
  void DropAll(StaleReason reason, Dropped* dropped) REQUIRES(mutex_);
  void Erase(Answers::iterator at, StaleReason reason, Dropped* dropped) REQUIRES(mutex_);
  void Own(Answers::iterator at, const ObjectName& name) REQUIRES(mutex_);
  void MakeRoom(Dropped* dropped) REQUIRES(mutex_);
  [[nodiscard]] bool IsExpired(const Answer& answer, TimePoint now) const;
  void Abandon(const std::string& call, uint64_t id);

  const Options options_;
  const Clock* const clock_;
  const NewestLook newest_look_;
  std::atomic<size_t> count_{0};  // Of answers_: most events find none.
  std::atomic<uint64_t> hits_{0};
  std::atomic<uint64_t> misses_{0};
  mutable Mutex mutex_{LockRank::kSlot};
  Answers answers_ GUARDED_BY(mutex_);  // By call.
  // By owner, to the keys of answers_. A default name owns what all databases own.
  std::unordered_map<ObjectName, std::unordered_set<const std::string*>> owned_ GUARDED_BY(mutex_);
  std::unordered_set<const std::string*> of_constraints_ GUARDED_BY(mutex_);
  std::list<const std::string*> used_ GUARDED_BY(mutex_);  // Least recently used first.
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t last_id_ GUARDED_BY(mutex_) = 0;
  std::array<uint64_t, kStaleReasonCount> stale_ GUARDED_BY(mutex_){};
};

}  // namespace catalogd::sync
