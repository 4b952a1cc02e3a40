#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"
#include "catalog/base/names.h"
#include "catalog/base/result.h"

namespace catalogd::cache {

// From weak to strong. kAlone is for a database: other changes of the database itself are kept out,
// those of its tables are not.
enum class LockMode { kShared, kAlone, kExclusive };
std::string_view LockModeName(LockMode mode);

class NameLockCore;  // Internal: name_locks.cc.
struct NameLockEntry;

// Proof that names are locked; mutating calls take it. Released when destroyed.
// Thread safety: none, but it may be moved to another thread. May outlive its NameLocks.
class NameGuard {
 public:
  NameGuard() = default;
  ~NameGuard();
  NameGuard(NameGuard&& other) noexcept;
  NameGuard& operator=(NameGuard&& other) noexcept;
  NameGuard(const NameGuard&) = delete;
  NameGuard& operator=(const NameGuard&) = delete;

  // True when changes of that name are covered: the name exclusively or alone, or its database
  // exclusively.
  [[nodiscard]] bool Covers(const ObjectName& name) const;
  // The same for every table that the database has or may get.
  [[nodiscard]] bool CoversTablesOf(const ObjectName& database) const;
  [[nodiscard]] bool held() const { return core_ != nullptr; }
  void Release();

 private:
  friend class NameLockCore;
  [[nodiscard]] bool believes() const;

  std::shared_ptr<NameLockCore> core_;
  NameLockEntry* entry_ = nullptr;
  std::vector<ObjectName> exclusive_;
  std::vector<ObjectName> alone_;
};

// Locks that belong to names, not to objects: CREATE locks what does not exist yet, RENAME both
// ends. Two levels: locking a table (either way) locks its database shared; locking a database
// exclusively keeps all table operations of it out, locking it alone does not.
//
// A request enters the queues of all its names at once and is granted when nothing before it in any
// of them conflicts: first come, first served, per name; no deadlock, because a request only ever
// waits for earlier ones; no upgrades. Whoever waits holds no thread.
// Thread safety: yes. Locks: rank kNameLockTable, nothing else taken while it is held.
// Lifetime: executor, timer and clock outlive it. Requests that still wait when it is destroyed are
// dropped without an answer.
class NameLocks {
 public:
  NameLocks(Executor* executor, Timer* timer, const Clock* clock);
  ~NameLocks();
  NameLocks(const NameLocks&) = delete;
  NameLocks& operator=(const NameLocks&) = delete;

  struct Request {
    std::vector<ObjectName> exclusive;  // Databases of tables are added as shared by itself.
    std::vector<ObjectName> shared;     // E.g. the database of a DDL that only reads it.
    std::vector<ObjectName> alone;      // Databases that change and whose tables do not.
    std::string owner;                  // Who wants it, for /locks: "event 4711 ALTER_TABLE".
    TimePoint deadline = TimePoint::max();
  };
  using Granted = std::function<void(Result<NameGuard>)>;

  // A guard at once, if nothing conflicts: then `granted` is not called. Otherwise `granted` runs
  // on the executor, with the guard, or with kTimedOut (text: what held the names, and since when).
  std::optional<NameGuard> Acquire(Request request, Granted granted);

  // What /locks shows.
  struct Info {
    uint64_t ticket = 0;
    std::string owner;
    std::vector<std::pair<ObjectName, LockMode>> names;
    bool granted = false;
    TimePoint since;               // Of the request, or of the grant.
    std::vector<uint64_t> behind;  // Tickets it waits for (of each name the first few).
  };
  // In the order of the requests.
  [[nodiscard]] std::vector<Info> Snapshot() const;
  [[nodiscard]] size_t waiting() const;

 private:
  const std::shared_ptr<NameLockCore> core_;
};

}  // namespace catalogd::cache
