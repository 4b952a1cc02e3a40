#include "hms_client/embedded/partition_methods.h"

#include <utility>

#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/method_arguments.h"
#include "hms_client/embedded/operations.h"

namespace catalogd::hms {

namespace {

void DropColumns(std::vector<api::Partition>* partitions) {
  for (api::Partition& partition : *partitions) {
    partition.sd.cols.clear();
    partition.sd.__isset.cols = false;
  }
}

ObjectName TargetOf(const api::Partition& partition) {
  return TableName(partition.catName, partition.dbName, partition.tableName);
}

Result<Strings> NameToValues(const std::string& name) {
  Result<Strings> values = PartitionNameToValues(name);
  // A bad name is a MetaException here, as every error of these two methods.
  if (!values) return MakeError(ErrorCode::kConflict, values.error().message);
  return values;
}

Result<Properties> NameToSpec(const std::string& name) {
  ASSIGN_OR_RETURN(const Strings values, NameToValues(name));
  Properties spec;
  std::string_view rest = name;
  for (const std::string& value : values) {
    spec[UnescapePathName(rest.substr(0, rest.find('=')))] = value;
    const size_t slash = rest.find('/');
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  }
  return spec;
}

}  // namespace

void PartitionMethods::add_partition(api::Partition& answer, const api::Partition& new_part) {
  std::vector<api::Partition> one = {new_part};
  std::vector<api::Partition> added =
      Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
          "add_partition", ops::AddPartitions(store(), TargetOf(new_part), std::move(one), false));
  answer = std::move(added.front());
}

void PartitionMethods::add_partition_with_environment_context(
    api::Partition& answer, const api::Partition& new_part,
    const api::EnvironmentContext& /*context*/) {
  std::vector<api::Partition> one = {new_part};
  std::vector<api::Partition> added =
      Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
          "add_partition_with_environment_context",
          ops::AddPartitions(store(), TargetOf(new_part), std::move(one), false));
  answer = std::move(added.front());
}

int32_t PartitionMethods::add_partitions(const std::vector<api::Partition>& new_parts) {
  if (new_parts.empty()) return 0;
  const auto added =
      Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
          "add_partitions",
          ops::AddPartitions(store(), TargetOf(new_parts.front()), new_parts, false));
  return static_cast<int32_t>(added.size());
}

void PartitionMethods::add_partitions_req(api::AddPartitionsResult& answer,
                                          const api::AddPartitionsRequest& request) {
  auto added = Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
      "add_partitions_req",
      ops::AddPartitions(store(), TableName(request.catName, request.dbName, request.tblName),
                         request.parts, request.ifNotExists));
  if (request.needResult) answer.__set_partitions(added);
}

void PartitionMethods::alter_partition(const std::string& db_name, const std::string& tbl_name,
                                       const api::Partition& new_part) {
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "alter_partition", ops::AlterPartition(store(), TableName(db_name, tbl_name), new_part));
}

void PartitionMethods::alter_partition_with_environment_context(
    const std::string& db_name, const std::string& tbl_name, const api::Partition& new_part,
    const api::EnvironmentContext& /*context*/) {
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "alter_partition_with_environment_context",
      ops::AlterPartition(store(), TableName(db_name, tbl_name), new_part));
}

void PartitionMethods::alter_partitions(const std::string& db_name, const std::string& tbl_name,
                                        const std::vector<api::Partition>& new_parts) {
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "alter_partitions", ops::AlterPartitions(store(), TableName(db_name, tbl_name), new_parts));
}

void PartitionMethods::alter_partitions_req(api::AlterPartitionsResponse& /*answer*/,
                                            const api::AlterPartitionsRequest& request) {
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "alter_partitions_req",
      ops::AlterPartitions(store(), TableName(request.catName, request.dbName, request.tableName),
                           request.partitions));
}

void PartitionMethods::alter_partitions_with_environment_context(
    const std::string& db_name, const std::string& tbl_name,
    const std::vector<api::Partition>& new_parts, const api::EnvironmentContext& /*context*/) {
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "alter_partitions_with_environment_context",
      ops::AlterPartitions(store(), TableName(db_name, tbl_name), new_parts));
}

