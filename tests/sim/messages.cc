#include "tests/sim/messages.h"

#include <libdeflate.h>

#include <algorithm>
#include <memory>

#include "thrift/idl/field_ids.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::sim {
namespace {

using wire::TType;

constexpr int16_t kBucketColumns = 8;
constexpr int16_t kSortColumns = 9;

void WriteStorage(const std::vector<std::string>& columns, int16_t field, wire::Writer* out) {
  out->Field(TType::kStruct, field);
  testing::internal::WriteColumns(columns, ids::storage_descriptor::kCols, out);
  out->StringListField(kBucketColumns, {});
  out->Field(TType::kList, kSortColumns);
  out->ListBegin(TType::kStruct, 0);
  out->StringMapField(ids::storage_descriptor::kParameters, {});
  out->Field(TType::kStruct, ids::storage_descriptor::kSkewedInfo);
  out->Field(TType::kList, ids::skewed_info::kSkewedColNames);
  out->ListBegin(TType::kString, 0);
  out->Field(TType::kList, ids::skewed_info::kSkewedColValues);
  out->ListBegin(TType::kList, 0);
  out->Field(TType::kMap, ids::skewed_info::kSkewedColValueLocationMaps);
  out->MapBegin(TType::kList, TType::kString, 0);
  out->Stop();
  out->BoolField(ids::storage_descriptor::kStoredAsSubDirectories, false);
  out->Stop();
}

std::string PartitionText(const TestTable& table, const std::string& value,
                          const SimPartition& partition) {
  return "{\"1\":{\"lst\":[\"str\",1,\"" + value + "\"]},\"2\":{\"str\":\"" + table.db +
         "\"},\"3\":{\"str\":\"" + table.name +
         "\"},\"6\":{\"rec\":{\"1\":" + testing::internal::JsonColumns(partition.columns) +
         ",\"8\":{\"lst\":[\"str\",0]},\"9\":{\"lst\":[\"rec\",0]},\"10\":" +
         testing::internal::JsonMap({}) +
         "}},\"7\":" + testing::internal::JsonMap(partition.parameters) + "}";
}

std::string KeyValues(const TestTable& table, const std::string& value) {
  return "{\"" + table.keys.front() + "\":\"" + value + "\"}";
}

std::string Head(const std::string& db, const std::string& table) {
  return "{\"db\":\"" + db + "\",\"table\":\"" + table + "\"";
}

constexpr std::string_view kTail = ",\"timestamp\":1}";

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t j = 0; j < 3; ++j) {
      three = three << 8U | (i + j < bytes.size() ? static_cast<uint8_t>(bytes[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      const bool padding = i + j > bytes.size();
      out += padding ? '=' : kAlphabet[(three >> (18 - 6 * j)) & 0x3FU];
    }
  }
  return out;
}

std::string CanonicalStruct(std::string_view value) {
  std::vector<wire::Field> fields = wire::StructView(value).Fields();
  std::sort(fields.begin(), fields.end(),
            [](const wire::Field& a, const wire::Field& b) { return a.id < b.id; });
  std::string text = "{";
  for (const wire::Field& field : fields) {
    text += std::to_string(field.id) + "=" + Canonical(field.type, field.value) + ";";
  }
  return text + "}";
}

}  // namespace

std::string TableStruct(const TestTable& table, hms::Generation generation) {
  std::string bytes = testing::TableBytes(table);
  if (generation != hms::Generation::kHive4) return bytes;
  bytes.pop_back();
  wire::Writer out(&bytes);
  out.I64Field(ids::table::kWriteId, 0);
  out.Stop();
  return bytes;
}

