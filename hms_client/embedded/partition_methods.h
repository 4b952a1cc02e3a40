#pragma once

#include "hms_client/embedded/methods_base.h"

namespace catalogd::hms {

// Partitions.
class PartitionMethods : public virtual MethodsBase {
 public:
  void add_partition(api::Partition& answer, const api::Partition& new_part) override;
  void add_partition_with_environment_context(api::Partition& answer,
                                              const api::Partition& new_part,
                                              const api::EnvironmentContext& context) override;
  int32_t add_partitions(const std::vector<api::Partition>& new_parts) override;
  void add_partitions_req(api::AddPartitionsResult& answer,
                          const api::AddPartitionsRequest& request) override;
  void alter_partition(const std::string& db_name, const std::string& tbl_name,
                       const api::Partition& new_part) override;
  void alter_partition_with_environment_context(const std::string& db_name,
                                                const std::string& tbl_name,
                                                const api::Partition& new_part,
                                                const api::EnvironmentContext& context) override;
  void alter_partitions(const std::string& db_name, const std::string& tbl_name,
                        const std::vector<api::Partition>& new_parts) override;
  void alter_partitions_req(api::AlterPartitionsResponse& answer,
                            const api::AlterPartitionsRequest& request) override;
  void alter_partitions_with_environment_context(const std::string& db_name,
                                                 const std::string& tbl_name,
                                                 const std::vector<api::Partition>& new_parts,
                                                 const api::EnvironmentContext& context) override;
  void append_partition(api::Partition& answer, const std::string& db_name,
                        const std::string& tbl_name, const Strings& part_vals) override;
  void append_partition_by_name(api::Partition& answer, const std::string& db_name,
                                const std::string& tbl_name, const std::string& part_name) override;
  void append_partition_by_name_with_environment_context(
      api::Partition& answer, const std::string& db_name, const std::string& tbl_name,
      const std::string& part_name, const api::EnvironmentContext& context) override;
  void append_partition_req(api::Partition& answer,
                            const api::AppendPartitionsRequest& request) override;
  void append_partition_with_environment_context(api::Partition& answer, const std::string& db_name,
                                                 const std::string& tbl_name,
                                                 const Strings& part_vals,
                                                 const api::EnvironmentContext& context) override;
  bool drop_partition(const std::string& db_name, const std::string& tbl_name,
                      const Strings& part_vals, bool delete_data) override;
  bool drop_partition_by_name(const std::string& db_name, const std::string& tbl_name,
                              const std::string& part_name, bool delete_data) override;
  bool drop_partition_by_name_with_environment_context(
      const std::string& db_name, const std::string& tbl_name, const std::string& part_name,
      bool delete_data, const api::EnvironmentContext& context) override;
  bool drop_partition_req(const api::DropPartitionRequest& request) override;
  bool drop_partition_with_environment_context(const std::string& db_name,
                                               const std::string& tbl_name,
                                               const Strings& part_vals, bool delete_data,
                                               const api::EnvironmentContext& context) override;
  void drop_partitions_req(api::DropPartitionsResult& answer,
                           const api::DropPartitionsRequest& request) override;
  void fetch_partition_names_req(Strings& answer, const api::PartitionsRequest& request) override;
  void get_partition(api::Partition& answer, const std::string& db_name,
                     const std::string& tbl_name, const Strings& part_vals) override;
  void get_partition_by_name(api::Partition& answer, const std::string& db_name,
                             const std::string& tbl_name, const std::string& part_name) override;
  void get_partition_names(Strings& answer, const std::string& db_name, const std::string& tbl_name,
                           int16_t max_parts) override;
  void get_partition_names_ps(Strings& answer, const std::string& db_name,
                              const std::string& tbl_name, const Strings& part_vals,
                              int16_t max_parts) override;
  void get_partition_names_ps_req(api::GetPartitionNamesPsResponse& answer,
                                  const api::GetPartitionNamesPsRequest& request) override;
  void get_partition_req(api::GetPartitionResponse& answer,
                         const api::GetPartitionRequest& request) override;
  void get_partition_with_auth(api::Partition& answer, const std::string& db_name,
                               const std::string& tbl_name, const Strings& part_vals,
                               const std::string& user_name, const Strings& group_names) override;
  void get_partitions(std::vector<api::Partition>& answer, const std::string& db_name,
                      const std::string& tbl_name, int16_t max_parts) override;
  void get_partitions_by_names(std::vector<api::Partition>& answer, const std::string& db_name,
                               const std::string& tbl_name, const Strings& names) override;
  void get_partitions_by_names_req(api::GetPartitionsByNamesResult& answer,
                                   const api::GetPartitionsByNamesRequest& request) override;
  void get_partitions_ps(std::vector<api::Partition>& answer, const std::string& db_name,
                         const std::string& tbl_name, const Strings& part_vals,
                         int16_t max_parts) override;
  void get_partitions_ps_with_auth(std::vector<api::Partition>& answer, const std::string& db_name,
                                   const std::string& tbl_name, const Strings& part_vals,
                                   int16_t max_parts, const std::string& user_name,
                                   const Strings& group_names) override;
  void get_partitions_ps_with_auth_req(api::GetPartitionsPsWithAuthResponse& answer,
                                       const api::GetPartitionsPsWithAuthRequest& request) override;
  void get_partitions_req(api::PartitionsResponse& answer,
                          const api::PartitionsRequest& request) override;
  void get_partitions_with_auth(std::vector<api::Partition>& answer, const std::string& db_name,
                                const std::string& tbl_name, int16_t max_parts,
                                const std::string& user_name, const Strings& group_names) override;
  bool partition_name_has_valid_characters(const Strings& part_vals, bool throw_exception) override;
  void partition_name_to_spec(Properties& answer, const std::string& part_name) override;
  void partition_name_to_vals(Strings& answer, const std::string& part_name) override;
  void rename_partition(const std::string& db_name, const std::string& tbl_name,
                        const Strings& part_vals, const api::Partition& new_part) override;
  void rename_partition_req(api::RenamePartitionResponse& answer,
                            const api::RenamePartitionRequest& request) override;

 private:
  api::Partition Add(const char* method, const api::Partition& partition);
};

}  // namespace catalogd::hms