void PartitionMethods::append_partition(api::Partition& answer, const std::string& db_name,
                                        const std::string& tbl_name, const Strings& part_vals) {
  answer = Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
      "append_partition", ops::AppendPartition(store(), TableName(db_name, tbl_name), part_vals));
}

void PartitionMethods::append_partition_by_name(api::Partition& answer, const std::string& db_name,
                                                const std::string& tbl_name,
                                                const std::string& part_name) {
  answer = Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
      "append_partition_by_name",
      ops::AppendPartitionByName(store(), TableName(db_name, tbl_name), part_name));
}

void PartitionMethods::append_partition_by_name_with_environment_context(
    api::Partition& answer, const std::string& db_name, const std::string& tbl_name,
    const std::string& part_name, const api::EnvironmentContext& /*context*/) {
  answer = Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
      "append_partition_by_name_with_environment_context",
      ops::AppendPartitionByName(store(), TableName(db_name, tbl_name), part_name));
}

void PartitionMethods::append_partition_req(api::Partition& answer,
                                            const api::AppendPartitionsRequest& request) {
  const ObjectName table = TableName(request.catalogName, request.dbName, request.tableName);
  answer =
      request.__isset.name
          ? Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
                "append_partition_req", ops::AppendPartitionByName(store(), table, request.name))
          : Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
                "append_partition_req", ops::AppendPartition(store(), table, request.partVals));
}

void PartitionMethods::append_partition_with_environment_context(
    api::Partition& answer, const std::string& db_name, const std::string& tbl_name,
    const Strings& part_vals, const api::EnvironmentContext& /*context*/) {
  answer = Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
      "append_partition_with_environment_context",
      ops::AppendPartition(store(), TableName(db_name, tbl_name), part_vals));
}

bool PartitionMethods::drop_partition(const std::string& db_name, const std::string& tbl_name,
                                      const Strings& part_vals, bool delete_data) {
  Unwrap<api::NoSuchObjectException, api::MetaException>(
      "drop_partition",
      ops::DropPartition(store(), TableName(db_name, tbl_name), part_vals, delete_data));
  return true;
}

bool PartitionMethods::drop_partition_by_name(const std::string& db_name,
                                              const std::string& tbl_name,
                                              const std::string& part_name, bool delete_data) {
  Unwrap<api::NoSuchObjectException, api::MetaException>(
      "drop_partition_by_name",
      ops::DropPartitionByName(store(), TableName(db_name, tbl_name), part_name, delete_data));
  return true;
}

bool PartitionMethods::drop_partition_by_name_with_environment_context(
    const std::string& db_name, const std::string& tbl_name, const std::string& part_name,
    bool delete_data, const api::EnvironmentContext& /*context*/) {
  Unwrap<api::NoSuchObjectException, api::MetaException>(
      "drop_partition_by_name_with_environment_context",
      ops::DropPartitionByName(store(), TableName(db_name, tbl_name), part_name, delete_data));
  return true;
}

bool PartitionMethods::drop_partition_req(const api::DropPartitionRequest& request) {
  const ObjectName table = TableName(request.catName, request.dbName, request.tblName);
  if (request.__isset.partName) {
    Unwrap<api::NoSuchObjectException, api::MetaException>(
        "drop_partition_req",
        ops::DropPartitionByName(store(), table, request.partName, request.deleteData));
  } else {
    Unwrap<api::NoSuchObjectException, api::MetaException>(
        "drop_partition_req",
        ops::DropPartition(store(), table, request.partVals, request.deleteData));
  }
  return true;
}

bool PartitionMethods::drop_partition_with_environment_context(
    const std::string& db_name, const std::string& tbl_name, const Strings& part_vals,
    bool delete_data, const api::EnvironmentContext& /*context*/) {
  Unwrap<api::NoSuchObjectException, api::MetaException>(
      "drop_partition_with_environment_context",
      ops::DropPartition(store(), TableName(db_name, tbl_name), part_vals, delete_data));
  return true;
}

