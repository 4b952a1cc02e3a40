#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hms_client/metastore.h"
#include "tests/support/objects.h"
#include "thrift/wire/types.h"

// Objects and log messages of the simulated metastore, as bytes.
namespace catalogd::sim {

using testing::TestTable;

// One partition of a TestTable with one key.
struct SimPartition {
  std::vector<std::string> columns;
  std::map<std::string, std::string> parameters;
  friend bool operator==(const SimPartition&, const SimPartition&) = default;
};
// By the value of the key.
using SimPartitions = std::map<std::string, SimPartition>;

// As the server of that generation answers them.
std::string TableStruct(const TestTable& table, hms::Generation generation);
std::string PartitionStruct(const TestTable& table, const std::string& value,
                            const SimPartition& partition, hms::Generation generation);
std::string DatabaseStruct(const std::string& name,
                           const std::map<std::string, std::string>& parameters);

// Messages, json-0.2.
std::string AlterMessage(const TestTable& before, const TestTable& after, bool truncate);
std::string AddPartitionMessageOf(const TestTable& table, const std::vector<std::string>& values,
                                  const SimPartitions& partitions);
std::string AlterPartitionMessage(const TestTable& table, const std::string& old_value,
                                  const std::string& new_value, const SimPartition& after);
std::string DropPartitionMessage(const TestTable& table, const std::string& value);
std::string PlainMessage(const std::string& db, const std::string& table);

// The same message as gzip(json-2.0): compressed, in base64.
std::string Packed(const std::string& message);

// One text for all encodings of a value: fields by id, map entries by key.
std::string Canonical(wire::TType type, std::string_view value);

}  // namespace catalogd::sim
