#pragma once

#include <functional>
#include <memory>
#include <string>

#include "catalog/base/executor.h"
#include "catalog/base/mutex.h"
#include "catalog/coord/service/parking.h"
#include "catalog/coord/service/table_state.h"
#include "catalog/coord/store/store_writer.h"

namespace catalogd::coord {

// One coordinated table: its state, its mutex, and the way to the store.
//
// A decision is made on `state` under `mutex`, together with handing its changes to the store, so
// that file and memory see changes in one order. Whoever asked is told after they are durable.
// Thread safety: as annotated.
// Invariants: `state` is what the file will be; where it turns out not to be, the table is held
// (RECOVERING) until it was read again.
class ManagedTable : public std::enable_shared_from_this<ManagedTable> {
 public:
  struct Ways {
    StoreWriter* writer = nullptr;
    Executor* workers = nullptr;  // May wait.
    Timer* timer = nullptr;
    Parking* parking = nullptr;
    const Clock* clock = nullptr;
  };
  ManagedTable(TableState state_in, Ways ways)
      : state(std::move(state_in)), id_(state.id()), ways_(ways) {}

  Mutex mutex{LockRank::kCoord};
  TableState state GUARDED_BY(mutex);
  // What runs for the table in the background (publication.h).
  struct Background {
    bool publishing = false;
    bool publish_again = false;
    bool settling = false;
  };
  Background background GUARDED_BY(mutex);

  // Also without the mutex.
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] int64_t WallMs() const { return WallMillis(*ways_.clock); }

  // Applies the batch to `state` and hands it to the store. `done` runs once it is durable (or
  // not), on the writer's thread and without a mutex. An empty batch: `done` runs when everything
  // before it is durable. STORE_FAILED, COMMIT_STATE_UNKNOWN (the disk failed in the commit).
  void Store(StoreBatch batch, std::function<void(CoordStatus)> done) REQUIRES(mutex);
  // The same, and waits. Neither under the mutex nor on the writer's thread.
  // `make` decides under the mutex; its failure is the answer, and nothing is stored.
  CoordStatus StoreNow(const std::function<CoordResult<StoreBatch>(TableState*)>& make);

  // Something has changed that somebody may wait for.
  void Wake() { ways_.parking->Wake(id_); }

 private:
  void OnStored(IdVersion version, const Status& status,
                const std::function<void(CoordStatus)>& done);
  void ReadAgain(Duration delay);

  const std::string id_;
  const Ways ways_;
};
using ManagedTablePtr = std::shared_ptr<ManagedTable>;

}  // namespace catalogd::coord