void PartitionMethods::drop_partitions_req(api::DropPartitionsResult& answer,
                                           const api::DropPartitionsRequest& request) {
  if (!request.parts.__isset.names) {
    Raise<api::NoSuchObjectException, api::MetaException>(
        "drop_partitions_req",
        {ErrorCode::kConflict, "partitions can be dropped by name only, not by expression"});
  }
  auto dropped = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "drop_partitions_req",
      ops::DropPartitions(store(), TableName(request.catName, request.dbName, request.tblName),
                          request.parts.names, {request.ifExists, request.deleteData}));
  if (request.needResult) answer.__set_partitions(dropped);
}

void PartitionMethods::fetch_partition_names_req(Strings& answer,
                                                 const api::PartitionsRequest& request) {
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "fetch_partition_names_req",
      ops::ListPartitionNames(store(), TableName(request.catName, request.dbName, request.tblName),
                              request.maxParts));
}

void PartitionMethods::get_partition(api::Partition& answer, const std::string& db_name,
                                     const std::string& tbl_name, const Strings& part_vals) {
  answer = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_partition", ops::GetPartition(store(), TableName(db_name, tbl_name), part_vals));
}

void PartitionMethods::get_partition_by_name(api::Partition& answer, const std::string& db_name,
                                             const std::string& tbl_name,
                                             const std::string& part_name) {
  answer = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_partition_by_name",
      ops::GetPartitionByName(store(), TableName(db_name, tbl_name), part_name));
}

void PartitionMethods::get_partition_names(Strings& answer, const std::string& db_name,
                                           const std::string& tbl_name, int16_t max_parts) {
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_partition_names",
      ops::ListPartitionNames(store(), TableName(db_name, tbl_name), max_parts));
}

void PartitionMethods::get_partition_names_ps(Strings& answer, const std::string& db_name,
                                              const std::string& tbl_name, const Strings& part_vals,
                                              int16_t max_parts) {
  answer = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_partition_names_ps",
      ops::ListPartitionNamesLike(store(), TableName(db_name, tbl_name), part_vals, max_parts));
}

void PartitionMethods::get_partition_names_ps_req(api::GetPartitionNamesPsResponse& answer,
                                                  const api::GetPartitionNamesPsRequest& request) {
  answer.names = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_partition_names_ps_req",
      ops::ListPartitionNamesLike(store(),
                                  TableName(request.catName, request.dbName, request.tblName),
                                  request.partValues, request.maxParts));
}

void PartitionMethods::get_partition_req(api::GetPartitionResponse& answer,
                                         const api::GetPartitionRequest& request) {
  answer.partition = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_partition_req",
      ops::GetPartition(store(), TableName(request.catName, request.dbName, request.tblName),
                        request.partVals));
}

void PartitionMethods::get_partition_with_auth(api::Partition& answer, const std::string& db_name,
                                               const std::string& tbl_name,
                                               const Strings& part_vals,
                                               const std::string& /*user_name*/,
                                               const Strings& /*group_names*/) {
  answer = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_partition_with_auth",
      ops::GetPartition(store(), TableName(db_name, tbl_name), part_vals));
}

void PartitionMethods::get_partitions(std::vector<api::Partition>& answer,
                                      const std::string& db_name, const std::string& tbl_name,
                                      int16_t max_parts) {
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_partitions", ops::ListPartitions(store(), TableName(db_name, tbl_name), max_parts));
}

void PartitionMethods::get_partitions_by_names(std::vector<api::Partition>& answer,
                                               const std::string& db_name,
                                               const std::string& tbl_name, const Strings& names) {
  answer = Unwrap<api::MetaException, api::NoSuchObjectException, api::InvalidObjectException>(
      "get_partitions_by_names",
      ops::GetPartitionsByNames(store(), TableName(db_name, tbl_name), names));
}

