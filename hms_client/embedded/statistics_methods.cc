#include "hms_client/embedded/statistics_methods.h"

#include <utility>

#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/method_arguments.h"
#include "hms_client/embedded/statistics.h"

namespace catalogd::hms {

namespace {

// These methods declare that objects are not there, but the metastore trips over a missing table.
bool Deleted(const char* method, const Status& status) {
  if (!status && status.error().code == ErrorCode::kUnsupported) throw UndeclaredError(method, "");
  Unwrap<api::NoSuchObjectException, api::MetaException>(method, status);
  return true;
}

std::optional<std::string> If(bool given, const std::string& text) {
  if (!given || text.empty()) return std::nullopt;
  return text;
}

// No name of a column: all of them.
Strings ColumnIf(bool given, const std::string& column) {
  return given && !column.empty() ? Strings{column} : Strings();
}

template <class Request>
ops::StatisticsOf Of(const Request& request) {
  return {TableName(request.catName, request.dbName, request.tblName), request.engine};
}

}  // namespace

bool StatisticsMethods::delete_column_statistics_req(
    const api::DeleteColumnStatisticsRequest& request) {
  ops::StatisticsToDelete what;
  what.engine = If(request.__isset.engine, request.engine);
  what.columns = request.col_names;
  const CalledName table = TableName(request.cat_name, request.db_name, request.tbl_name);
  if (!request.tableLevel) {
    what.partitions = request.part_names;
    if (what.partitions->empty()) {
      what.partitions = Unwrap<api::NoSuchObjectException, api::MetaException>(
          "delete_column_statistics_req", ops::ListPartitionNames(store(), table, -1));
    }
  }
  return Deleted("delete_column_statistics_req", ops::DeleteStatistics(store(), table, what));
}

bool StatisticsMethods::delete_partition_column_statistics(const std::string& db_name,
                                                           const std::string& tbl_name,
                                                           const std::string& part_name,
                                                           const std::string& col_name,
                                                           const std::string& engine) {
  ops::StatisticsToDelete what;
  what.engine = If(Given(5), engine);
  what.partitions = Strings{part_name};
  what.columns = ColumnIf(Given(4), col_name);
  return Deleted("delete_partition_column_statistics",
                 ops::DeleteStatistics(store(), TableName(db_name, tbl_name), what));
}

bool StatisticsMethods::delete_table_column_statistics(const std::string& db_name,
                                                       const std::string& tbl_name,
                                                       const std::string& col_name,
                                                       const std::string& engine) {
  ops::StatisticsToDelete what;
  what.engine = If(Given(4), engine);
  what.columns = ColumnIf(Given(3), col_name);
  return Deleted("delete_table_column_statistics",
                 ops::DeleteStatistics(store(), TableName(db_name, tbl_name), what));
}

void StatisticsMethods::get_aggr_stats_for(api::AggrStats& answer,
                                           const api::PartitionsStatsRequest& request) {
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_aggr_stats_for",
      ops::AggregateStatistics(store(), Of(request), request.partNames, request.colNames));
}

void StatisticsMethods::get_partition_column_statistics(api::ColumnStatistics& answer,
                                                        const std::string& db_name,
                                                        const std::string& tbl_name,
                                                        const std::string& part_name,
                                                        const std::string& col_name) {
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_partition_column_statistics",
      ops::ColumnStatistics(store(), {TableName(db_name, tbl_name), ""}, part_name, col_name));
}

void StatisticsMethods::get_partitions_statistics_req(api::PartitionsStatsResult& answer,
                                                      const api::PartitionsStatsRequest& request) {
  answer.partStats = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_partitions_statistics_req",
      ops::PartitionStatistics(store(), Of(request), request.partNames, request.colNames));
}

void StatisticsMethods::get_table_column_statistics(api::ColumnStatistics& answer,
                                                    const std::string& db_name,
                                                    const std::string& tbl_name,
                                                    const std::string& col_name) {
  answer = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_table_column_statistics",
      ops::ColumnStatistics(store(), {TableName(db_name, tbl_name), ""}, std::nullopt, col_name));
}

void StatisticsMethods::get_table_statistics_req(api::TableStatsResult& answer,
                                                 const api::TableStatsRequest& request) {
  answer.tableStats = Unwrap<api::NoSuchObjectException, api::MetaException>(
      "get_table_statistics_req", ops::TableStatistics(store(), Of(request), request.colNames));
}

void StatisticsMethods::Update(const char* method,
                               const std::vector<api::ColumnStatistics>& statistics, bool merge) {
  Unwrap<api::NoSuchObjectException, api::InvalidObjectException, api::MetaException>(
      method, ops::UpdateStatistics(store(), statistics, merge));
}

bool StatisticsMethods::set_aggr_stats_for(const api::SetPartitionsStatsRequest& request) {
  Update("set_aggr_stats_for", request.colStats, request.needMerge);
  return true;
}

bool StatisticsMethods::update_partition_column_statistics(
    const api::ColumnStatistics& statistics) {
  Update("update_partition_column_statistics", {statistics}, false);
  return true;
}

void StatisticsMethods::update_partition_column_statistics_req(
    api::SetPartitionsStatsResponse& answer, const api::SetPartitionsStatsRequest& request) {
  Update("update_partition_column_statistics_req", request.colStats, request.needMerge);
  answer.result = true;
}

bool StatisticsMethods::update_table_column_statistics(const api::ColumnStatistics& statistics) {
  Update("update_table_column_statistics", {statistics}, false);
  return true;
}

void StatisticsMethods::update_table_column_statistics_req(
    api::SetPartitionsStatsResponse& answer, const api::SetPartitionsStatsRequest& request) {
  Update("update_table_column_statistics_req", request.colStats, request.needMerge);
  answer.result = true;
}

}  // namespace catalogd::hms
