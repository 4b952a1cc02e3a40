#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"
#include "catalog/coord/conflict_check.h"
#include "catalog/coord/service/parking.h"
#include "catalog/coord/service/table_directory.h"
#include "catalog/coord/service/table_publisher.h"
#include "catalog/coord/store/store_writer.h"

namespace catalogd::coord {

// How an asynchronous call answers: once, on any thread, perhaps at once.
template <class T>
using Done = std::function<void(CoordResult<T>)>;

// For metrics. Thread safety: yes.
struct CoordCounters {
  std::atomic<int64_t> begun{0};
  std::atomic<int64_t> committed{0};
  std::atomic<int64_t> aborted{0};
  std::atomic<int64_t> reaped{0};
  std::atomic<int64_t> conflicts{0};
  std::array<std::array<std::atomic<int64_t>, kOpClassCount>, kOpClassCount> conflict_cells{};
  std::atomic<int64_t> rebased{0};
  std::atomic<int64_t> fenced{0};
  std::atomic<int64_t> claims{0};
  std::atomic<int64_t> takeovers{0};
  std::atomic<int64_t> plan_busy{0};
  std::atomic<int64_t> plans_scheduled{0};
  std::atomic<int64_t> plans_completed{0};
  std::atomic<int64_t> plans_failed{0};
  std::atomic<int64_t> publications{0};
  std::atomic<int64_t> publish_failures{0};
  std::atomic<int64_t> unknown_outcomes{0};
  std::atomic<int64_t> self_events{0};
  std::atomic<int64_t> regressions{0};
  std::atomic<int64_t> ownership_lost{0};
};

// A commit that was refused, for people.
struct NotedConflict {
  std::string table_id;
  std::string table;
  int64_t at_ms = 0;  // Wall clock.
  int64_t txn_id = 0;
  int64_t plan_id = 0;
  ConflictPolicy policy = ConflictPolicy::kMaxCompute;
  Conflict conflict;
};

// The newest conflicts. Thread safety: yes.
class ConflictLog {
 public:
  static constexpr size_t kKept = 100;
  void Note(NotedConflict conflict) {
    const MutexLock lock(mutex_);
    conflicts_.push_front(std::move(conflict));
    if (conflicts_.size() > kKept) conflicts_.pop_back();
  }
  [[nodiscard]] std::vector<NotedConflict> Newest() const {
    const MutexLock lock(mutex_);
    return {conflicts_.begin(), conflicts_.end()};
  }

 private:
  mutable Mutex mutex_{LockRank::kStats};
  std::deque<NotedConflict> conflicts_ GUARDED_BY(mutex_);
};

// What the parts of the service share. Everything outlives them.
struct CoordContext {
  StoreWriter* writer = nullptr;
  TablePublisher* publisher = nullptr;
  const Clock* clock = nullptr;
  Timer* timer = nullptr;
  Executor* workers = nullptr;  // May wait.
  Parking parking{workers, timer};
  TableDirectory tables;
  ConflictLog conflicts;
  CoordCounters counters;
  // Given to the next transaction and the next plan of whatever table.
  std::atomic<int64_t> next_txn{1};
  std::atomic<int64_t> next_plan{1};
  std::atomic<bool> stopping{false};
  // After a commit: triggers are looked at. Set by whoever schedules.
  std::function<void(const ManagedTablePtr&)> after_commit;
  // For crash tests: is told of each step of a commit and of a start ("prepared", "published",
  // ...).
  std::function<void(std::string_view step)> at_step;

  CoordContext(StoreWriter* writer_in, TablePublisher* publisher_in, const Clock* clock_in,
               Timer* timer_in, Executor* workers_in)
      : writer(writer_in),
        publisher(publisher_in),
        clock(clock_in),
        timer(timer_in),
        workers(workers_in) {}

  void AtStep(std::string_view step) const {
    if (at_step) at_step(step);
  }
  [[nodiscard]] ManagedTable::Ways Ways() { return {writer, workers, timer, &parking, clock}; }
};

}  // namespace catalogd::coord
