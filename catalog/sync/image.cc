#include "catalog/sync/image.h"

#include <algorithm>
#include <array>
#include <optional>

#include "catalog/base/names.h"
#include "catalog/sync/stored_lengths.h"
#include "catalog/sync/struct_fields.h"
#include "thrift/idl/field_ids.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::sync {
namespace {

using wire::Field;
using wire::StructView;
using wire::TType;
using wire::Writer;

void LowerCaseField(const Field& field, Writer* out) {
  if (field.type != TType::kString) {
    out->Raw(field.encoded);
    return;
  }
  out->StringField(field.id, NormalizeName(wire::DecodeString(field.value)));
}

// NormalizeName may change it.
bool MayNotBeNormal(std::string_view column) {
  const auto name = StructView(column).String(ids::field_schema::kName);
  return name && std::any_of(name->begin(), name->end(),
                             [](char c) { return (c >= 'A' && c <= 'Z') || c <= ' '; });
}

// list<FieldSchema> with lower-case column names. False when one of them is too long to be stored.
bool LowerCaseColumns(const Field& field, const ColumnLimits& limits, Writer* out) {
  const wire::ListView list(field.value);
  if (field.type != TType::kList || list.element_type() != TType::kStruct) {
    out->Raw(field.encoded);
    return true;
  }
  const std::vector<std::string_view> columns = list.Elements();
  bool normal = true;
  bool fits = true;
  for (const std::string_view column : columns) {
    normal = normal && !MayNotBeNormal(column);
    fits = fits && ColumnFits(column, limits);
  }
  if (normal || !fits) {
    out->Raw(field.encoded);
    return fits;
  }
  out->Field(TType::kList, field.id);
  out->ListBegin(TType::kStruct, list.size());
  for (const std::string_view column : columns) {
    StructView::Iterator fields = StructView(column).Begin();
    while (const auto part = fields.Next()) {
      if (part->id == ids::field_schema::kName) {
        LowerCaseField(*part, out);
      } else {
        out->Raw(part->encoded);
      }
    }
    out->Stop();
  }
  return true;
}

// list<Order>: column names are stored in lower case, and a missing direction as zero.
void NormalizeSortColumns(const Field& field, Writer* out) {
  const wire::ListView list(field.value);
  if (field.type != TType::kList || list.element_type() != TType::kStruct) {
    out->Raw(field.encoded);
    return;
  }
  out->Field(TType::kList, field.id);
  out->ListBegin(TType::kStruct, list.size());
  for (const std::string_view element : list.Elements()) {
    const StructFields order(element);
    for (const Field& part : order) {
      if (part.id == ids::order::kCol) {
        LowerCaseField(part, out);
      } else {
        out->Raw(part.encoded);
      }
    }
    if (order.Find(ids::order::kOrder) == nullptr) out->I32Field(ids::order::kOrder, 0);
    out->Stop();
  }
}

// With `sent` as far as it goes: answers have all three members of it, whatever was sent.
void FilledSkewedInfo(std::string_view sent, Writer* out) {
  const StructFields fields(sent);
  const auto lacks = [&fields](int16_t id) { return fields.Find(id) == nullptr; };
  out->Field(TType::kStruct, ids::storage_descriptor::kSkewedInfo);
  for (const Field& part : fields) out->Raw(part.encoded);
  if (lacks(ids::skewed_info::kSkewedColNames)) {
    out->Field(TType::kList, ids::skewed_info::kSkewedColNames);
    out->ListBegin(TType::kString, 0);
  }
  if (lacks(ids::skewed_info::kSkewedColValues)) {
    out->Field(TType::kList, ids::skewed_info::kSkewedColValues);
    out->ListBegin(TType::kList, 0);
  }
  if (lacks(ids::skewed_info::kSkewedColValueLocationMaps)) {
    out->Field(TType::kMap, ids::skewed_info::kSkewedColValueLocationMaps);
    out->MapBegin(TType::kList, TType::kString, 0);
  }
  out->Stop();
}

constexpr std::string_view kEmptyStruct("\0", 1);

// Of the serde of a full-ACID table, Hive 4 answers name and library alone.
void BareSerde(const Field& field, Writer* out) {
  out->Field(TType::kStruct, field.id);
  for (const Field& part : StructView(field.value).Fields()) {
    if (part.id == ids::serde_info::kName || part.id == ids::serde_info::kSerializationLib) {
      out->Raw(part.encoded);
    }
  }
  out->StringMapField(ids::serde_info::kParameters, {});
  out->Stop();
}

// Answers have the parameters of a serde even where the writer sent none.
void FilledSerde(const Field& field, Writer* out) {
  if (field.type != TType::kStruct || StructView(field.value).Find(ids::serde_info::kParameters)) {
    out->Raw(field.encoded);
    return;
  }
  out->Field(TType::kStruct, field.id);
  for (const Field& part : StructView(field.value).Fields()) out->Raw(part.encoded);
  out->StringMapField(ids::serde_info::kParameters, {});
  out->Stop();
}

// What answers have of every storage descriptor, and images only if the writer sent it.
void FillStorage(const StructFields& sent, bool bare, Writer* out) {
  const auto lacks = [&sent](int16_t id) { return sent.Find(id) == nullptr; };
  if (lacks(ids::storage_descriptor::kBucketCols)) {
    out->Field(TType::kList, ids::storage_descriptor::kBucketCols);
    out->ListBegin(TType::kString, 0);
  }
  if (lacks(ids::storage_descriptor::kSortCols)) {
    out->Field(TType::kList, ids::storage_descriptor::kSortCols);
    out->ListBegin(TType::kStruct, 0);
  }
  if (lacks(ids::storage_descriptor::kParameters)) {
    out->StringMapField(ids::storage_descriptor::kParameters, {});
  }
  if (bare || lacks(ids::storage_descriptor::kSkewedInfo)) FilledSkewedInfo(kEmptyStruct, out);
  if (lacks(ids::storage_descriptor::kStoredAsSubDirectories)) {
    out->BoolField(ids::storage_descriptor::kStoredAsSubDirectories, false);
  }
}

// `bare`: Hive 4 keeps what full-ACID tables do not need from its answers.
void NormalizeStorageField(const Field& part, bool bare, Writer* out) {
  const bool is_struct = part.type == TType::kStruct;
  switch (part.id) {
    case ids::storage_descriptor::kSortCols:
      NormalizeSortColumns(part, out);
      return;
    case ids::storage_descriptor::kSkewedInfo:
      if (bare) return;  // Filled in afterwards.
      if (is_struct) {
        FilledSkewedInfo(part.value, out);
        return;
      }
      break;
    case ids::storage_descriptor::kParameters:
      if (bare) {
        out->StringMapField(part.id, {});
        return;
      }
      break;
    case ids::storage_descriptor::kSerdeInfo:
      if (bare && is_struct) {
        BareSerde(part, out);
      } else {
        FilledSerde(part, out);
      }
      return;
    default:
      break;
  }
  out->Raw(part.encoded);
}

// False when a text in it is too long to be stored.
bool NormalizeStorage(const StructFields& sent, int16_t id, bool bare, Writer* out) {
  bool fits = StorageFits(sent);
  out->Field(TType::kStruct, id);
  for (const Field& part : sent) {
    if (part.id == ids::storage_descriptor::kCols) {
      fits = LowerCaseColumns(part, kColumnLimits, out) && fits;
    } else {
      NormalizeStorageField(part, bare, out);
    }
  }
  FillStorage(sent, bare, out);
  out->Stop();
  return fits;
}

tl::unexpected<Error> TooLong(std::string_view object) {
  return MakeError(ErrorCode::kUnsupported,
                   std::string(object) + " image with a text that is too long to be stored");
}

// Whether partitions have these members in the answer depends on how the metastore asks its
// database (directly, as it does by default: no).
bool HasDoubtfulSerde(const StructFields& storage) {
  const Field* serde = storage.Find(ids::storage_descriptor::kSerdeInfo, TType::kStruct);
  if (serde == nullptr) return false;
  const StructFields fields(serde->value);
  return std::any_of(fields.begin(), fields.end(), [](const Field& field) {
    return field.id == ids::serde_info::kDescription ||
           field.id == ids::serde_info::kSerializerClass ||
           field.id == ids::serde_info::kDeserializerClass ||
           field.id == ids::serde_info::kSerdeType;
  });
}

// Reads of many partitions leave out the values of skewed columns that have no names.
bool HasNamelessSkew(const StructFields& storage) {
  const Field* skew = storage.Find(ids::storage_descriptor::kSkewedInfo, TType::kStruct);
  if (skew == nullptr) return false;
  const StructFields fields(skew->value);
  const auto count = [&fields](int16_t id) {
    const Field* list = fields.Find(id, TType::kList);
    return list == nullptr ? size_t{0} : wire::ListView(list->value).size();
  };
  return count(ids::skewed_info::kSkewedColNames) == 0 &&
         count(ids::skewed_info::kSkewedColValues) != 0;
}

// Members that clients may send, that the log repeats and that the metastore does not keep, or
// gives only to requests that ask for them.
bool IsNeverAnswered(int16_t table_field) {
  switch (table_field) {
    case ids::table::kPrivileges:
    case ids::table::kTemporary:
    case ids::table::kIsStatsCompliant:
    case ids::table::kColStats:
    case ids::table::kAccessType:
    case ids::table::kRequiredReadCapabilities:
    case ids::table::kRequiredWriteCapabilities:
    case ids::table::kFileMetadata:
    case ids::table::kDictionary:
    case ids::table::kTxnId:
      return true;
    default:
      return false;
  }
}

bool IsNeverAnsweredOfPartitions(int16_t partition_field, hms::Generation generation) {
  switch (partition_field) {
    case ids::partition::kCatName:  // 2.3 reads and logs it, and has nowhere to keep it.
      return generation == hms::Generation::kHive2;
    case ids::partition::kPrivileges:
    case ids::partition::kIsStatsCompliant:
    case ids::partition::kColStats:
    case ids::partition::kFileMetadata:
      return true;
    default:
      return false;
  }
}

// The names of the table, which answers have as the table has them.
bool IsNameInPartitions(int16_t partition_field) {
  return partition_field == ids::partition::kDbName ||
         partition_field == ids::partition::kTableName ||
         partition_field == ids::partition::kCatName;
}

bool MemberOfPartitionFits(const Field& field) {
  switch (field.id) {
    case ids::partition::kValues:
      return ListFits(field, kPartitionValueLimit);
    case ids::partition::kParameters:
      return ParametersFit(field, kPartitionParameterLimit);
    default:
      return true;
  }
}

// When Hive 4 makes a table, it keeps a write id that was sent only if the table is transactional.
void AddWriteId(const StructFields& table, bool is_new, bool transactional, Writer* out) {
  const Field* sent = table.Find(ids::table::kWriteId, TType::kI64);
  const bool keeps = transactional || !is_new;
  out->I64Field(ids::table::kWriteId, keeps && sent != nullptr ? wire::DecodeI64(sent->value)
                                      : transactional          ? -1
                                                               : 0);
}

std::string_view Parameter(const StructFields& table, std::string_view key) {
  const Field* parameters = table.Find(ids::table::kParameters, TType::kMap);
  if (parameters == nullptr) return {};
  return wire::StringMapValue(parameters->value, key).value_or(std::string_view());
}

// As Java compares when it ignores case: blanks count.
bool ParameterIs(const StructFields& table, std::string_view key, std::string_view expected) {
  const std::string_view value = Parameter(table, key);
  return value.size() == expected.size() && NormalizeName(value) == expected;
}

bool ParameterIsTrue(const StructFields& table, std::string_view key) {
  return ParameterIs(table, key, "true");
}

// Hive 2 knows this value in capitals only.
bool IsExternal(const StructFields& table, hms::Generation generation) {
  if (generation == hms::Generation::kHive2) return Parameter(table, "EXTERNAL") == "TRUE";
  return ParameterIsTrue(table, "EXTERNAL");
}

// The metastore takes this one key in capitals too.
bool IsTransactional(const StructFields& table) {
  return ParameterIsTrue(table, "transactional") || ParameterIsTrue(table, "TRANSACTIONAL");
}

bool IsFullAcidTable(const StructFields& table) {
  return IsTransactional(table) && !ParameterIs(table, "transactional_properties", "insert_only");
}

// Parameter EXTERNAL is the truth; views keep their type, and what was stored without a type is a
// view when it has the text of one.
std::string_view AnsweredType(const StructFields& sent, bool external) {
  const Field* type = sent.Find(ids::table::kTableType, TType::kString);
  const std::string_view text = type == nullptr ? "" : wire::DecodeString(type->value);
  if (type == nullptr && sent.Find(ids::table::kViewOriginalText) != nullptr) {
    return "VIRTUAL_VIEW";
  }
  if (type != nullptr && text != "MANAGED_TABLE" && text != "EXTERNAL_TABLE") return text;
  return external ? "EXTERNAL_TABLE" : "MANAGED_TABLE";
}

// Hive 4 answers the texts of what was stored as a view, the others those of every table.
bool HidesViewTexts(const StructFields& sent, hms::Generation generation) {
  if (generation == hms::Generation::kHive2 || generation == hms::Generation::kHive3) return false;
  const Field* type = sent.Find(ids::table::kTableType, TType::kString);
  const std::string_view text = type == nullptr ? "" : wire::DecodeString(type->value);
  return text != "VIRTUAL_VIEW" && text != "MATERIALIZED_VIEW";
}

// What answers have of every table, and images only if the writer sent it.
void FillTable(const StructFields& sent, bool external, hms::Generation generation, Writer* out) {
  if (sent.Find(ids::table::kPartitionKeys) == nullptr) {
    out->Field(TType::kList, ids::table::kPartitionKeys);
    out->ListBegin(TType::kStruct, 0);
  }
  if (sent.Find(ids::table::kTableType) == nullptr) {
    out->StringField(ids::table::kTableType, AnsweredType(sent, external));
  }
  if (sent.Find(ids::table::kRewriteEnabled) == nullptr) {
    out->BoolField(ids::table::kRewriteEnabled, false);
  }
  // Missing when the writer's kind of owner is one that the server does not know.
  if (sent.Find(ids::table::kOwnerType) == nullptr && generation != hms::Generation::kHive2) {
    constexpr int32_t kUser = 1;
    out->I32Field(ids::table::kOwnerType, kUser);
  }
}

// An alter stores these members of the serde or does not, depending on the version (Hive 4: only
// the description; Hive 3: none).
bool SerdeMembersDiffer(const StructFields& table, const StructFields& before) {
  const Field* sd = table.Find(ids::table::kSd, TType::kStruct);
  const Field* old_sd = before.Find(ids::table::kSd, TType::kStruct);
  if (sd == nullptr || old_sd == nullptr) return sd != old_sd;
  if (sd->value == old_sd->value) return false;
  const auto serde_of = [](const Field& storage) {
    const auto serde = StructView(storage.value).Struct(ids::storage_descriptor::kSerdeInfo);
    return serde.value_or(StructView(kEmptyStruct));
  };
  const StructView now = serde_of(*sd);
  const StructView then = serde_of(*old_sd);
  constexpr std::array kMembers = {ids::serde_info::kDescription, ids::serde_info::kSerializerClass,
                                   ids::serde_info::kDeserializerClass,
                                   ids::serde_info::kSerdeType};
  return std::any_of(kMembers.begin(), kMembers.end(), [&](int16_t id) {
    const auto new_field = now.Find(id);
    const auto old_field = then.Find(id);
    return new_field.has_value() != old_field.has_value() ||
           (new_field && new_field->encoded != old_field->encoded);
  });
}

}  // namespace

