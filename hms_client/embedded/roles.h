#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hms_client/embedded/operations.h"

// Roles, who is in them, and privileges on objects: kept for clients that check them (Hive, Trino's
// sql-standard). Nothing here is ever checked by the metastore itself.
//
// The roles admin and public are always there, and everybody is in public. Names of roles are kept
// as written.
// Errors: those of Store; kConflict with Hive's texts.
namespace catalogd::hms::ops {

struct Principal {
  std::string name;
  api::PrincipalType::type type = api::PrincipalType::USER;
};

Status CreateRole(Store& store, const api::Role& role);
Status DropRole(Store& store, const std::string& name);  // Also when there is none.
Result<Strings> RoleNames(Store& store);
Status GrantRole(Store& store, const api::RolePrincipalGrant& grant);
Status RevokeRole(Store& store, const std::string& role, const Principal& from);
Result<std::vector<api::Role>> RolesOf(Store& store, const Principal& principal);
Result<std::vector<api::RolePrincipalGrant>> RoleGrantsOf(Store& store, const Principal& principal);
Result<std::vector<api::RolePrincipalGrant>> MembersOf(Store& store, const std::string& role);

Status GrantPrivileges(Store& store, const std::vector<api::HiveObjectPrivilege>& privileges);
Status RevokePrivileges(Store& store, const std::vector<api::HiveObjectPrivilege>& privileges);
// What `authorizer` granted on the object is replaced.
Status RefreshPrivileges(Store& store, const api::HiveObjectRef& object,
                         const std::string& authorizer,
                         const std::vector<api::HiveObjectPrivilege>& privileges);
// No principal: of all.
Result<std::vector<api::HiveObjectPrivilege>> PrivilegesOn(
    Store& store, const api::HiveObjectRef& object, const std::optional<Principal>& principal);
// Privileges on the table, its columns and partitions follow it to its new name.
Status RenameInPrivileges(Writer& writer, int64_t table_id, const std::string& db,
                          const std::string& table);
Result<api::PrincipalPrivilegeSet> PrivilegeSet(Store& store, const api::HiveObjectRef& object,
                                                const std::string& user, const Strings& groups);

}  // namespace catalogd::hms::ops
