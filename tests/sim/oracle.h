#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalog/sync/sync_core.h"
#include "tests/sim/model.h"
#include "tests/sim/options.h"

namespace catalogd::sim {

// Compares what the daemon shows with what the model knows, and what it shows now with what it
// showed before.
//
// Between a restored metastore and the moment the daemon has noticed, ids mean two things at once:
// contents are not judged then.
// Thread safety: actors only, one at a time.
class Oracle {
 public:
  Oracle(const Model* model, const SimOptions* options, Scheduler* scheduler)
      : model_(model), options_(options), scheduler_(scheduler) {}

  // The daemon started (again).
  void Attach(sync::SyncCore* core);

  // What was known when a read began: nothing shown after may be older.
  struct Start {
    LogEpoch epoch;
    int era = 0;
    bool settled = false;
    bool following = false;  // Before it does, names are listed between two ids.
    EventId effective;
    EventId synced;
    EventId answered;
    CatalogVersion version;
    EventId own_write;
  };
  Start Begin(const ObjectName& name) const;
  // A look at one name. `answers`: a client would have got it from the cache.
  void OnLook(const ObjectName& name, const Start& start, const sync::ReadPosition& position,
              bool answers);
  // A read at a level: nothing below `floor` may have been answered.
  void OnAnswerAbove(const ObjectName& name, EventId floor, const sync::ReadPosition& position,
                     const char* what);
  // A list of tables that was answered, and the watermark from before.
  void OnList(const ObjectName& db, const Start& start, EventId watermark,
              const std::vector<std::string>& names);
  // A write was answered: these names must show event `at` from now on.
  void OnOwnWrite(const std::vector<ObjectName>& names, EventId at, int era);

  // The whole state at one version, from which deltas are replayed.
  struct Dump {
    CatalogVersion version;
    std::map<ObjectName, cache::SlotView> slots;
  };
  std::optional<Dump> TakeDump(const std::vector<ObjectName>& universe) const;
  void CheckDeltas(const Dump& from, const std::vector<ObjectName>& universe);

  // Faults are over and the log has been followed to its end: every slot against the model.
  void CheckEnd(const std::vector<ObjectName>& universe);

  // The metastore was restored: contents count again when a new epoch serves.
  void OnRestore() { unsettled_since_ = core_->cache().epoch(); }
  [[nodiscard]] bool settled() const;

  void Fail(const std::string& invariant, const std::string& text);
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  [[nodiscard]] uint64_t checks() const { return checks_; }

 private:
  void NoteJournal();
  struct Shown {
    LogEpoch epoch;
    // In this life of the daemon, whether it answered or not.
    EventId effective;
    EventId synced;
    EventId answered;
    CatalogVersion version;
    std::map<EventId, EventId> incarnations;  // To the creation in the log.
  };
  void CheckContent(const ObjectName& name, const cache::SlotView& view, EventId at,
                    const std::string& where);
  void CheckPartitions(const ObjectName& name, const cache::Snapshot& shown,
                       const ObjectState& expected, EventId at, const std::string& where);
  void CheckIncarnation(const ObjectName& name, const cache::SlotView& view, EventId at,
                        Shown* shown);
  [[nodiscard]] bool CouldBe(const ObjectName& name, bool exists, EventId from, EventId to) const;

  const Model* const model_;
  const SimOptions* const options_;
  Scheduler* const scheduler_;
  sync::SyncCore* core_ = nullptr;
  std::optional<LogEpoch> unsettled_since_;
  std::map<ObjectName, Shown> shown_;
  std::map<ObjectName, std::pair<EventId, int>> own_writes_;  // To event and era.
  std::vector<std::string> violations_;
  uint64_t checks_ = 0;
};

}  // namespace catalogd::sim