bool IsFullAcid(std::string_view table) { return IsFullAcidTable(StructFields(table)); }

bool IsFullAcid(const StructFields& table) { return IsFullAcidTable(table); }

Result<std::string> NormalizeTableImage(std::string_view table, events::EventKind kind,
                                        hms::Generation generation) {
  const StructFields sent(table);
  const bool external = IsExternal(sent, generation);
  const bool hides_texts = HidesViewTexts(sent, generation);
  std::string bytes;
  bytes.reserve(table.size() + 64);
  Writer out(&bytes);
  bool named = false;
  bool fits = TableFits(sent);
  const bool has_write_ids = generation == hms::Generation::kHive4;
  const bool bare = generation == hms::Generation::kHive4 && IsFullAcidTable(sent);
  for (const Field& field : sent) {
    if (IsNeverAnswered(field.id)) continue;
    switch (field.id) {
      case ids::table::kTableName:
        named = true;
        LowerCaseField(field, &out);
        break;
      case ids::table::kDbName:
      case ids::table::kCatName:
        LowerCaseField(field, &out);
        break;
      case ids::table::kSd:
        if (field.type != TType::kStruct) {
          return MakeError(ErrorCode::kCorrupt, "table image: sd is not a struct");
        }
        fits = NormalizeStorage(StructFields(field.value), field.id, bare, &out) && fits;
        break;
      case ids::table::kPartitionKeys:
        fits = LowerCaseColumns(field, kPartitionKeyLimits, &out) && fits;
        break;
      case ids::table::kTableType:
        out.StringField(field.id, AnsweredType(sent, external));
        break;
      case ids::table::kViewOriginalText:
      case ids::table::kViewExpandedText:
        if (!hides_texts) out.Raw(field.encoded);
        break;
      default:
        if (field.id != ids::table::kWriteId || !has_write_ids) out.Raw(field.encoded);
    }
  }
  if (!named) return MakeError(ErrorCode::kCorrupt, "table image without a table name");
  if (!fits) return TooLong("table");
  FillTable(sent, external, generation, &out);
  if (has_write_ids) {
    AddWriteId(sent, kind == events::EventKind::kCreateTable, IsTransactional(sent), &out);
  }
  out.Stop();
  return bytes;
}

