#include "events/event_decoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "events/event_types.h"
#include "events/image_parts.h"
#include "events/json_slices.h"
#include "events/message_text.h"
#include "thrift/idl/object_field_ids.h"
#include "thrift/wire/tjson.h"
#include "thrift/wire/view.h"

namespace catalogd::events {
namespace {

using Kind = JsonSlice::Kind;
using Values = std::vector<std::string>;
using Spec = std::vector<std::pair<std::string, std::string>>;

tl::unexpected<Error> Corrupt(std::string message) {
  return MakeError(ErrorCode::kCorrupt, std::move(message));
}

// Fills an Event from a row. The order of steps: names of the row, names of the message where the
// row lacks them, payload.
class Decoding {
 public:
  Decoding(const hms::NotificationEvent& row, const DecoderLimits& limits)
      : row_(row), limits_(limits), type_(FindEventType(row.type)) {
    wire_limits_.max_message = limits.max_message;
    wire_limits_.max_string = limits.max_message;
  }

  Event Run() {
    event_.id = row_.id;
    event_.kind = type_.kind;
    event_.type = row_.type;
    event_.time = row_.time;
    if (limits_.fingerprint) event_.fingerprint = Fingerprint(row_);
    NamesFromRow();
    if (NeedsMessage()) {
      const Status status = Message();
      if (!status && MayLackImage()) event_.database_image.reset();
      if (!status && !MayLackImage()) GiveUp(status.error());
    }
    event_.bytes = MemoryUse();
    return std::move(event_);
  }

 private:
  void NamesFromRow();
  [[nodiscard]] bool NeedsMessage() const {
    if (type_.kind == EventKind::kUnknown || type_.names == EventType::Names::kNone) return false;
    return type_.has_payload || !NameIsComplete();
  }
  // Databases are read again whatever the message says.
  [[nodiscard]] bool MayLackImage() const {
    const bool of_database =
        type_.kind == EventKind::kCreateDatabase || type_.kind == EventKind::kAlterDatabase;
    return of_database && NameIsComplete();
  }
  [[nodiscard]] bool NameIsComplete() const {
    if (event_.name.db().empty()) return false;
    return type_.names != EventType::Names::kTable || event_.name.is_table();
  }
  // What is known of the name stays, everything else that the message said goes: half a list of
  // partitions is worse than none.
  void GiveUp(const Error& error);

  Status Message();
  Status NamesFromMessage();
  Result<std::pair<std::string, std::string>> NamesFromConstraint();
  Status Payload();
  Status AlterTable();
  Status OldName(std::string_view before_json);
  Status AddPartitions();
  Status AlterPartition();
  Status DropPartitions();
  Status StatsPartition();
  Status Function();
  Status Index();
  Status DatabaseImage();
  Status TableImage(std::string_view key);

  // Absent when the message has no such key or null there.
  Result<std::string> TextOf(std::initializer_list<std::string_view> keys) const;
  // Booleans are the strings "true" and "false" in messages.
  Result<bool> IsTrue(std::string_view key) const;
  Result<std::string> Image(const JsonSlice& slice) const;
  Status AppendPartition(const JsonSlice& slice);
  // The specs as values in key order, if the message tells that order.
  void SpecsToValues();
  [[nodiscard]] size_t MemoryUse() const;

