#include "catalog/cache/snapshot.h"

#include <algorithm>
#include <utility>

#include "thrift/idl/object_field_ids.h"
#include "thrift/wire/view.h"

namespace catalogd::cache {
namespace {

constexpr std::string_view kOwnSyncKey = "catalogd.sync.disabled";
constexpr std::string_view kImpalaSyncKey = "impala.disableHmsSync";

// `lower` is lower-case ASCII.
bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

std::string_view SkipSpace(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// True for {"BASIC_STATS":"true","COLUMN_STATS":{"a":"true"}}: the object behind the key is not
// empty. Anything that does not look like that (an old server's "true") names no columns.
bool NamesColumns(std::string_view json) {
  constexpr std::string_view kKey = "\"COLUMN_STATS\"";
  for (size_t at = json.find(kKey); at != std::string_view::npos; at = json.find(kKey, at + 1)) {
    std::string_view rest = SkipSpace(json.substr(at + kKey.size()));
    if (rest.empty() || rest.front() != ':') continue;
    rest = SkipSpace(rest.substr(1));
    if (rest.empty() || rest.front() != '{') continue;
    rest = SkipSpace(rest.substr(1));
    if (!rest.empty() && rest.front() == '"') return true;
  }
  return false;
}

std::vector<std::string> ReadKeyNames(std::string_view field_schemas) {
  std::vector<std::string> names;
  const wire::ListView list(field_schemas);
  if (list.element_type() != wire::TType::kStruct) return names;
  for (const std::string_view element : list.Elements()) {
    const auto name = wire::StructView(element).String(ids::field_schema::kName);
    names.push_back(NormalizeName(name.value_or("")));
  }
  return names;
}

void ReadParameters(std::string_view parameters, Snapshot* snapshot) {
  bool own_key = false;
  for (const auto& [key, value] : wire::StringMap(parameters)) {
    const bool is_true = EqualsIgnoringCase(value, "true");
    // Servers accept this one key in either case.
    if (EqualsIgnoringCase(key, "transactional")) {
      if (is_true) snapshot->transactional = true;
    } else if (key == "COLUMN_STATS_ACCURATE") {
      snapshot->has_column_statistics = NamesColumns(value);
    } else if (key == kOwnSyncKey || (key == kImpalaSyncKey && !own_key)) {
      own_key = own_key || key == kOwnSyncKey;
      snapshot->sync = is_true ? SyncSwitch::kDisabled : SyncSwitch::kFollowed;
    }
  }
  snapshot->sync_disabled = snapshot->sync == SyncSwitch::kDisabled;
}

SyncSwitch SwitchIn(std::string_view object, int16_t parameters_field) {
  const auto parameters = wire::StructView(object).Find(parameters_field);
  if (!parameters || parameters->type != wire::TType::kMap) return SyncSwitch::kUnset;
  // Nearly always neither is there.
  const auto has = [&](std::string_view key) {
    return parameters->value.find(key) != std::string_view::npos;
  };
  if (!has(kOwnSyncKey) && !has(kImpalaSyncKey)) return SyncSwitch::kUnset;
  Snapshot traits;
  ReadParameters(parameters->value, &traits);
  return traits.sync;
}

void ReadTableTraits(Snapshot* snapshot) {
  auto fields = wire::StructView(snapshot->object).Begin();
  while (const auto field = fields.Next()) {
    if (field->id == ids::table::kPartitionKeys && field->type == wire::TType::kList) {
      snapshot->partition_keys = ReadKeyNames(field->value);
    } else if (field->id == ids::table::kParameters && field->type == wire::TType::kMap) {
      ReadParameters(field->value, snapshot);
    } else if (field->id == ids::table::kSd && field->type == wire::TType::kStruct) {
      const auto columns = wire::StructView(field->value).Find(ids::storage_descriptor::kCols);
      if (!columns || columns->type != wire::TType::kList) continue;
      snapshot->columns_at = static_cast<size_t>(columns->value.data() - snapshot->object.data());
      snapshot->columns_size = columns->value.size();
    } else if (field->id == ids::table::kTableType && field->type == wire::TType::kString) {
      const std::string_view type = wire::DecodeString(field->value);
      snapshot->materialized_view = type == "MATERIALIZED_VIEW";
      snapshot->virtual_view = type == "VIRTUAL_VIEW";
    }
  }
}

}  // namespace

std::string_view SlotStateName(SlotState state) {
  switch (state) {
    case SlotState::kUnknown:
      return "unknown";
    case SlotState::kAbsent:
      return "absent";
    case SlotState::kStub:
      return "stub";
    case SlotState::kPresent:
      return "present";
  }
  return "?";
}

SyncSwitch SyncSwitchOfTable(std::string_view table_struct) {
  return SwitchIn(table_struct, ids::table::kParameters);
}

SyncSwitch SyncSwitchOfDatabase(std::string_view database_struct) {
  return SwitchIn(database_struct, ids::database::kParameters);
}

SnapshotPtr MakeTableSnapshot(std::string table_struct, PartitionSet::Ptr partitions) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->object = std::move(table_struct);
  ReadTableTraits(snapshot.get());
  snapshot->partitions = std::move(partitions);
  if (!snapshot->partitions && snapshot->partition_keys.empty()) {
    snapshot->partitions = PartitionSet::Empty();
  }
  return snapshot;
}

SnapshotPtr MakeDatabaseSnapshot(std::string database_struct) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->object = std::move(database_struct);
  auto fields = wire::StructView(snapshot->object).Begin();
  while (const auto field = fields.Next()) {
    if (field->id != ids::database::kParameters || field->type != wire::TType::kMap) continue;
    Snapshot traits;
    ReadParameters(field->value, &traits);
    snapshot->sync = traits.sync;
    snapshot->sync_disabled = traits.sync_disabled;
  }
  return snapshot;
}

SnapshotPtr WithPartitions(const Snapshot& table, PartitionSet::Ptr partitions) {
  auto snapshot = std::make_shared<Snapshot>(table);
  snapshot->partitions = std::move(partitions);
  return snapshot;
}

std::string_view ColumnsOf(std::string_view table_struct) {
  const auto sd = wire::StructView(table_struct).Struct(ids::table::kSd);
  if (!sd) return {};
  const auto columns = sd->Find(ids::storage_descriptor::kCols);
  return columns && columns->type == wire::TType::kList ? columns->value : std::string_view();
}

}  // namespace catalogd::cache
