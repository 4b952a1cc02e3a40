#pragma once

#include <map>
#include <string>
#include <vector>

#include "catalog/base/mutex.h"
#include "catalog/base/names.h"
#include "catalog/coord/service/managed_table.h"

namespace catalogd::coord {

// Which tables are coordinated, by id and by name. Dropped ones stay under their id until they are
// forgotten, so that their transactions get TABLE_GONE.
// Thread safety: yes. Locks: rank kCoordTables, behind a table's mutex.
class TableDirectory {
 public:
  // By id, "db.table" or "catalog.db.table". NOT_FOUND with what to do.
  [[nodiscard]] CoordResult<ManagedTablePtr> Find(const std::string& reference) const;
  [[nodiscard]] ManagedTablePtr FindName(const ObjectName& name) const;
  [[nodiscard]] std::vector<ManagedTablePtr> All() const;

  // False: an active one has that name.
  bool Add(const ManagedTablePtr& table, const ObjectName& name, bool active);
  void Rename(const std::string& id, const ObjectName& from, const ObjectName& to);
  // Its name is free again.
  void Deactivate(const std::string& id, const ObjectName& name);
  void Forget(const std::string& id);

 private:
  mutable SharedMutex mutex_{LockRank::kCoordTables};
  std::map<std::string, ManagedTablePtr> tables_ GUARDED_BY(mutex_);
  std::map<ObjectName, std::string> names_ GUARDED_BY(mutex_);
};

}  // namespace catalogd::coord
