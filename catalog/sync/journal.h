#pragma once

#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/ids.h"
#include "catalog/base/mutex.h"
#include "catalog/base/names.h"
#include "catalog/sync/decide.h"
#include "events/notification_log.h"

namespace catalogd::sync {

// One event and what became of it for one name; or something that happened to the log itself.
struct JournalEntry {
  EventId event;
  std::string type;  // "ALTER_TABLE"; for happenings of the log: "log: hole".
  ObjectName name;
  std::string action;  // ActionName, or empty.
  std::string reason;
  std::string by;  // "events", "ddl", "load", "reconcile".
  int32_t event_time = 0;
  WallTime applied_at;
  uint64_t sequence = 0;  // Counts entries from 1: whoever follows the journal sees what it missed.
};

// What one event did to one name, before it is written down. Borrows the event.
struct JournalNote {
  const events::Event* event = nullptr;
  ObjectName name;
  Decision decision;
};

// What people see of the event flow: the newest entries, and counters per action.
// Thread safety: yes.
class Journal {
 public:
  Journal(size_t capacity, const Clock* clock);
  void Add(JournalEntry entry);
  void AddAll(const std::vector<JournalNote>& notes, std::string_view by);
  [[nodiscard]] std::vector<JournalEntry> Recent(size_t count) const;  // Newest first.

 private:
  const size_t capacity_;
  const Clock* const clock_;
  mutable Mutex mutex_{LockRank::kStats};
  JournalEntry* Next() REQUIRES(mutex_);

  // A ring; entries are overwritten, so that their texts need no new memory.
  std::vector<JournalEntry> entries_ GUARDED_BY(mutex_);
  size_t newest_ GUARDED_BY(mutex_) = 0;
  uint64_t last_sequence_ GUARDED_BY(mutex_) = 0;
};

// Everything the sync core counts. Relaxed counters; read one by one.
struct SyncCounters {
  std::array<std::atomic<uint64_t>, kActionCount> actions{};  // Indexed by Action.
  std::atomic<uint64_t> events_received{0};
  std::atomic<uint64_t> events_applied{0};
  std::atomic<uint64_t> events_merged{
      0};  // Applied without their content: a later one replaced it.
  std::atomic<uint64_t> disabled_events{0};  // Of names that are not followed.
  std::atomic<uint64_t> lanes_collapsed{0};  // Lanes that waited too long for somebody's lock.
  std::atomic<uint64_t> malformed_events{0};
  std::atomic<uint64_t> verified_payloads{0};    // Tables read again and compared.
  std::atomic<uint64_t> unverified_payloads{0};  // Read again in vain: they were changing.
  std::atomic<uint64_t> payload_differences{0};
  std::atomic<uint64_t> contradictions{0};
  std::atomic<uint64_t> object_reads{0};  // Reads of a table or database for a load.
  std::atomic<uint64_t> loads{0};
  std::atomic<uint64_t> load_failures{0};
  std::atomic<uint64_t> load_retries{0};  // Read again because the interval held events.
  std::atomic<uint64_t> ddls{0};
  std::atomic<uint64_t> ddl_failures{0};  // Error answers of the metastore included.
  std::atomic<uint64_t> ddl_not_brought_up{0};
  std::atomic<uint64_t> ddl_event_missing{0};  // Done, and the log does not show their event.
  std::atomic<uint64_t> unknown_outcomes{0};
  std::atomic<uint64_t> log_conditions{0};
  // The same, each events::LogCondition for itself.
  std::array<std::atomic<uint64_t>, events::kLogConditionCount> conditions{};
  std::atomic<uint64_t> resyncs{0};
  std::atomic<uint64_t> compared{0};     // Objects compared with the metastore, equal ones too.
  std::atomic<uint64_t> differences{0};  // Found by that, with nothing in flight to explain them.
  std::atomic<uint64_t> repairs{0};
};

}  // namespace catalogd::sync
