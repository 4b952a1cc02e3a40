#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/cache/name_locks.h"

// The queues behind NameLocks. Internal to name_locks.cc and its tests.
namespace catalogd::cache {

// The parts of a name, borrowed: looking a queue up must not copy strings.
struct NameRef {
  std::string_view catalog;
  std::string_view db;
  std::string_view table;  // Empty: the database.

  static NameRef Of(const ObjectName& name) { return {name.catalog(), name.db(), name.table()}; }
  [[nodiscard]] NameRef Parent() const { return {catalog, db, {}}; }
  friend auto operator<=>(const NameRef&, const NameRef&) = default;
};

struct NameRefHash {
  using is_transparent = void;
  size_t operator()(const NameRef& ref) const noexcept;
  size_t operator()(const ObjectName& name) const noexcept { return (*this)(NameRef::Of(name)); }
};

struct NameRefEqual {
  using is_transparent = void;
  bool operator()(const ObjectName& a, const ObjectName& b) const { return a == b; }
  bool operator()(const NameRef& a, const ObjectName& b) const { return a == NameRef::Of(b); }
  bool operator()(const ObjectName& a, const NameRef& b) const { return NameRef::Of(a) == b; }
};

struct NameQueue;

// One request's place in the queue of one name; part of the entry, linked into the queue.
struct NameHold {
  NameLockEntry* entry = nullptr;
  NameQueue* queue = nullptr;
  NameHold* previous = nullptr;
  NameHold* next = nullptr;
  LockMode mode = LockMode::kShared;
  bool clear = false;  // Nothing before it in this queue conflicts.
};

// The requests for one name in ticket order.
// Invariant: a shared hold is clear iff no exclusive hold is before it; one of mode kAlone iff no
// other but shared ones is; an exclusive one iff it is the first.
struct NameQueue {
  const ObjectName* name = nullptr;  // The key of the map that owns the queue.
  NameHold* first = nullptr;
  NameHold* last = nullptr;
  size_t exclusive = 0;  // Exclusive holds in it.
  size_t alone = 0;      // Those of mode kAlone.
};

// One request, granted or waiting.
struct NameLockEntry {
  uint64_t ticket = 0;
  boost::container::small_vector<NameHold, 4> holds;  // Never resized once linked.
  size_t blocked = 0;                                 // Holds that are not clear.
  NameLocks::Request request;
  NameLocks::Granted granted;
  bool is_granted = false;
  TimePoint since;
  Timer::Handle timer = 0;
  bool has_timer = false;
  NameLockEntry* previous = nullptr;  // All entries in ticket order.
  NameLockEntry* next = nullptr;
};

// All queues. Entering and leaving cost a constant per name plus one per request that is freed.
// Not for: locking, time, calling anybody back.
// Thread safety: none.
class NameLockTable {
 public:
  NameLockTable() = default;
  ~NameLockTable();
  NameLockTable(const NameLockTable&) = delete;
  NameLockTable& operator=(const NameLockTable&) = delete;

  // Enters all queues of the request. `blocked` of the result is 0 when it can be granted at once.
  NameLockEntry* Enter(NameLocks::Request request);
  // Leaves all queues and adds waiting entries that nothing blocks any more to `freed`, in ticket
  // order. The entry is kept for reuse: the pointer is dead.
  void Leave(NameLockEntry* entry, std::vector<NameLockEntry*>* freed);

  // Waiting entries can be found by their tickets.
  void AddWaiting(NameLockEntry* entry) { waiting_.emplace(entry->ticket, entry); }
  void RemoveWaiting(uint64_t ticket) { waiting_.erase(ticket); }
  [[nodiscard]] NameLockEntry* FindWaiting(uint64_t ticket) const;
  [[nodiscard]] size_t waiting() const { return waiting_.size(); }
  // Newest first, so that they can leave one after the other without freeing any.
  [[nodiscard]] std::vector<NameLockEntry*> Waiting() const;

  [[nodiscard]] const NameLockEntry* first() const { return first_; }
  [[nodiscard]] size_t queues() const { return queues_.size(); }

  // The first `max` holds before `hold` that conflict with it.
  static std::vector<const NameHold*> Before(const NameHold& hold, size_t max);

 private:
  using Queues = std::unordered_map<ObjectName, NameQueue, NameRefHash, NameRefEqual>;

  NameQueue* FindOrAdd(const NameRef& ref);
  void Link(NameHold* hold);
  void Unlink(NameHold* hold, std::vector<NameLockEntry*>* freed);
  static void ClearWithAlone(const NameQueue& queue, std::vector<NameLockEntry*>* freed);
  static void SetClear(NameHold* hold, std::vector<NameLockEntry*>* freed);
  NameLockEntry* NewEntry();
  void SweepIdleQueues();

  uint64_t next_ticket_ = 1;
  Queues queues_;
  size_t idle_queues_ = 0;  // Empty ones, kept because a name is often locked again soon.
  std::unordered_map<uint64_t, NameLockEntry*> waiting_;
  NameLockEntry* first_ = nullptr;
  NameLockEntry* last_ = nullptr;
  std::vector<std::unique_ptr<NameLockEntry>> spare_;
};

}  // namespace catalogd::cache
