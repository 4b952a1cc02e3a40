#include "hms_client/embedded/partition_search_methods.h"

#include <utility>

#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/method_arguments.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/partition_search.h"

namespace catalogd::hms {

namespace {

template <class T>
T UnwrapSearch(const char* method, Result<T> result) {
  return Unwrap<api::MetaException, api::NoSuchObjectException>(method, std::move(result));
}

// One list in one piece; a metastore parts it by where the partitions lie.
std::vector<api::PartitionSpec> Specs(const CalledName& table, const std::string& root,
                                      const std::vector<api::Partition>& partitions) {
  api::PartitionSpec spec;
  spec.__set_dbName(table.db());
  spec.__set_tableName(table.table());
  spec.__set_catName(table.catalog());
  spec.__set_rootPath(root);
  api::PartitionListComposingSpec list;
  list.__set_partitions(partitions);
  spec.__set_partitionList(list);
  return {std::move(spec)};
}

// Partitions of a spec in either form.
std::vector<api::Partition> PartitionsOf(const api::PartitionSpec& spec) {
  if (spec.__isset.partitionList) return spec.partitionList.partitions;
  std::vector<api::Partition> partitions;
  for (const api::PartitionWithoutSD& one : spec.sharedSDPartitionSpec.partitions) {
    api::Partition partition;
    partition.__set_values(one.values);
    partition.__set_dbName(spec.dbName);
    partition.__set_tableName(spec.tableName);
    partition.__set_createTime(one.createTime);
    partition.__set_lastAccessTime(one.lastAccessTime);
    partition.__set_parameters(one.parameters);
    partition.__set_sd(spec.sharedSDPartitionSpec.sd);
    partition.sd.__set_location(spec.rootPath + one.relativePath);
    partitions.push_back(std::move(partition));
  }
  return partitions;
}

std::string MarkName(const CalledName& table, const Properties& values) {
  std::string name = "mark:" + table.db() + '\x1f' + table.table();
  for (const auto& [key, value] : values) name += '\x1f' + NormalizeName(key) + '=' + value;
  return name;
}

Status CheckTable(Store& store, const CalledName& table) {
  auto found = ops::GetTable(store, table);
  if (!found) return AsError(std::move(found).error());
  return Ok();
}

}  // namespace

int32_t PartitionSearchMethods::add_partitions_pspec(
    const std::vector<api::PartitionSpec>& new_parts) {
  if (new_parts.empty()) return 0;
  const api::PartitionSpec& first = new_parts.front();
  std::vector<api::Partition> partitions;
  for (const api::PartitionSpec& spec : new_parts) {
    for (api::Partition& one : PartitionsOf(spec)) partitions.push_back(std::move(one));
  }
  const auto added =
      Unwrap<api::InvalidObjectException, api::AlreadyExistsException, api::MetaException>(
          "add_partitions_pspec",
          ops::AddPartitions(store(), TableName(first.catName, first.dbName, first.tableName),
                             std::move(partitions), false));
  return static_cast<int32_t>(added.size());
}

void PartitionSearchMethods::exchange_partition(api::Partition& answer,
                                                const Properties& partition_specs,
                                                const std::string& source_db,
                                                const std::string& source_table_name,
                                                const std::string& dest_db,
                                                const std::string& dest_table_name) {
  // The metastore answers with an empty one.
  static_cast<void>(answer);
  Unwrap<api::MetaException, api::NoSuchObjectException, api::InvalidObjectException>(
      "exchange_partition",
      ops::ExchangePartitions(store(), partition_specs, TableName(source_db, source_table_name),
                              TableName(dest_db, dest_table_name)));
}

void PartitionSearchMethods::exchange_partitions(std::vector<api::Partition>& answer,
                                                 const Properties& partition_specs,
                                                 const std::string& source_db,
                                                 const std::string& source_table_name,
                                                 const std::string& dest_db,
                                                 const std::string& dest_table_name) {
  answer = Unwrap<api::MetaException, api::NoSuchObjectException, api::InvalidObjectException>(
      "exchange_partitions",
      ops::ExchangePartitions(store(), partition_specs, TableName(source_db, source_table_name),
                              TableName(dest_db, dest_table_name)));
}

int32_t PartitionSearchMethods::get_num_partitions_by_filter(const std::string& db_name,
                                                             const std::string& tbl_name,
                                                             const std::string& filter) {
  return static_cast<int32_t>(
      UnwrapSearch("get_num_partitions_by_filter",
                   ops::CountPartitionsByFilter(store(), TableName(db_name, tbl_name), filter)));
}

void PartitionSearchMethods::get_part_specs_by_filter(std::vector<api::PartitionSpec>& answer,
                                                      const std::string& db_name,
                                                      const std::string& tbl_name,
                                                      const std::string& filter,
                                                      int32_t max_parts) {
  const CalledName table = TableName(db_name, tbl_name);
  const api::Table stored = UnwrapSearch("get_part_specs_by_filter", ops::GetTable(store(), table));
  answer = Specs(table, stored.sd.location,
                 UnwrapSearch("get_part_specs_by_filter",
                              ops::PartitionsByFilter(store(), table, filter,
                                                      LikeDialect::kByPattern, max_parts)));
}

void PartitionSearchMethods::get_partition_values(api::PartitionValuesResponse& answer,
                                                  const api::PartitionValuesRequest& request) {
  ops::ValuesQuery query;
  for (const api::FieldSchema& key : request.partitionKeys) query.keys.push_back(key.name);
  query.filter = request.filter;
  query.distinct = request.applyDistinct;
  query.ascending = request.ascending;
  query.max = request.maxParts;
  for (Strings& values : UnwrapSearch(
           "get_partition_values",
           ops::PartitionValues(
               store(), TableName(request.catName, request.dbName, request.tblName), query))) {
    api::PartitionValuesRow row;
    row.row = std::move(values);
    answer.partitionValues.push_back(std::move(row));
  }
}

void PartitionSearchMethods::get_partitions_by_expr(api::PartitionsByExprResult& answer,
                                                    const api::PartitionsByExprRequest& request) {
  const CalledName table = TableName(request.catName, request.dbName, request.tblName);
  if (ops::IsFilterText(request.expr)) {
    answer.partitions =
        UnwrapSearch("get_partitions_by_expr",
                     ops::PartitionsByFilter(store(), table, request.expr, LikeDialect::kByPattern,
                                             request.maxParts));
    return;
  }
  // All of them, and the client is told to look for itself.
  answer.partitions =
      UnwrapSearch("get_partitions_by_expr", ops::ListPartitions(store(), table, request.maxParts));
  answer.hasUnknownPartitions = true;
}

void PartitionSearchMethods::get_partitions_spec_by_expr(
    api::PartitionsSpecByExprResult& answer, const api::PartitionsByExprRequest& request) {
  api::PartitionsByExprResult found;
  get_partitions_by_expr(found, request);
  const CalledName table = TableName(request.catName, request.dbName, request.tblName);
  const api::Table stored =
      UnwrapSearch("get_partitions_spec_by_expr", ops::GetTable(store(), table));
  answer.partitionsSpec = Specs(table, stored.sd.location, found.partitions);
  answer.hasUnknownPartitions = found.hasUnknownPartitions;
}

void PartitionSearchMethods::get_partitions_by_filter(std::vector<api::Partition>& answer,
                                                      const std::string& db_name,
                                                      const std::string& tbl_name,
                                                      const std::string& filter,
                                                      int16_t max_parts) {
  // Clients of Hive 2 and 3 write expressions of Java, some later ones SQL.
  answer = UnwrapSearch("get_partitions_by_filter",
                        ops::PartitionsByFilter(store(), TableName(db_name, tbl_name), filter,
                                                LikeDialect::kByPattern, max_parts));
}

void PartitionSearchMethods::get_partitions_by_filter_req(
    std::vector<api::Partition>& answer, const api::GetPartitionsByFilterRequest& request) {
  answer = UnwrapSearch(
      "get_partitions_by_filter_req",
      ops::PartitionsByFilter(store(), TableName(request.catName, request.dbName, request.tblName),
                              request.filter, LikeDialect::kSql, request.maxParts));
  if (request.skipColumnSchemaForPartition) {
    for (api::Partition& one : answer) {
      one.sd.cols.clear();
      one.sd.__isset.cols = false;
    }
  }
}

void PartitionSearchMethods::get_partitions_pspec(std::vector<api::PartitionSpec>& answer,
                                                  const std::string& db_name,
                                                  const std::string& tbl_name, int32_t max_parts) {
  const CalledName table = TableName(db_name, tbl_name);
  const api::Table stored = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_partitions_pspec", ops::GetTable(store(), table));
  answer = Specs(table, stored.sd.location,
                 Unwrap<api::NoSuchObjectException, api::MetaException>(
                     "get_partitions_pspec", ops::ListPartitions(store(), table, max_parts)));
}

void PartitionSearchMethods::get_table_names_by_filter(Strings& answer, const std::string& db_name,
                                                       const std::string& filter,
                                                       int16_t max_tables) {
  Result<Strings> names =
      ops::TableNamesByFilter(store(), DatabaseName(db_name), filter, max_tables);
  // A filter that cannot be read makes the operation invalid here.
  if (!names && names.error().code == ErrorCode::kConflict) {
    names = MakeError(ErrorCode::kInvalidState, names.error().message);
  }
  answer = Unwrap<api::MetaException, api::InvalidOperationException, api::UnknownDBException>(
      "get_table_names_by_filter", std::move(names));
}

bool PartitionSearchMethods::isPartitionMarkedForEvent(
    const std::string& db_name, const std::string& tbl_name, const Properties& part_vals,
    api::PartitionEventType::type /*event_type*/) {
  const CalledName table = TableName(db_name, tbl_name);
  Unwrap<api::MetaException, api::UnknownTableException>("isPartitionMarkedForEvent",
                                                         CheckTable(store(), table));
  return !Unwrap<api::MetaException>("isPartitionMarkedForEvent", store().Read([&](Rows& rows) {
            return rows.Fact(MarkName(table, part_vals));
          })).empty();
}

void PartitionSearchMethods::markPartitionForEvent(const std::string& db_name,
                                                   const std::string& tbl_name,
                                                   const Properties& part_vals,
                                                   api::PartitionEventType::type /*event_type*/) {
  const CalledName table = TableName(db_name, tbl_name);
  Unwrap<api::MetaException, api::UnknownTableException>("markPartitionForEvent",
                                                         CheckTable(store(), table));
  Unwrap<api::MetaException>("markPartitionForEvent", store().Write([&](Writer& writer) {
    return writer.SetFact(MarkName(table, part_vals), std::to_string(writer.now()));
  }));
}

}  // namespace catalogd::hms
