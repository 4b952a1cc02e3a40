#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

// One typed call, taken apart: the methods that the daemon itself uses, their declared exceptions,
// and what an answer says. Inside of hms_client.
// Source: IDL of Hive 2.3 to 4.2; the class of an exception is told only by its id in the result.
// Thread safety: plain values.
namespace catalogd::hms {

enum class Thrown {
  kNothing,
  kMeta,
  kNoSuchObject,
  kInvalidObject,
  kConfigSecurity,
  kApplication,  // TApplicationException: any method can answer with one.
};
std::string_view ThrownName(Thrown thrown);

struct Method {
  std::string_view name;
  // Declared exceptions with the ids 1, 2, 3.
  std::array<Thrown, 3> throws = {Thrown::kNothing, Thrown::kNothing, Thrown::kNothing};
};

// The arguments of one call, in the order they are added.
class Args {
 public:
  Args& String(int16_t id, std::string_view value);
  Args& Strings(int16_t id, const std::vector<std::string>& values);
  Args& I16(int16_t id, int16_t value);
  Args& I32(int16_t id, int32_t value);
  Args& I64(int16_t id, int64_t value);
  // A struct whose fields are `fields`.
  Args& Struct(int16_t id, const Args& fields);
  // list<i32>, as enums are written.
  Args& Enums(int16_t id, const std::vector<int32_t>& values);
  // The struct with its stop byte.
  [[nodiscard]] std::string Finish() const { return bytes_ + std::string(1, '\0'); }

 private:
  std::string bytes_;
};

// A whole answer: a value, or an exception of the server.
class Answer {
 public:
  // kCorrupt when `message` is no answer.
  static Result<Answer> Decode(const Method& method, std::string message);

  [[nodiscard]] Thrown thrown() const { return thrown_; }
  // Text of the exception.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool IsUnknownMethod() const;
  [[nodiscard]] bool IsInternalError() const;

  // Field 0 if it has that type. An exception, or nothing where something was due, is an error as
  // hms_client/metastore.h maps them.
  [[nodiscard]] Result<std::string_view> Value(wire::TType type) const;
  [[nodiscard]] Result<std::string> StringValue() const;
  [[nodiscard]] Result<wire::StructView> StructValue() const;
  [[nodiscard]] Result<std::vector<std::string>> Strings() const;
  // Elements of a list of structs, each as raw struct bytes.
  [[nodiscard]] Result<std::vector<std::string>> Structs() const;
  [[nodiscard]] Error AsError() const;

 private:
  std::string message_;
  size_t body_ = 0;
  Thrown thrown_ = Thrown::kNothing;
  std::string text_;
  int32_t application_type_ = 0;
};

// Elements of an encoded list of structs; kCorrupt when it is another kind of list.
Result<std::vector<std::string>> StructElements(std::string_view list_value);

namespace methods {
inline constexpr Thrown kMeta = Thrown::kMeta;
inline constexpr Thrown kNoObject = Thrown::kNoSuchObject;
inline constexpr Method kCurrentEventId = {"get_current_notificationEventId", {}};
inline constexpr Method kNextNotification = {"get_next_notification", {}};
inline constexpr Method kGetCatalogs = {"get_catalogs", {kMeta}};
inline constexpr Method kGetAllDatabases = {"get_all_databases", {kMeta}};
inline constexpr Method kGetDatabases = {"get_databases", {kMeta}};
inline constexpr Method kGetAllTables = {"get_all_tables", {kMeta}};
inline constexpr Method kGetDatabase = {"get_database", {kNoObject, kMeta}};
inline constexpr Method kGetDatabaseReq = {"get_database_req", {kNoObject, kMeta}};
inline constexpr Method kGetTable = {"get_table", {kMeta, kNoObject}};
inline constexpr Method kGetTableReq = {"get_table_req", {kMeta, kNoObject}};
inline constexpr Method kGetPartitions = {"get_partitions", {kNoObject, kMeta}};
inline constexpr Method kGetPartitionNames = {"get_partition_names", {kNoObject, kMeta}};
// Before Hive 3 the only declared exception is a MetaException, also for a missing table.
inline constexpr Method kGetPartitionNamesHive2 = {"get_partition_names", {kMeta}};
inline constexpr Method kGetPartitionsByNames = {"get_partitions_by_names",
                                                 {kMeta, kNoObject, Thrown::kInvalidObject}};
inline constexpr Method kGetConfigValue = {"get_config_value", {Thrown::kConfigSecurity}};
inline constexpr Method kGetDbUuid = {"get_metastore_db_uuid", {kMeta}};
inline constexpr Method kGetVersion = {"getVersion", {}};
inline constexpr Method kSetUgi = {"set_ugi", {kMeta}};
}  // namespace methods

}  // namespace catalogd::hms
