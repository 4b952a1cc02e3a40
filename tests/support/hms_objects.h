#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hms_idl/hive_metastore_types.h"

// Metastore objects of generated code, with the marks of set fields that the C++ library needs
// (thrift/idl/README.md): assigning to a member alone sends nothing.
namespace catalogd::testing {

namespace api = thrift::hms;

inline api::FieldSchema MakeColumn(const std::string& name, const std::string& type = "string") {
  api::FieldSchema column;
  column.__set_name(name);
  column.__set_type(type);
  return column;
}

inline api::StorageDescriptor MakeStorage(const std::vector<api::FieldSchema>& columns) {
  api::StorageDescriptor sd;
  sd.__set_cols(columns);
  sd.__set_inputFormat("org.apache.hadoop.mapred.TextInputFormat");
  sd.__set_outputFormat("org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat");
  sd.numBuckets = -1;
  api::SerDeInfo serde;
  serde.__set_serializationLib("org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe");
  sd.__set_serdeInfo(serde);
  return sd;
}

inline api::Database MakeDatabase(const std::string& name) {
  api::Database database;
  database.__set_name(name);
  return database;
}

// Columns id int, name string; partition keys of type string.
inline api::Table MakeTable(const std::string& db, const std::string& name,
                            const std::vector<std::string>& keys = {}) {
  api::Table table;
  table.__set_dbName(db);
  table.__set_tableName(name);
  table.__set_owner("alice");
  table.__set_tableType("MANAGED_TABLE");
  table.__set_sd(MakeStorage({MakeColumn("id", "int"), MakeColumn("name")}));
  std::vector<api::FieldSchema> key_columns;
  for (const std::string& key : keys) key_columns.push_back(MakeColumn(key));
  table.__set_partitionKeys(key_columns);
  table.__set_parameters({});
  return table;
}

inline api::Partition MakePartition(const api::Table& table,
                                    const std::vector<std::string>& values) {
  api::Partition partition;
  partition.__set_dbName(table.dbName);
  partition.__set_tableName(table.tableName);
  partition.__set_values(values);
  partition.__set_sd(MakeStorage(table.sd.cols));
  partition.__set_parameters({});
  return partition;
}

}  // namespace catalogd::testing
