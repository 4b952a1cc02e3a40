#pragma once

#include "hms_client/embedded/methods_base.h"

namespace catalogd::hms {

// Functions and constraints.
class FunctionMethods : public virtual MethodsBase {
 public:
  void alter_function(const std::string& db_name, const std::string& function_name,
                      const api::Function& next) override;
  void create_function(const api::Function& function) override;
  void drop_function(const std::string& db_name, const std::string& function_name) override;
  void get_all_functions(api::GetAllFunctionsResponse& answer) override;
  void get_function(api::Function& answer, const std::string& db_name,
                    const std::string& function_name) override;
  void get_functions(Strings& answer, const std::string& db_name,
                     const std::string& pattern) override;
  void get_functions_req(api::GetFunctionsResponse& answer,
                         const api::GetFunctionsRequest& request) override;

  void add_check_constraint(const api::AddCheckConstraintRequest& request) override;
  void add_default_constraint(const api::AddDefaultConstraintRequest& request) override;
  void add_foreign_key(const api::AddForeignKeyRequest& request) override;
  void add_not_null_constraint(const api::AddNotNullConstraintRequest& request) override;
  void add_primary_key(const api::AddPrimaryKeyRequest& request) override;
  void add_unique_constraint(const api::AddUniqueConstraintRequest& request) override;
  void drop_constraint(const api::DropConstraintRequest& request) override;
  void get_all_table_constraints(api::AllTableConstraintsResponse& answer,
                                 const api::AllTableConstraintsRequest& request) override;
  void get_check_constraints(api::CheckConstraintsResponse& answer,
                             const api::CheckConstraintsRequest& request) override;
  void get_default_constraints(api::DefaultConstraintsResponse& answer,
                               const api::DefaultConstraintsRequest& request) override;
  void get_foreign_keys(api::ForeignKeysResponse& answer,
                        const api::ForeignKeysRequest& request) override;
  void get_not_null_constraints(api::NotNullConstraintsResponse& answer,
                                const api::NotNullConstraintsRequest& request) override;
  void get_primary_keys(api::PrimaryKeysResponse& answer,
                        const api::PrimaryKeysRequest& request) override;
  void get_unique_constraints(api::UniqueConstraintsResponse& answer,
                              const api::UniqueConstraintsRequest& request) override;
};

}  // namespace catalogd::hms
