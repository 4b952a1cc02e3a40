#include "tests/replay/recorded_metastore.h"

#include <algorithm>
#include <set>

#include "thrift/idl/object_field_ids.h"
#include "thrift/wire/view.h"

namespace catalogd::replay {
namespace {

const ObjectName& DefaultDatabase() {
  static const ObjectName name = ObjectName::Database(kDefaultCatalog, "default");
  return name;
}

bool IsOtherCatalog(const hms::NotificationEvent& row) {
  return row.catalog && NormalizeName(*row.catalog) != kDefaultCatalog && row.db;
}

}  // namespace

RecordedMetastore::RecordedMetastore(const Recording* recording) : recording_(recording) {
  PutDefaultDatabase();
}

// It is there before the first event; what it looked like then is told by its first line, or, when
// nothing ever happened to it, by the end state.
void RecordedMetastore::PutDefaultDatabase() {
  const ObjectKey key{DefaultDatabase(), {}, ObjectKind::kDatabase};
  for (const Step& step : recording_->steps) {
    for (const ObjectState& object : step.objects) {
      if (object.key != key || !object.thrift) continue;
      objects_[key] = *object.thrift;
      return;
    }
  }
  for (const EndObject& object : recording_->end) {
    if (object.key == key) objects_[key] = object.thrift;
  }
}

bool RecordedMetastore::Advance() {
  if (steps_ >= recording_->steps.size()) {
    now_ = recording_->last_id();
    return false;
  }
  const Step& step = recording_->steps[steps_++];
  now_ = step.id;
  for (const ObjectState& object : step.objects) {
    if (object.thrift) {
      objects_[object.key] = *object.thrift;
    } else {
      objects_.erase(object.key);
    }
  }
  return true;
}

std::optional<std::string> RecordedMetastore::Truth(const ObjectKey& key) const {
  const auto at = objects_.find(key);
  if (at == objects_.end()) return std::nullopt;
  return at->second;
}

bool RecordedMetastore::IsHalfDropped(const ObjectKey& key) const {
  const auto lacks_storage = [](const std::string& bytes, int16_t field) {
    return !wire::StructView(bytes).Find(field);
  };
  if (key.kind != ObjectKind::kDatabase) {
    const auto at = objects_.find(key);
    return at != objects_.end() &&
           lacks_storage(at->second,
                         key.kind == ObjectKind::kTable ? ids::table::kSd : ids::partition::kSd);
  }
  return std::any_of(objects_.begin(), objects_.end(), [&](const auto& object) {
    return object.first.kind == ObjectKind::kTable &&
           object.first.name.DatabaseName() == key.name &&
           lacks_storage(object.second, ids::table::kSd);
  });
}

std::vector<std::string> RecordedMetastore::PartitionNames(const ObjectName& table) const {
  std::vector<std::string> names;
  for (auto at = objects_.lower_bound(ObjectKey{table, {}, ObjectKind::kDatabase});
       at != objects_.end() && at->first.name == table; ++at) {
    if (at->first.kind == ObjectKind::kPartition) names.push_back(at->first.part);
  }
  return names;
}

std::vector<ObjectName> RecordedMetastore::AllNames() const {
  std::set<ObjectName> names;
  for (const auto& [key, bytes] : objects_) {
    if (key.kind == ObjectKind::kDatabase || key.kind == ObjectKind::kTable) names.insert(key.name);
  }
  for (const hms::NotificationEvent& row : recording_->log) {
    if (row.id > now_) break;
    if (!IsOtherCatalog(row)) continue;
    const bool table = row.type.ends_with("_TABLE");
    if (!table && !row.type.ends_with("_DATABASE")) continue;
    const ObjectName name = table ? ObjectName::Table(*row.catalog, *row.db, row.table.value_or(""))
                                  : ObjectName::Database(*row.catalog, *row.db);
    if (row.type.starts_with("CREATE")) names.insert(name);
    if (row.type.starts_with("DROP")) names.erase(name);
  }
  return {names.begin(), names.end()};
}

Result<EventId> RecordedMetastore::CurrentEventId(TimePoint) { return now_; }

Result<std::vector<hms::NotificationEvent>> RecordedMetastore::NextEvents(EventId after, int max,
                                                                          TimePoint) {
  const auto& log = recording_->log;
  auto row =
      std::upper_bound(log.begin(), log.end(), after,
                       [](EventId id, const hms::NotificationEvent& at) { return id < at.id; });
  std::vector<hms::NotificationEvent> rows;
  for (; row != log.end() && row->id <= now_; ++row) {
    if (max > 0 && rows.size() >= static_cast<size_t>(max)) break;
    rows.push_back(*row);
  }
  return rows;
}

Result<std::vector<std::string>> RecordedMetastore::ListCatalogs(TimePoint) {
  std::set<std::string> names;
  for (const ObjectName& name : AllNames()) names.insert(name.catalog());
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::vector<std::string>> RecordedMetastore::ListDatabases(const std::string& catalog,
                                                                  TimePoint) {
  std::vector<std::string> names;
  for (const ObjectName& name : AllNames()) {
    if (name.is_database() && name.catalog() == catalog) names.push_back(name.db());
  }
  return names;
}

Result<std::vector<std::string>> RecordedMetastore::ListTables(const ObjectName& db, TimePoint) {
  std::vector<std::string> names;
  for (const ObjectName& name : AllNames()) {
    if (name.is_table() && name.DatabaseName() == db) names.push_back(name.table());
  }
  return names;
}

Result<std::string> RecordedMetastore::Read(const ObjectKey& key) const {
  std::optional<std::string> object = Truth(key);
  if (!object) return MakeError(ErrorCode::kNotFound, key.ToString() + " does not exist");
  return std::move(*object);
}

Result<std::string> RecordedMetastore::ReadDatabase(const ObjectName& db, TimePoint) {
  return Read({db, {}, ObjectKind::kDatabase});
}

Result<std::string> RecordedMetastore::ReadTable(const ObjectName& table, TimePoint) {
  return Read({table, {}, ObjectKind::kTable});
}

Result<std::vector<std::string>> RecordedMetastore::ReadPartitions(const ObjectName& table,
                                                                   TimePoint deadline) {
  return ReadPartitionsByNames(table, PartitionNames(table), deadline);
}

Result<std::vector<std::string>> RecordedMetastore::ReadPartitionsByNames(
    const ObjectName& table, const std::vector<std::string>& names, TimePoint deadline) {
  ASSIGN_OR_RETURN(const std::string unused, ReadTable(table, deadline));
  std::vector<std::string> found;
  for (const std::string& name : names) {
    auto partition = Truth({table, name, ObjectKind::kPartition});
    if (partition) found.push_back(std::move(*partition));
  }
  return found;
}

Result<std::string> RecordedMetastore::ConfigValue(const std::string&,
                                                   const std::string& default_value, TimePoint) {
  return default_value;
}

Result<hms::ServerFacts> RecordedMetastore::Facts(TimePoint) {
  hms::ServerFacts facts;
  facts.generation = recording_->generation;
  return facts;
}

Result<std::string> RecordedMetastore::Forward(std::string_view, const hms::Identity&, TimePoint) {
  return MakeError(ErrorCode::kUnsupported, "a recording answers no calls of clients");
}

}  // namespace catalogd::replay
