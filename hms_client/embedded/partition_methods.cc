#include "hms_client/embedded/partition_methods.h"

#include <map>
#include <utility>

#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/method_arguments.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/operations.h"
#include "hms_client/embedded/partition_search.h"

namespace catalogd::hms {

namespace {

void DropColumns(std::vector<api::Partition>* partitions) {
  for (api::Partition& partition : *partitions) {
    partition.sd.cols.clear();
    partition.sd.__isset.cols = false;
  }
}

CalledName TargetOf(const api::Partition& partition) {
  return TableName(partition.catName, partition.dbName, partition.tableName);
}

// What a write of partitions answers: the object as it was sent, with what the server filled in.
api::Partition Answered(const api::Partition& sent, const api::Partition& stored) {
  api::Partition answer = sent;
  answer.__set_createTime(stored.createTime);
  answer.__set_lastAccessTime(stored.lastAccessTime);
  answer.__set_parameters(stored.parameters);
  answer.__set_catName(stored.catName);
  if (stored.__isset.sd && stored.sd.__isset.location) {
    answer.sd.__set_location(stored.sd.location);
  }
  return answer;
}

// The new ones among those that were sent, in that order.
std::vector<api::Partition> Answered(const std::vector<api::Partition>& sent,
                                     const std::vector<api::Partition>& added) {
  std::map<Strings, const api::Partition*> stored;
  for (const api::Partition& one : added) stored[one.values] = &one;
  std::vector<api::Partition> answers;
  for (const api::Partition& one : sent) {
    const auto found = stored.find(one.values);
    if (found != stored.end()) answers.push_back(Answered(one, *found->second));
  }
  return answers;
}

// An append answers with the names as the client wrote them, and without the write id.
api::Partition Appended(api::Partition partition, const CalledName& table) {
  partition.__set_dbName(table.written_db());
  partition.__set_tableName(table.written_table().value_or(""));
  partition.__isset.writeId = false;
  return partition;
}

Error NoList(const char* text) { return {ErrorCode::kConflict, text}; }

}  // namespace

api::Partition PartitionMethods::Add(const char* method, const api::Partition& partition) {
  const auto refuse = [method](const char* text) {
    Raise<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
        method, NoList(text));
  };
  if (!Given(1)) refuse("Partition cannot be null.");
  if (!partition.__isset.dbName || !partition.__isset.tableName) {
    refuse("The database and table name cannot be null.");
  }
  const auto added =
      Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
          method, ops::AddPartitions(store(), TargetOf(partition), {partition}, false));
  return Answered(partition, added.front());
}

void PartitionMethods::add_partition(api::Partition& answer, const api::Partition& new_part) {
  answer = Add("add_partition", new_part);
}

void PartitionMethods::add_partition_with_environment_context(
    api::Partition& answer, const api::Partition& new_part,
    const api::EnvironmentContext& /*context*/) {
  answer = Add("add_partition_with_environment_context", new_part);
}

int32_t PartitionMethods::add_partitions(const std::vector<api::Partition>& new_parts) {
  if (!Given(1)) {
    Raise<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
        "add_partitions", NoList("Partition list cannot be null."));
  }
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
  if (request.needResult && !request.parts.empty()) {
    answer.__set_partitions(Answered(request.parts, added));
  }
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
  const CalledName table = TableName(db_name, tbl_name);
  answer =
      Appended(Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
                   "append_partition", ops::AppendPartition(store(), table, part_vals)),
               table);
}

void PartitionMethods::append_partition_by_name(api::Partition& answer, const std::string& db_name,
                                                const std::string& tbl_name,
                                                const std::string& part_name) {
  const CalledName table = TableName(db_name, tbl_name);
  answer = Appended(
      Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
          "append_partition_by_name", ops::AppendPartitionByName(store(), table, part_name)),
      table);
}

void PartitionMethods::append_partition_by_name_with_environment_context(
    api::Partition& answer, const std::string& db_name, const std::string& tbl_name,
    const std::string& part_name, const api::EnvironmentContext& /*context*/) {
  const CalledName table = TableName(db_name, tbl_name);
  answer =
      Appended(Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
                   "append_partition_by_name_with_environment_context",
                   ops::AppendPartitionByName(store(), table, part_name)),
               table);
}

void PartitionMethods::append_partition_req(api::Partition& answer,
                                            const api::AppendPartitionsRequest& request) {
  const CalledName table = TableName(request.catalogName, request.dbName, request.tableName);
  api::Partition stored =
      request.__isset.name
          ? Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
                "append_partition_req", ops::AppendPartitionByName(store(), table, request.name))
          : Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
                "append_partition_req", ops::AppendPartition(store(), table, request.partVals));
  answer = Appended(std::move(stored), table);
}

void PartitionMethods::append_partition_with_environment_context(
    api::Partition& answer, const std::string& db_name, const std::string& tbl_name,
    const Strings& part_vals, const api::EnvironmentContext& /*context*/) {
  const CalledName table = TableName(db_name, tbl_name);
  answer =
      Appended(Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
                   "append_partition_with_environment_context",
                   ops::AppendPartition(store(), table, part_vals)),
               table);
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
  const CalledName table = TableName(request.catName, request.dbName, request.tblName);
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
  const CalledName table = TableName(request.catName, request.dbName, request.tblName);
  Strings names = request.parts.names;
  if (!request.parts.__isset.names) {
    for (const api::DropPartitionsExpr& one : request.parts.exprs) {
      const Strings found = Unwrap<api::NoSuchObjectException, api::MetaException>(
          "drop_partitions_req", ops::PartitionNamesByExpression(store(), table, one.expr));
      names.insert(names.end(), found.begin(), found.end());
    }
  }
  auto dropped = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "drop_partitions_req",
      ops::DropPartitions(store(), table, names, {request.ifExists, request.deleteData}));
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
  const CalledName table = TableName(request.catName, request.dbName, request.tblName);
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
  for (auto& [key, value] : PartitionNameParts(part_name)) answer[key] = std::move(value);
}

void PartitionMethods::partition_name_to_vals(Strings& answer, const std::string& part_name) {
  for (auto& [key, value] : PartitionNameParts(part_name)) answer.push_back(std::move(value));
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
