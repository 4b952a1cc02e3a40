#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thrift/wire/write.h"

namespace catalogd::testing {

// What a Partition struct is made of, for tests and benchmarks that need many that look real.
struct PartitionParts {
  std::vector<std::string> values;
  std::string db = "sales";
  std::string table = "orders";
  int32_t create_time = 1795996800;
  int32_t last_access_time = 0;
  int columns = 20;
  std::string location;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::optional<int64_t> write_id;
};

inline std::string StorageDescriptorStruct(const PartitionParts& parts) {
  std::string out;
  wire::Writer writer(&out);
  writer.Field(wire::TType::kList, 1);
  writer.ListBegin(wire::TType::kStruct, static_cast<size_t>(parts.columns));
  for (int i = 0; i < parts.columns; ++i) {
    writer.StringField(1, "column_number_" + std::to_string(i));
    writer.StringField(2, i % 3 == 0 ? "decimal(18,4)" : "string");
    writer.StringField(3, "what column " + std::to_string(i) + " is for");
    writer.Stop();
  }
  writer.StringField(2, parts.location);
  writer.StringField(3, "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat");
  writer.StringField(4, "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat");
  writer.BoolField(5, false);
  writer.I32Field(6, -1);
  writer.Field(wire::TType::kStruct, 7);
  writer.StringField(2, "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe");
  writer.StringMapField(3, {{"serialization.format", "1"}});
  writer.Stop();
  writer.StringListField(8, {});
  writer.Stop();
  return out;
}

// Fields in the order in which a metastore writes them.
inline std::string PartitionStruct(const PartitionParts& parts) {
  std::string out;
  wire::Writer writer(&out);
  writer.StringListField(1, parts.values);
  writer.StringField(2, parts.db);
  writer.StringField(3, parts.table);
  writer.I32Field(4, parts.create_time);
  writer.I32Field(5, parts.last_access_time);
  writer.RawField(wire::TType::kStruct, 6, StorageDescriptorStruct(parts));
  writer.Field(wire::TType::kMap, 7);
  writer.MapBegin(wire::TType::kString, wire::TType::kString, parts.parameters.size());
  for (const auto& [key, value] : parts.parameters) {
    writer.String(key);
    writer.String(value);
  }
  writer.StringField(9, "hive");
  if (parts.write_id) writer.I64Field(10, *parts.write_id);
  writer.Stop();
  return out;
}

}  // namespace catalogd::testing
