#include "catalog/coord/service/table_directory.h"

namespace catalogd::coord {

CoordResult<ManagedTablePtr> TableDirectory::Find(const std::string& reference) const {
  if (reference.empty()) return Fail(CoordCode::kInvalidArgument, "the call names no table");
  {
    const ReaderLock lock(mutex_);
    const auto found = tables_.find(reference);
    if (found != tables_.end()) return found->second;
  }
  const auto name = ParseObjectName(reference);
  if (name && name->is_table()) {
    if (ManagedTablePtr table = FindName(*name)) return table;
  }
  return Fail(CoordCode::kNotFound,
              "table " + reference + " is not coordinated here; register it first");
}

ManagedTablePtr TableDirectory::FindName(const ObjectName& name) const {
  const ReaderLock lock(mutex_);
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : tables_.at(found->second);
}

std::vector<ManagedTablePtr> TableDirectory::All() const {
  const ReaderLock lock(mutex_);
  std::vector<ManagedTablePtr> tables;
  tables.reserve(tables_.size());
  for (const auto& [id, table] : tables_) tables.push_back(table);
  return tables;
}

bool TableDirectory::Add(const ManagedTablePtr& table, const ObjectName& name, bool active) {
  const WriterLock lock(mutex_);
  if (active && !names_.try_emplace(name, table->id()).second) return false;
  tables_[table->id()] = table;
  return true;
}

void TableDirectory::Rename(const std::string& id, const ObjectName& from, const ObjectName& to) {
  const WriterLock lock(mutex_);
  const auto old = names_.find(from);
  if (old != names_.end() && old->second == id) names_.erase(old);
  names_[to] = id;
}

void TableDirectory::Deactivate(const std::string& id, const ObjectName& name) {
  const WriterLock lock(mutex_);
  const auto found = names_.find(name);
  if (found != names_.end() && found->second == id) names_.erase(found);
}

void TableDirectory::Forget(const std::string& id) {
  const WriterLock lock(mutex_);
  tables_.erase(id);
}

}  // namespace catalogd::coord