  const hms::NotificationEvent& row_;
  const DecoderLimits& limits_;
  const EventType type_;
  wire::Limits wire_limits_;
  Event event_;
  JsonMembers message_;
};

void Decoding::NamesFromRow() {
  if (type_.names == EventType::Names::kNone) return;
  const std::string_view catalog = row_.catalog ? std::string_view(*row_.catalog) : kDefaultCatalog;
  const std::string_view db = row_.db ? std::string_view(*row_.db) : std::string_view();
  if (NormalizeName(db).empty()) return;
  // Hive 3.1 writes a blank for "no table".
  if (type_.names == EventType::Names::kDatabase || !row_.table) {
    event_.name = ObjectName::Database(catalog, db);
  } else {
    event_.name = ObjectName::Table(catalog, db, *row_.table);
  }
}

void Decoding::GiveUp(const Error& error) {
  Event bare;
  bare.id = event_.id;
  bare.kind = event_.kind;
  bare.type = std::move(event_.type);
  bare.time = event_.time;
  bare.fingerprint = event_.fingerprint;
  bare.name = std::move(event_.name);
  bare.old_name = std::move(event_.old_name);
  bare.problem = error.message;
  event_ = std::move(bare);
}

Status Decoding::Message() {
  std::string storage;
  ASSIGN_OR_RETURN(const std::string_view text, MessageView(row_, limits_, &storage));
  ASSIGN_OR_RETURN(message_, JsonMembers::Parse(text));
  if (!NameIsComplete()) RETURN_IF_ERROR(NamesFromMessage());
  return Payload();
}

Result<std::string> Decoding::TextOf(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    const JsonSlice slice = message_.Find(key);
    if (slice.present()) return JsonText(slice);
  }
  return std::string();
}

Result<bool> Decoding::IsTrue(std::string_view key) const {
  const Result<std::string> text = TextOf({key});
  if (!text) return AsError(text.error());
  return *text == "true";
}

// ALTER_TABLE is not read here: its message has the old names.
Status Decoding::NamesFromMessage() {
  if (type_.kind == EventKind::kAlterTable) return Ok();
  ASSIGN_OR_RETURN(std::string db, TextOf({"db", "dbName", "database", "dbname"}));
  ASSIGN_OR_RETURN(std::string table, TextOf({"table", "tableName"}));
  if (type_.kind == EventKind::kConstraint && table.empty()) {
    ASSIGN_OR_RETURN(auto names, NamesFromConstraint());
    std::tie(db, table) = std::move(names);
  }
  if (!event_.name.db().empty()) db = event_.name.db();
  if (NormalizeName(db).empty()) return Corrupt("neither row nor message says which database");
  const std::string_view catalog = row_.catalog ? std::string_view(*row_.catalog) : kDefaultCatalog;
  if (type_.names == EventType::Names::kDatabase) {
    event_.name = ObjectName::Database(catalog, db);
    return Ok();
  }
  event_.name = ObjectName::Table(catalog, db, table);
  if (event_.name.is_database()) return Corrupt("neither row nor message says which table");
  return Ok();
}

// Database and table of the first constraint in the list. A foreign key belongs to the referenced
// table, as in the row.
Result<std::pair<std::string, std::string>> Decoding::NamesFromConstraint() {
  for (const auto& [key, value] : message_.all()) {
    if (value.kind != Kind::kArray || !key.ends_with("ListJson")) continue;
    ASSIGN_OR_RETURN(const std::vector<JsonSlice> list, JsonElements(value.text));
    if (list.empty()) continue;
    ASSIGN_OR_RETURN(const std::string image, Image(list.front()));
    const bool catalog_first = key != "primaryKeyListJson" && key != "foreignKeyListJson";
    const wire::StructView view(image);
    const auto db = view.String(catalog_first ? 2 : 1);
    const auto table = view.String(catalog_first ? 3 : 2);
    if (db && table) return std::make_pair(std::string(*db), std::string(*table));
  }
  return std::make_pair(std::string(), std::string());
}

Status Decoding::Payload() {
  switch (type_.kind) {
    case EventKind::kCreateDatabase:
    case EventKind::kAlterDatabase:
      return DatabaseImage();
    case EventKind::kCreateTable:
    case EventKind::kUpdateTableStats:
      return TableImage("tableObjJson");
    case EventKind::kAlterTable:
      return AlterTable();
    case EventKind::kAddPartition:
      return AddPartitions();
    case EventKind::kAlterPartition:
      return AlterPartition();
    case EventKind::kDropPartition:
      return DropPartitions();
    case EventKind::kUpdatePartitionStats:
      return StatsPartition();
    case EventKind::kCreateFunction:
    case EventKind::kDropFunction:
      return Function();
    case EventKind::kIndex:
      return Index();
    default:
      return Ok();
  }
}

Result<std::string> Decoding::Image(const JsonSlice& slice) const {
  if (slice.kind != Kind::kString)
    return Corrupt("message has another value where an object belongs");
  return wire::TJsonStructToBinary(slice.text, 1, wire_limits_);
}

Status Decoding::TableImage(std::string_view key) {
  const JsonSlice slice = message_.Find(key);
  if (!slice.present()) return Ok();
  ASSIGN_OR_RETURN(event_.table_image, Image(slice));
  return Ok();
}

Status Decoding::DatabaseImage() {
  const bool altered = type_.kind == EventKind::kAlterDatabase;
  const JsonSlice slice = message_.Find(altered ? "dbObjAfterJson" : "dbJson");
  if (!slice.present()) return Ok();
  ASSIGN_OR_RETURN(event_.database_image, Image(slice));
  return Ok();
}

Status Decoding::AlterTable() {
  const JsonSlice before = message_.Find("tableObjBeforeJson");
  const JsonSlice after = message_.Find("tableObjAfterJson");
  ASSIGN_OR_RETURN(event_.truncate, IsTrue("isTruncateOp"));
  RETURN_IF_ERROR(TableImage("tableObjAfterJson"));
  if (!NameIsComplete()) {
    if (!event_.table_image) return Corrupt("neither row nor message says which table");
    const wire::StructView view(*event_.table_image);
    const auto db = view.String(ids::table::kDbName);
    const auto table = view.String(ids::table::kTableName);
    if (!db || !table) return Corrupt("neither row nor message says which table");
    event_.name = ObjectName::Table(
        row_.catalog ? *row_.catalog : view.String(ids::table::kCatName).value_or(kDefaultCatalog),
        *db, *table);
    if (!NameIsComplete()) return Corrupt("neither row nor message says which table");
  }
  RETURN_IF_ERROR(OldName(before.kind == Kind::kString ? before.text : std::string_view()));
  event_.columns_changed =
      before.kind != Kind::kString || !event_.table_image ||
      ColumnsDiffer(before.text, after.text, *event_.table_image, wire_limits_);
  return Ok();
}

// The message's own names are those before the change, the row's those after it.
Status Decoding::OldName(std::string_view before_json) {
  ASSIGN_OR_RETURN(std::string db, TextOf({"db"}));
  ASSIGN_OR_RETURN(std::string table, TextOf({"table"}));
  if (db.empty() || table.empty()) {
    const auto image = wire::TJsonStructToBinary(before_json, 1, wire_limits_);
    if (!image) return Corrupt("message does not say what the table was called before");
    const wire::StructView view(*image);
    db = view.String(ids::table::kDbName).value_or("");
    table = view.String(ids::table::kTableName).value_or("");
  }
  ObjectName old = ObjectName::Table(event_.name.catalog(), db, table);
  if (old.db().empty() || old.is_database()) {
    return Corrupt("message does not say what the table was called before");
  }
  if (old != event_.name) event_.old_name = std::move(old);
  return Ok();
}

Status Decoding::AppendPartition(const JsonSlice& slice) {
  PartitionImage& partition = event_.partitions.emplace_back();
  ASSIGN_OR_RETURN(partition.bytes, Image(slice));
  ASSIGN_OR_RETURN(partition.values, PartitionValues(partition.bytes));
  return Ok();
}

Status Decoding::AddPartitions() {
  const JsonSlice list = message_.Find("partitionListJson");
  event_.partitions_missing = !list.present();
  if (event_.partitions_missing) return Ok();
  ASSIGN_OR_RETURN(const std::vector<JsonSlice> elements, JsonElements(list.text));
  event_.partitions.reserve(elements.size());
  for (const JsonSlice& element : elements) RETURN_IF_ERROR(AppendPartition(element));
  return Ok();
}

Status Decoding::AlterPartition() {
  ASSIGN_OR_RETURN(event_.truncate, IsTrue("isTruncateOp"));
  if (row_.type == "ALTER_PARTITIONS") {
    // The list form never renames: the values before are those after.
    RETURN_IF_ERROR(AddPartitions());
    for (const PartitionImage& image : event_.partitions) {
      event_.partition_values.push_back(image.values);
    }
    return Ok();
  }
  const JsonSlice after = message_.Find("partitionObjAfterJson");
  event_.partitions_missing = !after.present();
  if (after.present()) RETURN_IF_ERROR(AppendPartition(after));
  const JsonSlice old_values = message_.Find("keyValues");
  if (!old_values.present()) {
    event_.partitions_missing = true;
    return Ok();
  }
  ASSIGN_OR_RETURN(Spec spec, JsonStringMap(old_values));
  event_.partition_specs.push_back(std::move(spec));
  SpecsToValues();
  return Ok();
}

Status Decoding::DropPartitions() {
  const JsonSlice list = message_.Find("partitions");
  event_.partitions_missing = !list.present();
  if (event_.partitions_missing) return Ok();
  ASSIGN_OR_RETURN(const std::vector<JsonSlice> elements, JsonElements(list.text));
  event_.partition_specs.reserve(elements.size());
  for (const JsonSlice& element : elements) {
    ASSIGN_OR_RETURN(Spec spec, JsonStringMap(element));
    if (spec.empty()) return Corrupt("message names a partition without values");
    event_.partition_specs.push_back(std::move(spec));
  }
  SpecsToValues();
  return Ok();
}

void Decoding::SpecsToValues() {
  const JsonSlice table = message_.Find("tableObjJson");
  if (table.kind != Kind::kString || event_.partition_specs.empty()) return;
  const auto keys = PartitionKeyNames(table.text, wire_limits_);
  if (!keys || keys->empty()) return;
  std::vector<Values> all;
  all.reserve(event_.partition_specs.size());
  for (Spec& spec : event_.partition_specs) {
    if (spec.size() != keys->size()) return;
    Values& values = all.emplace_back();
    for (const std::string& key : *keys) {
      const auto at = std::find_if(spec.begin(), spec.end(),
                                   [&key](const auto& entry) { return entry.first == key; });
      if (at == spec.end()) return;
      values.push_back(at->second);
    }
  }
  event_.partition_values = std::move(all);
  event_.partition_specs.clear();
}

Status Decoding::StatsPartition() {
  const JsonSlice values = message_.Find("partVals");
  event_.partitions_missing = !values.present();
  if (event_.partitions_missing) return Ok();
  ASSIGN_OR_RETURN(Values list, JsonStringList(values));
  if (list.empty()) return Corrupt("message names a partition without values");
  event_.partition_values.push_back(std::move(list));
  const JsonSlice parameters = message_.Find("parameters");
  if (!parameters.present()) return Ok();
  const auto entries = JsonStringMap(parameters);
  if (!entries) return Ok();
  for (const auto& [key, value] : *entries) {
    if (key == "COLUMN_STATS_ACCURATE") event_.partition_statistics = value;
  }
  return Ok();
}

Status Decoding::Function() {
  ASSIGN_OR_RETURN(std::string name, TextOf({"functionName"}));
  if (const JsonSlice object = message_.Find("functionObjJson"); object.present()) {
    ASSIGN_OR_RETURN(const std::string image, Image(object));
    name = wire::StructView(image).String(ids::function::kFunctionName).value_or("");
  }
  event_.function = NormalizeName(name);
  if (event_.function.empty()) return Corrupt("message does not say which function");
  return Ok();
}

// The table of an index comes with an event of its own and goes without (measured on 2.3.10); its
// name may be qualified. An index without a table changes nothing.
Status Decoding::Index() {
  ASSIGN_OR_RETURN(const std::string table, TextOf({"indexTableName"}));
  const size_t dot = table.find('.');
  const std::string_view name(table);
  const ObjectName gone =
      dot == std::string::npos
          ? ObjectName::Table(event_.name.catalog(), event_.name.db(), name)
          : ObjectName::Table(event_.name.catalog(), name.substr(0, dot), name.substr(dot + 1));
  if (gone.db().empty() || gone.is_database()) return Ok();
  event_.kind = EventKind::kDropTable;
  event_.name = gone;
  return Ok();
}

size_t Decoding::MemoryUse() const {
  constexpr size_t kControlBlock = 32;
  const auto of_values = [](const Values& values) {
    size_t total = values.capacity() * sizeof(std::string);
    for (const std::string& value : values) total += value.capacity();
    return total;
  };
  const auto of_name = [](const ObjectName& name) {
    return name.catalog().capacity() + name.db().capacity() + name.table().capacity();
  };
  size_t total = sizeof(Event) + kControlBlock + of_name(event_.name) + event_.type.capacity() +
                 event_.problem.capacity() + event_.function.capacity();
  if (event_.old_name) total += of_name(*event_.old_name);
  if (event_.table_image) total += event_.table_image->capacity();
  if (event_.database_image) total += event_.database_image->capacity();
  if (event_.partition_statistics) total += event_.partition_statistics->capacity();
  for (const PartitionImage& image : event_.partitions) {
    total += sizeof(PartitionImage) + image.bytes.capacity() + of_values(image.values);
  }
  for (const Values& values : event_.partition_values) total += sizeof(Values) + of_values(values);
  for (const Spec& spec : event_.partition_specs) {
    total += sizeof(Spec);
    for (const auto& [key, value] : spec) {
      total += 2 * sizeof(std::string) + key.capacity() + value.capacity();
    }
  }
  return total;
}

// A multiplicative hash over eight bytes at a time. The lanes are independent, so that a processor
// works on all of them at once.
class Hasher {
 public:
  void Add(uint64_t value) {
    lanes_[next_] = Mix(lanes_[next_], value);
    next_ = (next_ + 1) % kLanes;
  }
  // Length first: so that "ab","c" is not "a","bc".
  void Add(std::string_view text) {
    Add(uint64_t{text.size()});
    const char* p = text.data();
    const char* const end = p + text.size();
    constexpr ptrdiff_t kBlock = kLanes * 8;
    for (; end - p >= kBlock; p += kBlock) {
      for (size_t i = 0; i < kLanes; ++i) {
        uint64_t value = 0;
        std::memcpy(&value, p + 8 * i, 8);
        lanes_[i] = Mix(lanes_[i], value);
      }
    }
    for (; p < end; p += std::min<ptrdiff_t>(end - p, 8)) {
      uint64_t value = 0;
      std::memcpy(&value, p, static_cast<size_t>(std::min<ptrdiff_t>(end - p, 8)));
      Add(value);
    }
  }
  void Add(const std::optional<std::string>& text) {
    Add(uint64_t{text.has_value() ? 1U : 0U});
    if (text) Add(std::string_view(*text));
  }
  [[nodiscard]] uint64_t Finish() const {
    uint64_t all = next_;
    for (const uint64_t lane : lanes_) all = Mix(all, lane);
    return Mix(all, 0);
  }

