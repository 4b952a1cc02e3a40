#pragma once

#include "hms_client/embedded/function_methods.h"
#include "hms_client/embedded/methods_base.h"
#include "hms_client/embedded/partition_methods.h"
#include "hms_client/embedded/partition_search_methods.h"
#include "hms_client/embedded/role_methods.h"
#include "hms_client/embedded/statistics_methods.h"
#include "hms_client/embedded/transaction_methods.h"

// The Thrift methods of the embedded metastore, in groups that share one base; Handler joins them.
// Each unpacks its arguments, calls operations.h and throws what its IDL declares.
namespace catalogd::hms {

// Catalogs and databases.
class DatabaseMethods : public virtual MethodsBase {
 public:
  void alter_database(const std::string& dbname, const api::Database& db) override;
  void alter_database_req(const api::AlterDatabaseRequest& request) override;
  void create_database(const api::Database& database) override;
  void create_database_req(const api::CreateDatabaseRequest& request) override;
  void drop_database(const std::string& name, bool delete_data, bool cascade) override;
  void drop_database_req(const api::DropDatabaseRequest& request) override;
  void get_all_databases(Strings& answer) override;
  void get_catalog(api::GetCatalogResponse& answer,
                   const api::GetCatalogRequest& cat_name) override;
  void get_catalogs(api::GetCatalogsResponse& answer) override;
  void get_database(api::Database& answer, const std::string& name) override;
  void get_database_req(api::Database& answer, const api::GetDatabaseRequest& request) override;
  void get_databases(Strings& answer, const std::string& pattern) override;
  void get_databases_req(api::GetDatabaseObjectsResponse& answer,
                         const api::GetDatabaseObjectsRequest& request) override;
};

// Tables.
class TableMethods : public virtual MethodsBase {
 public:
  void alter_table(const std::string& dbname, const std::string& tbl_name,
                   const api::Table& new_tbl) override;
  void alter_table_req(api::AlterTableResponse& answer,
                       const api::AlterTableRequest& request) override;
  void alter_table_with_cascade(const std::string& dbname, const std::string& tbl_name,
                                const api::Table& new_tbl, bool cascade) override;
  void alter_table_with_environment_context(const std::string& dbname, const std::string& tbl_name,
                                            const api::Table& new_tbl,
                                            const api::EnvironmentContext& context) override;
  void create_table(const api::Table& tbl) override;
  void create_table_req(const api::CreateTableRequest& request) override;
  void create_table_with_constraints(
      const api::Table& tbl, const std::vector<api::SQLPrimaryKey>& primary_keys,
      const std::vector<api::SQLForeignKey>& foreign_keys,
      const std::vector<api::SQLUniqueConstraint>& unique_constraints,
      const std::vector<api::SQLNotNullConstraint>& not_null_constraints,
      const std::vector<api::SQLDefaultConstraint>& default_constraints,
      const std::vector<api::SQLCheckConstraint>& check_constraints) override;
  void create_table_with_environment_context(const api::Table& tbl,
                                             const api::EnvironmentContext& context) override;
  void drop_table(const std::string& dbname, const std::string& name, bool delete_data) override;
  void drop_table_req(const api::DropTableRequest& request) override;
  void drop_table_with_environment_context(const std::string& dbname, const std::string& name,
                                           bool delete_data,
                                           const api::EnvironmentContext& context) override;
  void get_all_tables(Strings& answer, const std::string& db_name) override;
  void get_fields(std::vector<api::FieldSchema>& answer, const std::string& db_name,
                  const std::string& table_name) override;
  void get_fields_req(api::GetFieldsResponse& answer,
                      const api::GetFieldsRequest& request) override;
  void get_fields_with_environment_context(std::vector<api::FieldSchema>& answer,
                                           const std::string& db_name,
                                           const std::string& table_name,
                                           const api::EnvironmentContext& context) override;
  void get_schema(std::vector<api::FieldSchema>& answer, const std::string& db_name,
                  const std::string& table_name) override;
  void get_schema_req(api::GetSchemaResponse& answer,
                      const api::GetSchemaRequest& request) override;
  void get_schema_with_environment_context(std::vector<api::FieldSchema>& answer,
                                           const std::string& db_name,
                                           const std::string& table_name,
                                           const api::EnvironmentContext& context) override;
  void get_table(api::Table& answer, const std::string& dbname,
                 const std::string& tbl_name) override;
  void get_table_meta(std::vector<api::TableMeta>& answer, const std::string& db_patterns,
                      const std::string& tbl_patterns, const Strings& tbl_types) override;
  void get_table_objects_by_name(std::vector<api::Table>& answer, const std::string& dbname,
                                 const Strings& tbl_names) override;
  void get_table_objects_by_name_req(api::GetTablesResult& answer,
                                     const api::GetTablesRequest& request) override;
  void get_table_req(api::GetTableResult& answer, const api::GetTableRequest& request) override;
  void get_tables(Strings& answer, const std::string& db_name, const std::string& pattern) override;
  void get_tables_by_type(Strings& answer, const std::string& db_name, const std::string& pattern,
                          const std::string& table_type) override;
  void truncate_table(const std::string& db_name, const std::string& table_name,
                      const Strings& part_names) override;
  void truncate_table_req(api::TruncateTableResponse& answer,
                          const api::TruncateTableRequest& request) override;
};

// Session, configuration, notifications, fb303, and materialized views, of which there are none.
class ServerMethods : public virtual MethodsBase {
 public:
  void add_write_notification_log(api::WriteNotificationLogResponse& answer,
                                  const api::WriteNotificationLogRequest& request) override;
  void add_write_notification_log_in_batch(
      api::WriteNotificationLogBatchResponse& answer,
      const api::WriteNotificationLogBatchRequest& request) override;
  void flushCache() override;
  void getMetaConf(std::string& answer, const std::string& key) override;
  void get_all_materialized_view_objects_for_rewriting(std::vector<api::Table>& answer) override;
  void get_config_value(std::string& answer, const std::string& name,
                        const std::string& default_value) override;
  void get_current_notificationEventId(api::CurrentNotificationEventId& answer) override;
  void get_materialized_views_for_rewriting(Strings& answer, const std::string& db_name) override;
  void get_metastore_db_uuid(std::string& answer) override;
  void fire_listener_event(api::FireEventResponse& answer,
                           const api::FireEventRequest& request) override;
  void get_next_notification(api::NotificationEventResponse& answer,
                             const api::NotificationEventRequest& request) override;
  void get_notification_events_count(api::NotificationEventsCountResponse& answer,
                                     const api::NotificationEventsCountRequest& request) override;
  void setMetaConf(const std::string& key, const std::string& value) override;
  void set_ugi(Strings& answer, const std::string& user_name, const Strings& group_names) override;
  int64_t aliveSince() override;
  int64_t getCounter(const std::string& key) override;
  void getCounters(std::map<std::string, int64_t>& answer) override;
  void getCpuProfile(std::string& answer, int32_t profile_duration_in_sec) override;
  void getName(std::string& answer) override;
  void getOption(std::string& answer, const std::string& key) override;
  void getOptions(Properties& answer) override;
  fb303::fb_status::type getStatus() override;
  void getStatusDetails(std::string& answer) override;
  void getVersion(std::string& answer) override;
  void reinitialize() override;
  void setOption(const std::string& key, const std::string& value) override;
  void shutdown() override;
};

class Handler final : public DatabaseMethods,
                      public TableMethods,
                      public PartitionMethods,
                      public PartitionSearchMethods,
                      public FunctionMethods,
                      public StatisticsMethods,
                      public TransactionMethods,
                      public RoleMethods,
                      public ServerMethods {
 public:
  explicit Handler(Store* store) { set_store(store); }
};

}  // namespace catalogd::hms
