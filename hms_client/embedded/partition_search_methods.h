#pragma once

#include "hms_client/embedded/methods_base.h"

namespace catalogd::hms {

// Partitions by filter and in bulk forms, partitions that change tables, marks on partitions.
class PartitionSearchMethods : public virtual MethodsBase {
 public:
  int32_t add_partitions_pspec(const std::vector<api::PartitionSpec>& new_parts) override;
  void exchange_partition(api::Partition& answer, const Properties& partition_specs,
                          const std::string& source_db, const std::string& source_table_name,
                          const std::string& dest_db, const std::string& dest_table_name) override;
  void exchange_partitions(std::vector<api::Partition>& answer, const Properties& partition_specs,
                           const std::string& source_db, const std::string& source_table_name,
                           const std::string& dest_db, const std::string& dest_table_name) override;
  int32_t get_num_partitions_by_filter(const std::string& db_name, const std::string& tbl_name,
                                       const std::string& filter) override;
  void get_part_specs_by_filter(std::vector<api::PartitionSpec>& answer, const std::string& db_name,
                                const std::string& tbl_name, const std::string& filter,
                                int32_t max_parts) override;
  void get_partition_values(api::PartitionValuesResponse& answer,
                            const api::PartitionValuesRequest& request) override;
  void get_partitions_by_expr(api::PartitionsByExprResult& answer,
                              const api::PartitionsByExprRequest& request) override;
  void get_partitions_by_filter(std::vector<api::Partition>& answer, const std::string& db_name,
                                const std::string& tbl_name, const std::string& filter,
                                int16_t max_parts) override;
  void get_partitions_by_filter_req(std::vector<api::Partition>& answer,
                                    const api::GetPartitionsByFilterRequest& request) override;
  void get_partitions_pspec(std::vector<api::PartitionSpec>& answer, const std::string& db_name,
                            const std::string& tbl_name, int32_t max_parts) override;
  void get_partitions_spec_by_expr(api::PartitionsSpecByExprResult& answer,
                                   const api::PartitionsByExprRequest& request) override;
  void get_table_names_by_filter(Strings& answer, const std::string& db_name,
                                 const std::string& filter, int16_t max_tables) override;
  bool isPartitionMarkedForEvent(const std::string& db_name, const std::string& tbl_name,
                                 const Properties& part_vals,
                                 api::PartitionEventType::type event_type) override;
  void markPartitionForEvent(const std::string& db_name, const std::string& tbl_name,
                             const Properties& part_vals,
                             api::PartitionEventType::type event_type) override;
};

}  // namespace catalogd::hms
