#include "hms_client/embedded/role_methods.h"

#include <utility>

#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/roles.h"

namespace catalogd::hms {

namespace {

template <class T>
T UnwrapRole(const char* method, Result<T> result) {
  return Unwrap<api::MetaException>(method, std::move(result));
}

}  // namespace

bool RoleMethods::create_role(const api::Role& role) {
  UnwrapRole("create_role", ops::CreateRole(store(), role));
  return true;
}

bool RoleMethods::drop_role(const std::string& role_name) {
  UnwrapRole("drop_role", ops::DropRole(store(), role_name));
  return true;
}

void RoleMethods::get_principals_in_role(api::GetPrincipalsInRoleResponse& answer,
                                         const api::GetPrincipalsInRoleRequest& request) {
  answer.principalGrants =
      UnwrapRole("get_principals_in_role", ops::MembersOf(store(), request.roleName));
}

void RoleMethods::get_privilege_set(api::PrincipalPrivilegeSet& answer,
                                    const api::HiveObjectRef& object, const std::string& user_name,
                                    const Strings& group_names) {
  answer =
      UnwrapRole("get_privilege_set", ops::PrivilegeSet(store(), object, user_name, group_names));
}

void RoleMethods::get_role_grants_for_principal(
    api::GetRoleGrantsForPrincipalResponse& answer,
    const api::GetRoleGrantsForPrincipalRequest& request) {
  answer.principalGrants =
      UnwrapRole("get_role_grants_for_principal",
                 ops::RoleGrantsOf(store(), {request.principal_name, request.principal_type}));
}

void RoleMethods::get_role_names(Strings& answer) {
  answer = UnwrapRole("get_role_names", ops::RoleNames(store()));
}

bool RoleMethods::grant_privileges(const api::PrivilegeBag& privileges) {
  UnwrapRole("grant_privileges", ops::GrantPrivileges(store(), privileges.privileges));
  return true;
}

void RoleMethods::grant_revoke_privileges(api::GrantRevokePrivilegeResponse& answer,
                                          const api::GrantRevokePrivilegeRequest& request) {
  const auto& privileges = request.privileges.privileges;
  UnwrapRole("grant_revoke_privileges", request.requestType == api::GrantRevokeType::GRANT
                                            ? ops::GrantPrivileges(store(), privileges)
                                            : ops::RevokePrivileges(store(), privileges));
  answer.__set_success(true);
}

void RoleMethods::grant_revoke_role(api::GrantRevokeRoleResponse& answer,
                                    const api::GrantRevokeRoleRequest& request) {
  if (request.requestType == api::GrantRevokeType::GRANT) {
    grant_role(request.roleName, request.principalName, request.principalType, request.grantor,
               request.__isset.grantorType ? request.grantorType : api::PrincipalType::USER,
               request.grantOption);
  } else {
    revoke_role(request.roleName, request.principalName, request.principalType);
  }
  answer.__set_success(true);
}

bool RoleMethods::grant_role(const std::string& role_name, const std::string& principal_name,
                             api::PrincipalType::type principal_type, const std::string& grantor,
                             api::PrincipalType::type grantor_type, bool grant_option) {
  api::RolePrincipalGrant grant;
  grant.roleName = role_name;
  grant.principalName = principal_name;
  grant.principalType = principal_type;
  grant.grantorName = grantor;
  grant.grantorPrincipalType = grantor_type;
  grant.grantOption = grant_option;
  UnwrapRole("grant_role", ops::GrantRole(store(), grant));
  return true;
}

void RoleMethods::list_privileges(std::vector<api::HiveObjectPrivilege>& answer,
                                  const std::string& principal_name,
                                  api::PrincipalType::type principal_type,
                                  const api::HiveObjectRef& object) {
  if (!Given(3)) throw UndeclaredError("list_privileges", "");
  std::optional<ops::Principal> principal;
  if (Given(1)) principal = ops::Principal{principal_name, principal_type};
  answer = UnwrapRole("list_privileges", ops::PrivilegesOn(store(), object, principal));
}

void RoleMethods::list_roles(std::vector<api::Role>& answer, const std::string& principal_name,
                             api::PrincipalType::type principal_type) {
  answer = UnwrapRole("list_roles", ops::RolesOf(store(), {principal_name, principal_type}));
}

void RoleMethods::refresh_privileges(api::GrantRevokePrivilegeResponse& answer,
                                     const api::HiveObjectRef& object,
                                     const std::string& authorizer,
                                     const api::GrantRevokePrivilegeRequest& request) {
  UnwrapRole("refresh_privileges",
             ops::RefreshPrivileges(store(), object, authorizer, request.privileges.privileges));
  answer.__set_success(true);
}

bool RoleMethods::revoke_privileges(const api::PrivilegeBag& privileges) {
  UnwrapRole("revoke_privileges", ops::RevokePrivileges(store(), privileges.privileges));
  return true;
}

bool RoleMethods::revoke_role(const std::string& role_name, const std::string& principal_name,
                              api::PrincipalType::type principal_type) {
  UnwrapRole("revoke_role", ops::RevokeRole(store(), role_name, {principal_name, principal_type}));
  return true;
}

}  // namespace catalogd::hms