Result<std::string> WithKeptMembers(std::string table, std::string_view before) {
  // Up to three members differ, and hardly ever does one.
  constexpr std::array kKept = {ids::table::kId, ids::table::kCreateTime, ids::table::kWriteId};
  std::vector<Field> differing;
  const StructFields old_fields(before);
  {
    const StructFields new_fields(table);
    const bool transactional = IsTransactional(new_fields);
    if (SerdeMembersDiffer(new_fields, old_fields)) {
      return MakeError(ErrorCode::kUnsupported, "altered image with other members of its serde");
    }
    for (const int16_t id : kKept) {
      if (id == ids::table::kWriteId && transactional) continue;
      const Field* old_field = old_fields.Find(id);
      const Field* new_field = new_fields.Find(id);
      if (old_field == nullptr) continue;
      if (new_field == nullptr || new_field->value != old_field->value) {
        differing.push_back(*old_field);
      }
    }
  }
  for (const Field& field : differing) {
    table = wire::WithField(table, field.id, field.type, field.value);
  }
  return table;
}

Result<std::string> NormalizePartitionImage(std::string_view partition,
                                            hms::Generation generation) {
  std::string bytes;
  bytes.reserve(partition.size() + 16);
  Writer out(&bytes);
  // Hive 4 keeps no write id that was sent with a partition of a plain table. Some clients always
  // send one, of Go for example.
  const bool no_write_id = generation == hms::Generation::kHive4;
  bool values = false;
  StructView::Iterator fields = StructView(partition).Begin();
  while (const auto field = fields.Next()) {
    if (IsNeverAnsweredOfPartitions(field->id, generation)) continue;
    if (no_write_id && field->id == ids::partition::kWriteId) continue;
    if (field->id == ids::partition::kSd && field->type == TType::kStruct) {
      const StructFields storage(field->value);
      if (HasDoubtfulSerde(storage)) {
        return MakeError(ErrorCode::kUnsupported, "partition image with members of its serde");
      }
      if (HasNamelessSkew(storage)) {
        return MakeError(ErrorCode::kUnsupported, "partition image skewed by no columns");
      }
      if (!NormalizeStorage(storage, field->id, false, &out)) return TooLong("partition");
      continue;
    }
    if (!MemberOfPartitionFits(*field)) return TooLong("partition");
    values = values || field->id == ids::partition::kValues;
    if (IsNameInPartitions(field->id)) {
      LowerCaseField(*field, &out);
    } else {
      out.Raw(field->encoded);
    }
  }
  if (!values) return MakeError(ErrorCode::kCorrupt, "partition image without values");
  if (no_write_id) out.I64Field(ids::partition::kWriteId, -1);
  out.Stop();
  return bytes;
}

