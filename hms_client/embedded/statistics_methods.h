#pragma once

#include "hms_client/embedded/methods_base.h"

namespace catalogd::hms {

// Statistics of columns.
class StatisticsMethods : public virtual MethodsBase {
 public:
  bool delete_column_statistics_req(const api::DeleteColumnStatisticsRequest& request) override;
  bool delete_partition_column_statistics(const std::string& db_name, const std::string& tbl_name,
                                          const std::string& part_name, const std::string& col_name,
                                          const std::string& engine) override;
  bool delete_table_column_statistics(const std::string& db_name, const std::string& tbl_name,
                                      const std::string& col_name,
                                      const std::string& engine) override;
  void get_aggr_stats_for(api::AggrStats& answer,
                          const api::PartitionsStatsRequest& request) override;
  void get_partition_column_statistics(api::ColumnStatistics& answer, const std::string& db_name,
                                       const std::string& tbl_name, const std::string& part_name,
                                       const std::string& col_name) override;
  void get_partitions_statistics_req(api::PartitionsStatsResult& answer,
                                     const api::PartitionsStatsRequest& request) override;
  void get_table_column_statistics(api::ColumnStatistics& answer, const std::string& db_name,
                                   const std::string& tbl_name,
                                   const std::string& col_name) override;
  void get_table_statistics_req(api::TableStatsResult& answer,
                                const api::TableStatsRequest& request) override;
  bool set_aggr_stats_for(const api::SetPartitionsStatsRequest& request) override;
  bool update_partition_column_statistics(const api::ColumnStatistics& statistics) override;
  void update_partition_column_statistics_req(
      api::SetPartitionsStatsResponse& answer,
      const api::SetPartitionsStatsRequest& request) override;
  bool update_table_column_statistics(const api::ColumnStatistics& statistics) override;
  void update_table_column_statistics_req(api::SetPartitionsStatsResponse& answer,
                                          const api::SetPartitionsStatsRequest& request) override;

 private:
  void Update(const char* method, const std::vector<api::ColumnStatistics>& statistics, bool merge);
};

}  // namespace catalogd::hms
