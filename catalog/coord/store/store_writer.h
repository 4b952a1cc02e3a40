#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"
#include "catalog/coord/store/coord_store.h"

namespace catalogd::coord {

// The one thread that uses the store: whoever decided hands over a batch and is told when it is
// durable. What came in while one commit was being synced goes into the next one together.
//
// Not for: decisions, and not a cache; the caller has the rows in memory and is ahead of the file
// until it is told.
// Thread safety: yes. `Write` and `Resume` never wait, so they may be called under a mutex of a
// rank below LockRank::kCoordStore.
// Invariants: batches of one table are written in the order given; after one that was not stored no
// other of that table is, until Resume. `done` is called once for each batch, on the writer's
// thread, with no mutex held, in the order given.
// Errors: those of CoordStore; kConflict after an earlier failure of the same table; kCancelled
// after Stop. A failure stops its table, one of a whole commit those of all its batches: their
// owners Reload, take over what is there, and Resume.
// Lifetime: no call may run while the destructor does.
class StoreWriter {
 public:
  struct Options {
    size_t max_group = 64;  // Batches in one commit; 0 is taken for 1.
  };
  using Done = std::function<void(Status)>;

  explicit StoreWriter(std::unique_ptr<CoordStore> store) : StoreWriter(std::move(store), {}) {}
  StoreWriter(std::unique_ptr<CoordStore> store, Options options);
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  void Write(std::string table_id, StoreBatch batch, Done done);
  // Waits until it is durable. Not from a `done`.
  Status WriteNow(std::string table_id, StoreBatch batch);
  // What the file has of a table, after everything that was handed over before this. Waits; not
  // from a `done`.
  Result<StoreContent> Reload(const std::string& table_id);
  // As CoordStore::ReadAudit, in the same way.
  Result<std::vector<AuditRecord>> ReadAudit(const std::string& table_id, int64_t at_most);
  // Batches of this table that are handed over from now on are written again; those still queued
  // from before are not.
  void Resume(const std::string& table_id);
  // Returns when what was handed over has been told; from then on everything is refused. Not from
  // a `done`.
  void Stop();

 private:
  struct Item {
    TableBatch batch;
    uint64_t generation = 0;  // Of its table when it came.
    bool cancelled = false;   // Came after Stop.
    std::function<void(Status)> done;
    bool reads = false;  // `done` reads the store, so nothing else is in its group.
    Status verdict = Ok();
  };
  // A table that failed at least once.
  struct TableState {
    uint64_t generation = 0;  // Of what may be written; raised by Resume.
    bool stopped = false;
  };

  template <class T>
  Result<T> Ask(const std::string& table_id, std::function<Result<T>(CoordStore&)> read);
  void Add(Item item);
  void Run();
  // False at the end. A group is either batches or one read.
  bool Take(std::vector<Item>* group);
  [[nodiscard]] Status Verdict(const Item& item) const REQUIRES(mutex_);
  void WriteGroup(std::vector<Item>* group);
  void StopTablesOf(const std::vector<Item>& group);

  const std::unique_ptr<CoordStore> store_;  // Of the writer's thread.
  const size_t max_group_;
  Mutex mutex_{LockRank::kCoordStore};
  CondVar wake_;
  CondVar told_;
  std::deque<Item> queue_ GUARDED_BY(mutex_);
  std::map<std::string, TableState> states_ GUARDED_BY(mutex_);
  uint64_t added_count_ GUARDED_BY(mutex_) = 0;
  uint64_t told_count_ GUARDED_BY(mutex_) = 0;
  bool stopped_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  LoopThread thread_;  // The last one: it uses all others.
};

}  // namespace catalogd::coord