std::string WithPartitionParameter(std::string_view partition, std::string_view key,
                                   std::string_view value) {
  std::vector<std::pair<std::string_view, std::string_view>> kept;
  const auto parameters = StructView(partition).Find(ids::partition::kParameters);
  if (parameters && parameters->type == TType::kMap) kept = wire::StringMap(parameters->value);
  std::erase_if(kept, [key](const auto& entry) { return entry.first == key; });
  std::string map;
  Writer out(&map);
  out.MapBegin(TType::kString, TType::kString, kept.size() + 1);
  kept.emplace_back(key, value);
  for (const auto& [name, text] : kept) {
    out.String(name);
    out.String(text);
  }
  return wire::WithField(partition, ids::partition::kParameters, TType::kMap, map);
}

Result<cache::PartitionSet::Entry> MakePartitionEntry(const std::vector<std::string>& keys,
                                                      std::string partition) {
  const auto field = StructView(partition).Find(ids::partition::kValues);
  if (!field || field->type != TType::kList) {
    return MakeError(ErrorCode::kCorrupt, "partition without a list of values");
  }
  cache::PartitionSet::Entry entry;
  ASSIGN_OR_RETURN(entry.name, MakePartitionName(keys, wire::ListView(field->value).Strings()));
  entry.values = std::string(field->value);
  entry.bytes = std::move(partition);
  return entry;
}

Result<std::string> PartitionNameOf(const std::vector<std::string>& keys,
                                    const std::vector<std::pair<std::string, std::string>>& spec) {
  std::vector<std::string> values;
  for (const std::string& key : keys) {
    std::optional<std::string> value;
    for (const auto& [name, text] : spec) {
      if (NormalizeName(name) == key) value = text;
    }
    if (!value) {
      return MakeError(ErrorCode::kCorrupt, "partition keys in the message lack '" + key + "'");
    }
    values.push_back(std::move(*value));
  }
  return MakePartitionName(keys, values);
}

}  // namespace catalogd::sync