void PartitionMethods::get_partitions_by_names_req(
    api::GetPartitionsByNamesResult& answer, const api::GetPartitionsByNamesRequest& request) {
  answer.partitions =
      Unwrap<api::MetaException, api::NoSuchObjectException, api::InvalidObjectException>(
          "get_partitions_by_names_req",
          ops::GetPartitionsByNames(store(), TableName(request.db_name, request.tbl_name),
                                    request.names));
  if (request.skipColumnSchemaForPartition) DropColumns(&answer.partitions);
}

void PartitionMethods::get_partitions_ps(std::vector<api::Partition>& answer,
                                         const std::string& db_name, const std::string& tbl_name,
                                         const Strings& part_vals, int16_t max_parts) {
  answer = Unwrap<api::MetaException, api::NoSuchObjectException>(
      "get_partitions_ps",
      ops::ListPartitionsLike(store(), TableName(db_name, tbl_name), part_vals, max_parts));
}

void PartitionMethods::get_partitions_ps_with_auth(std::vector<api::Partition>& answer,
                                                   const std::string& db_name,
                                                   const std::string& tbl_name,
                                                   const Strings& part_vals, int16_t max_parts,
                                                   const std::string& /*user_name*/,
                                                   const Strings& /*group_names*/) {
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_partitions_ps_with_auth",
      ops::ListPartitionsLike(store(), TableName(db_name, tbl_name), part_vals, max_parts));
}

void PartitionMethods::get_partitions_ps_with_auth_req(
    api::GetPartitionsPsWithAuthResponse& answer,
    const api::GetPartitionsPsWithAuthRequest& request) {
  const ObjectName table = TableName(request.catName, request.dbName, request.tblName);
  answer.partitions =
      request.__isset.partNames
          ? Unwrap<api::MetaException, api::NoSuchObjectException>(
                "get_partitions_ps_with_auth_req",
                ops::GetPartitionsByNames(store(), table, request.partNames))
          : Unwrap<api::MetaException, api::NoSuchObjectException>(
                "get_partitions_ps_with_auth_req",
                ops::ListPartitionsLike(store(), table, request.partVals, request.maxParts));
  if (request.skipColumnSchemaForPartition) DropColumns(&answer.partitions);
}

void PartitionMethods::get_partitions_req(api::PartitionsResponse& answer,
                                          const api::PartitionsRequest& request) {
  answer.partitions = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_partitions_req",
      ops::ListPartitions(store(), TableName(request.catName, request.dbName, request.tblName),
                          request.maxParts));
  if (request.skipColumnSchemaForPartition) DropColumns(&answer.partitions);
}

void PartitionMethods::get_partitions_with_auth(std::vector<api::Partition>& answer,
                                                const std::string& db_name,
                                                const std::string& tbl_name, int16_t max_parts,
                                                const std::string& /*user_name*/,
                                                const Strings& /*group_names*/) {
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_partitions_with_auth",
      ops::ListPartitions(store(), TableName(db_name, tbl_name), max_parts));
}

bool PartitionMethods::partition_name_has_valid_characters(const Strings& /*part_vals*/,
                                                           bool /*throw_exception*/) {
  return true;
}

void PartitionMethods::partition_name_to_spec(Properties& answer, const std::string& part_name) {
  answer = Unwrap<api::MetaException>("partition_name_to_spec", NameToSpec(part_name));
}

void PartitionMethods::partition_name_to_vals(Strings& answer, const std::string& part_name) {
  answer = Unwrap<api::MetaException>("partition_name_to_vals", NameToValues(part_name));
}

void PartitionMethods::rename_partition(const std::string& db_name, const std::string& tbl_name,
                                        const Strings& part_vals, const api::Partition& new_part) {
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "rename_partition",
      ops::RenamePartition(store(), TableName(db_name, tbl_name), part_vals, new_part));
}

void PartitionMethods::rename_partition_req(api::RenamePartitionResponse& /*answer*/,
                                            const api::RenamePartitionRequest& request) {
  Unwrap<api::InvalidOperationException, api::MetaException>(
      "rename_partition_req",
      ops::RenamePartition(store(), TableName(request.catName, request.dbName, request.tableName),
                           request.partVals, request.newPart));
}

}  // namespace catalogd::hms
