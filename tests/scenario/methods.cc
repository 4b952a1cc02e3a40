#include "tests/scenario/methods.h"

#include <glog/logging.h>

#include <map>
#include <vector>

namespace catalogd::scenario {
namespace {

constexpr const char* kMeta = "MetaException";
constexpr const char* kExists = "AlreadyExistsException";
constexpr const char* kNone = "NoSuchObjectException";
constexpr const char* kInvalid = "InvalidObjectException";
constexpr const char* kOperation = "InvalidOperationException";

// By method: the exceptions of its result, from field 1 on.
const std::map<std::string, std::vector<std::string>, std::less<>>& Exceptions() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> all = {
      {"create_database", {kExists, kInvalid, kMeta}},
      {"alter_database", {kMeta, kNone}},
      {"drop_database", {kNone, kOperation, kMeta}},
      {"get_database", {kNone, kMeta}},
      {"get_all_databases", {kMeta}},
      {"get_all_tables", {kMeta}},
      {"create_table", {kExists, kInvalid, kMeta, kNone}},
      {"alter_table", {kOperation, kMeta}},
      {"drop_table", {kNone, kMeta}},
      {"truncate_table", {kMeta}},
      {"get_table", {kMeta, kNone}},
      {"add_partitions", {kInvalid, kExists, kMeta}},
      {"alter_partition", {kOperation, kMeta}},
      {"alter_partitions", {kOperation, kMeta}},
      {"rename_partition", {kOperation, kMeta}},
      {"drop_partition", {kNone, kMeta}},
      {"get_partition", {kMeta, kNone}},
      {"get_partitions", {kNone, kMeta}},
      {"get_partition_names", {kNone, kMeta}},
      {"setMetaConf", {kMeta}},
      {"getMetaConf", {kMeta}},
      {"unheard_of", {kMeta}},
  };
  return all;
}

}  // namespace

std::string ExceptionName(std::string_view method, int16_t field) {
  const auto it = Exceptions().find(method);
  if (it == Exceptions().end() || field < 1 || static_cast<size_t>(field) > it->second.size()) {
    return "";
  }
  return it->second[static_cast<size_t>(field) - 1];
}

int16_t MetaExceptionField(std::string_view method) {
  for (int16_t field = 1; !ExceptionName(method, field).empty(); ++field) {
    if (ExceptionName(method, field) == kMeta) return field;
  }
  LOG(FATAL) << method << " declares no MetaException here";
}

}  // namespace catalogd::scenario
