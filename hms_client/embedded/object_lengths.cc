#include <algorithm>
#include <map>

#include "hms_client/embedded/object_rules.h"
#include "hms_idl/hive_metastore_types.h"

// The lengths that the tables of a real metastore can hold, measured against 4.2 on Derby. Longer
// values are refused here too: a catalog kept in this file can then be moved to a metastore.
namespace catalogd::hms {

namespace api = thrift::hms;

namespace {

constexpr size_t kText = 4000;

// Characters, not bytes.
size_t LengthOf(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// Remembers the first value that is too long.
class Lengths {
 public:
  Lengths& Holds(const std::string& value, const char* column, size_t limit) {
    if (result_ && value.size() > limit && LengthOf(value) > limit) {
      result_ = MakeError(ErrorCode::kConflict,
                          "Attempt to store value \"" + value.substr(0, 64) + "...\" in column \"" +
                              column + "\" that has maximum length of " + std::to_string(limit) +
                              ". Please correct your data!");
    }
    return *this;
  }

  Lengths& Keys(const std::map<std::string, std::string>& parameters, size_t limit = 256) {
    for (const auto& entry : parameters) Holds(entry.first, "PARAM_KEY", limit);
    return *this;
  }

  Lengths& Storage(const api::StorageDescriptor& sd) {
    for (const api::FieldSchema& column : sd.cols) {
      Holds(column.name, "COLUMN_NAME", 767).Holds(column.comment, "COMMENT", 256);
    }
    Holds(sd.location, "LOCATION", kText).Holds(sd.inputFormat, "INPUT_FORMAT", kText);
    Holds(sd.outputFormat, "OUTPUT_FORMAT", kText).Keys(sd.parameters);
    Holds(sd.serdeInfo.name, "NAME", 128).Holds(sd.serdeInfo.serializationLib, "SLIB", kText);
    return Keys(sd.serdeInfo.parameters);
  }

  [[nodiscard]] Status result() const { return result_; }

 private:
  Status result_ = Ok();
};

}  // namespace

Status CheckLengths(const api::Database& database) {
  Lengths lengths;
  lengths.Holds(database.name, "NAME", 128).Holds(database.description, "DESC", kText);
  lengths.Holds(database.locationUri, "DB_LOCATION_URI", kText);
  lengths.Holds(database.ownerName, "OWNER_NAME", 128).Keys(database.parameters, 180);
  for (const auto& entry : database.parameters) lengths.Holds(entry.second, "PARAM_VALUE", kText);
  return lengths.result();
}

Status CheckLengths(const api::Table& table) {
  Lengths lengths;
  lengths.Holds(table.tableName, "TBL_NAME", 256).Holds(table.owner, "OWNER", 767);
  lengths.Keys(table.parameters).Storage(table.sd);
  for (const api::FieldSchema& key : table.partitionKeys) {
    lengths.Holds(key.name, "PKEY_NAME", 128).Holds(key.comment, "PKEY_COMMENT", kText);
  }
  return lengths.result();
}

Status CheckLengths(const api::Partition& partition) {
  Lengths lengths;
  for (const std::string& value : partition.values) lengths.Holds(value, "PART_KEY_VAL", 256);
  return lengths.Keys(partition.parameters).Storage(partition.sd).result();
}

}  // namespace catalogd::hms
