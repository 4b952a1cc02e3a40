#pragma once

#include "hms_client/embedded/methods_base.h"

namespace catalogd::hms {

// Roles and privileges.
class RoleMethods : public virtual MethodsBase {
 public:
  bool create_role(const api::Role& role) override;
  bool drop_role(const std::string& role_name) override;
  void get_principals_in_role(api::GetPrincipalsInRoleResponse& answer,
                              const api::GetPrincipalsInRoleRequest& request) override;
  void get_privilege_set(api::PrincipalPrivilegeSet& answer, const api::HiveObjectRef& object,
                         const std::string& user_name, const Strings& group_names) override;
  void get_role_grants_for_principal(api::GetRoleGrantsForPrincipalResponse& answer,
                                     const api::GetRoleGrantsForPrincipalRequest& request) override;
  void get_role_names(Strings& answer) override;
  bool grant_privileges(const api::PrivilegeBag& privileges) override;
  void grant_revoke_privileges(api::GrantRevokePrivilegeResponse& answer,
                               const api::GrantRevokePrivilegeRequest& request) override;
  void grant_revoke_role(api::GrantRevokeRoleResponse& answer,
                         const api::GrantRevokeRoleRequest& request) override;
  bool grant_role(const std::string& role_name, const std::string& principal_name,
                  api::PrincipalType::type principal_type, const std::string& grantor,
                  api::PrincipalType::type grantor_type, bool grant_option) override;
  void list_privileges(std::vector<api::HiveObjectPrivilege>& answer,
                       const std::string& principal_name, api::PrincipalType::type principal_type,
                       const api::HiveObjectRef& object) override;
  void list_roles(std::vector<api::Role>& answer, const std::string& principal_name,
                  api::PrincipalType::type principal_type) override;
  void refresh_privileges(api::GrantRevokePrivilegeResponse& answer,
                          const api::HiveObjectRef& object, const std::string& authorizer,
                          const api::GrantRevokePrivilegeRequest& request) override;
  bool revoke_privileges(const api::PrivilegeBag& privileges) override;
  bool revoke_role(const std::string& role_name, const std::string& principal_name,
                   api::PrincipalType::type principal_type) override;
};

}  // namespace catalogd::hms