 private:
  static constexpr size_t kLanes = 8;
  // The upper half of a product depends on all bits; folding it down keeps it so.
  static uint64_t Mix(uint64_t lane, uint64_t value) {
    const uint64_t product = (lane ^ value) * 0x9E3779B97F4A7C15U;
    return product ^ (product >> 29U);
  }

  std::array<uint64_t, kLanes> lanes_ = {
      0x243F6A8885A308D3U, 0x13198A2E03707344U, 0xA4093822299F31D0U, 0x082EFA98EC4E6C89U,
      0x452821E638D01377U, 0xBE5466CF34E90C6CU, 0xC0AC29B7C97C50DDU, 0x3F84D5B5B5470917U};
  size_t next_ = 0;
};

}  // namespace

uint64_t Fingerprint(const hms::NotificationEvent& row) {
  Hasher hasher;
  hasher.Add(static_cast<uint64_t>(row.id.value()));
  hasher.Add(std::string_view(row.type));
  hasher.Add(row.catalog);
  hasher.Add(row.db);
  hasher.Add(row.table);
  hasher.Add(std::string_view(row.message));
  return hasher.Finish();
}

Event DecodeEvent(const hms::NotificationEvent& row, const DecoderLimits& limits) {
  return Decoding(row, limits).Run();
}

}  // namespace catalogd::events