std::string PartitionStruct(const TestTable& table, const std::string& value,
                            const SimPartition& partition, hms::Generation generation) {
  std::string bytes;
  wire::Writer out(&bytes);
  out.StringListField(ids::partition::kValues, {value});
  out.StringField(ids::partition::kDbName, table.db);
  out.StringField(ids::partition::kTableName, table.name);
  WriteStorage(partition.columns, ids::partition::kSd, &out);
  out.StringMapField(ids::partition::kParameters, partition.parameters);
  if (generation == hms::Generation::kHive4) out.I64Field(ids::partition::kWriteId, -1);
  out.Stop();
  return bytes;
}

std::string DatabaseStruct(const std::string& name,
                           const std::map<std::string, std::string>& parameters) {
  std::string bytes;
  wire::Writer out(&bytes);
  out.StringField(ids::database::kName, name);
  out.StringMapField(4, parameters);
  out.Stop();
  return bytes;
}

std::string AlterMessage(const TestTable& before, const TestTable& after, bool truncate) {
  return Head(before.db, before.name) +
         ",\"tableObjBeforeJson\":" + testing::internal::Quote(testing::TableJson(before)) +
         ",\"tableObjAfterJson\":" + testing::internal::Quote(testing::TableJson(after)) +
         ",\"isTruncateOp\":\"" + (truncate ? "true" : "false") + "\"" + std::string(kTail);
}

std::string AddPartitionMessageOf(const TestTable& table, const std::vector<std::string>& values,
                                  const SimPartitions& partitions) {
  std::string maps;
  std::string images;
  for (const std::string& value : values) {
    if (!maps.empty()) maps += ",";
    if (!images.empty()) images += ",";
    maps += KeyValues(table, value);
    images += testing::internal::Quote(PartitionText(table, value, partitions.at(value)));
  }
  return Head(table.db, table.name) +
         ",\"tableObjJson\":" + testing::internal::Quote(testing::TableJson(table)) +
         ",\"partitions\":[" + maps + "],\"partitionListJson\":[" + images + "]" +
         std::string(kTail);
}

std::string AlterPartitionMessage(const TestTable& table, const std::string& old_value,
                                  const std::string& new_value, const SimPartition& after) {
  return Head(table.db, table.name) +
         ",\"tableObjJson\":" + testing::internal::Quote(testing::TableJson(table)) +
         ",\"keyValues\":" + KeyValues(table, old_value) + ",\"partitionObjAfterJson\":" +
         testing::internal::Quote(PartitionText(table, new_value, after)) + std::string(kTail);
}

std::string DropPartitionMessage(const TestTable& table, const std::string& value) {
  return Head(table.db, table.name) +
         ",\"tableObjJson\":" + testing::internal::Quote(testing::TableJson(table)) +
         ",\"partitions\":[" + KeyValues(table, value) + "]" + std::string(kTail);
}

std::string PlainMessage(const std::string& db, const std::string& table) {
  return Head(db, table) + std::string(kTail);
}

std::string Packed(const std::string& message) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(1), libdeflate_free_compressor);
  std::string packed(libdeflate_gzip_compress_bound(compressor.get(), message.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor.get(), message.data(), message.size(),
                                         packed.data(), packed.size()));
  return Base64(packed);
}

std::string Canonical(TType type, std::string_view value) {
  switch (type) {
    case TType::kStruct:
      return CanonicalStruct(value);
    case TType::kList: {
      const wire::ListView list(value);
      std::string text = "[";
      for (const std::string_view element : list.Elements()) {
        text += Canonical(list.element_type(), element) + ",";
      }
      return text + "]";
    }
    case TType::kMap: {
      auto entries = wire::StringMap(value);
      std::sort(entries.begin(), entries.end());
      std::string text = "<";
      for (const auto& [key, entry] : entries) {
        text += std::string(key) + ":" + std::string(entry) + ",";
      }
      return text + ">";
    }
    case TType::kString:
      return std::string(wire::DecodeString(value));
    default: {
      std::string text;
      for (const char c : value) text += std::to_string(static_cast<unsigned char>(c)) + ".";
      return text;
    }
  }
}

}  // namespace catalogd::sim
