#include "hms_client/embedded/roles.h"

#include <algorithm>
#include <set>

#include "hms_client/embedded/object_codec.h"

namespace catalogd::hms::ops {

namespace {

using Privileges = std::vector<api::HiveObjectPrivilege>;

constexpr const char* kPublic = "public";

tl::unexpected<Error> Refused(const char* kind, const std::string& text) {
  return MakeError(
      ErrorCode::kConflict,
      std::string("Got exception: org.apache.hadoop.hive.metastore.api.") + kind + " " + text);
}

bool IsBuiltIn(const std::string& role) { return role == "admin" || role == kPublic; }

Result<bool> RoleExists(Rows& rows, const std::string& role) {
  if (IsBuiltIn(role)) return true;
  ASSIGN_OR_RETURN(const int64_t found,
                   rows.db().QueryInt("SELECT count(*) FROM roles WHERE name = ?", {role}));
  return found > 0;
}

api::RolePrincipalGrant GrantFrom(const SqlRow& row) {
  api::RolePrincipalGrant grant;
  grant.__set_roleName(std::string(row.Bytes(0)));
  grant.__set_principalName(std::string(row.Bytes(1)));
  grant.__set_principalType(static_cast<api::PrincipalType::type>(row.Int(2)));
  grant.__set_grantorName(std::string(row.Bytes(3)));
  grant.__set_grantorPrincipalType(static_cast<api::PrincipalType::type>(row.Int(4)));
  grant.__set_grantOption(row.Int(5) != 0);
  grant.__set_grantTime(static_cast<int32_t>(row.Int(6)));
  return grant;
}

Result<std::vector<api::RolePrincipalGrant>> GrantsWhere(Rows& rows, const std::string& condition,
                                                         const std::vector<SqlValue>& values) {
  std::vector<api::RolePrincipalGrant> grants;
  RETURN_IF_ERROR(rows.db().Query(
      "SELECT role, principal, principal_type, grantor, grantor_type, grant_option, created "
      "FROM role_members WHERE " +
          condition + " ORDER BY role, principal",
      values, [&](const SqlRow& row) { grants.push_back(GrantFrom(row)); }));
  return grants;
}

// One text for each object, exact.
std::string TargetOf(const api::HiveObjectRef& object) {
  std::string target = std::to_string(object.objectType);
  const auto add = [&](const std::string& part) { target += '\x1f' + part; };
  add(object.catName.empty() ? std::string(kDefaultCatalog) : NormalizeName(object.catName));
  add(NormalizeName(object.dbName));
  add(NormalizeName(object.objectName));
  for (const std::string& value : object.partValues) add(value);
  add("column");
  add(NormalizeName(object.columnName));
  return target;
}

struct StoredPrivilege {
  int64_t id = 0;
  api::HiveObjectPrivilege privilege;
};

Result<std::vector<StoredPrivilege>> PrivilegesOf(Rows& rows, const api::HiveObjectRef& object) {
  std::vector<StoredPrivilege> found;
  RETURN_IF_ERROR(QueryObjects<api::HiveObjectPrivilege>(
      rows.db(), "SELECT object, id, principal FROM privileges WHERE target = ? ORDER BY id",
      {TargetOf(object)},
      [&](const SqlRow& row) {
        return "privilege of " + std::string(row.Bytes(2)) + " on " + object.dbName + "." +
               object.objectName;
      },
      [&](const SqlRow& row, api::HiveObjectPrivilege one) {
        found.push_back({row.Int(1), std::move(one)});
      }));
  return found;
}

bool Same(const api::HiveObjectPrivilege& a, const api::HiveObjectPrivilege& b) {
  return a.principalName == b.principalName && a.principalType == b.principalType &&
         NormalizeName(a.grantInfo.privilege) == NormalizeName(b.grantInfo.privilege) &&
         a.authorizer == b.authorizer;
}

// The row that privileges hang on; both absent for what is of the whole metastore.
struct Owner {
  bool there = true;
  SqlValue database;
  SqlValue table;
};

// A table or database that is not there takes no privileges.
Result<Owner> OwnerOf(Rows& rows, const api::HiveObjectRef& object) {
  Owner owner;
  if (object.dbName.empty()) return owner;
  const std::string db = NormalizeName(object.dbName);
  if (object.objectName.empty()) {
    ASSIGN_OR_RETURN(const int64_t id,
                     rows.db().QueryInt("SELECT id FROM databases WHERE name = ?", {db}));
    owner.there = id != 0;
    owner.database = id;
    return owner;
  }
  ASSIGN_OR_RETURN(const auto found, rows.FindTable(db, NormalizeName(object.objectName)));
  owner.there = found.has_value();
  if (found) owner.table = found->id;
  return owner;
}

Status GrantIn(Writer& writer, api::HiveObjectPrivilege privilege) {
  api::HiveObjectRef& object = privilege.hiveObject;
  ASSIGN_OR_RETURN(const Owner owner, OwnerOf(writer, object));
  if (!owner.there) return Ok();
  ASSIGN_OR_RETURN(const std::vector<StoredPrivilege> present, PrivilegesOf(writer, object));
  for (const StoredPrivilege& one : present) {
    if (!Same(one.privilege, privilege)) continue;
    return Refused("InvalidObjectException", privilege.grantInfo.privilege +
                                                 " is already granted on table [" + object.dbName +
                                                 "," + object.objectName + "] by " +
                                                 one.privilege.grantInfo.grantor);
  }
  object.__set_catName(std::string(kDefaultCatalog));
  privilege.grantInfo.__set_createTime(writer.now());
  const std::string target = TargetOf(object);
  const std::string bytes = EncodeObject(privilege);
  return writer.Change(
      "INSERT INTO privileges (database_id, table_id, target, principal, principal_type, object) "
      "VALUES (?, ?, ?, ?, ?, ?)",
      {owner.database, owner.table, target, privilege.principalName,
       int64_t{privilege.principalType}, SqlBlob{bytes}});
}

Status RevokeIn(Writer& writer, const api::HiveObjectPrivilege& privilege) {
  ASSIGN_OR_RETURN(const std::vector<StoredPrivilege> present,
                   PrivilegesOf(writer, privilege.hiveObject));
  for (const StoredPrivilege& one : present) {
    if (Same(one.privilege, privilege)) {
      return writer.Change("DELETE FROM privileges WHERE id = ?", {one.id});
    }
  }
  return Refused("InvalidObjectException", "No grant (" + privilege.grantInfo.privilege +
                                               ") found  on table " +
                                               privilege.hiveObject.objectName + ", database is " +
                                               privilege.hiveObject.dbName);
}

Result<std::vector<api::RolePrincipalGrant>> GrantsOf(Rows& rows, const Principal& principal) {
  ASSIGN_OR_RETURN(std::vector<api::RolePrincipalGrant> grants,
                   GrantsWhere(rows, "principal = ? AND principal_type = ?",
                               {principal.name, int64_t{principal.type}}));
  if (principal.type == api::PrincipalType::USER) {
    api::RolePrincipalGrant everybody;
    everybody.__set_roleName(kPublic);
    everybody.__set_principalName(principal.name);
    everybody.__set_principalType(principal.type);
    everybody.__set_grantOption(false);
    everybody.__set_grantTime(0);
    grants.push_back(std::move(everybody));
  }
  return grants;
}

}  // namespace

Status CreateRole(Store& store, const api::Role& role) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const bool there, RoleExists(writer, role.roleName));
    if (there)
      return Refused("InvalidObjectException", "Role " + role.roleName + " already exists.");
    return writer.Change("INSERT INTO roles (name, created, owner) VALUES (?, ?, ?)",
                         {role.roleName, int64_t{writer.now()}, role.ownerName});
  });
}

Status DropRole(Store& store, const std::string& name) {
  if (IsBuiltIn(name)) {
    return MakeError(ErrorCode::kConflict, "public,admin roles can't be dropped.");
  }
  return store.Write([&](Writer& writer) -> Status {
    RETURN_IF_ERROR(
        writer.Change("DELETE FROM privileges WHERE principal = ? AND "
                      "principal_type = ?",
                      {name, int64_t{api::PrincipalType::ROLE}}));
    // Its members go with its row; here it is a member itself.
    RETURN_IF_ERROR(
        writer.Change("DELETE FROM role_members WHERE principal = ? AND principal_type = ?",
                      {name, int64_t{api::PrincipalType::ROLE}}));
    return writer.Change("DELETE FROM roles WHERE name = ?", {name});
  });
}

Result<Strings> RoleNames(Store& store) {
  return store.Read([](Rows& rows) -> Result<Strings> {
    std::set<std::string> names = {"admin", kPublic};
    RETURN_IF_ERROR(rows.db().Query("SELECT name FROM roles", {},
                                    [&](const SqlRow& row) { names.emplace(row.Bytes(0)); }));
    return Strings(names.begin(), names.end());
  });
}

Status GrantRole(Store& store, const api::RolePrincipalGrant& grant) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const bool there, RoleExists(writer, grant.roleName));
    if (!there) return Refused("NoSuchObjectException", grant.roleName + " role can not be found.");
    // Its members hang on its row.
    RETURN_IF_ERROR(
        writer.Change("INSERT OR IGNORE INTO roles (name, created, owner) "
                      "VALUES (?, ?, 'public')",
                      {grant.roleName, int64_t{writer.now()}}));
    auto added = writer.db().Run(
        "INSERT OR IGNORE INTO role_members (role, principal, principal_type, grantor, "
        "grantor_type, grant_option, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
        {grant.roleName, grant.principalName, int64_t{grant.principalType}, grant.grantorName,
         int64_t{grant.grantorPrincipalType}, int64_t{grant.grantOption}, int64_t{writer.now()}});
    if (!added) return AsError(std::move(added).error());
    if (*added > 0) return Ok();
    return Refused("InvalidObjectException",
                   "Principal " + grant.principalName + " already has the role " + grant.roleName);
  });
}

Status RevokeRole(Store& store, const std::string& role, const Principal& from) {
  return store.Write([&](Writer& writer) {
    return writer.Change(
        "DELETE FROM role_members WHERE role = ? AND principal = ? AND principal_type = ?",
        {role, from.name, int64_t{from.type}});
  });
}

Result<std::vector<api::Role>> RolesOf(Store& store, const Principal& principal) {
  return store.Read([&](Rows& rows) -> Result<std::vector<api::Role>> {
    ASSIGN_OR_RETURN(const auto grants, GrantsOf(rows, principal));
    std::vector<api::Role> roles;
    for (const api::RolePrincipalGrant& grant : grants) {
      api::Role role;
      role.__set_roleName(grant.roleName);
      role.__set_createTime(0);
      role.__set_ownerName(kPublic);
      RETURN_IF_ERROR(rows.db().Query("SELECT created, owner FROM roles WHERE name = ?",
                                      {grant.roleName}, [&](const SqlRow& row) {
                                        role.__set_createTime(static_cast<int32_t>(row.Int(0)));
                                        role.__set_ownerName(std::string(row.Bytes(1)));
                                      }));
      roles.push_back(std::move(role));
    }
    return roles;
  });
}

Result<std::vector<api::RolePrincipalGrant>> RoleGrantsOf(Store& store,
                                                          const Principal& principal) {
  return store.Read([&](Rows& rows) { return GrantsOf(rows, principal); });
}

Result<std::vector<api::RolePrincipalGrant>> MembersOf(Store& store, const std::string& role) {
  return store.Read([&](Rows& rows) { return GrantsWhere(rows, "role = ?", {role}); });
}

Status GrantPrivileges(Store& store, const Privileges& privileges) {
  return store.Write([&](Writer& writer) -> Status {
    for (const api::HiveObjectPrivilege& one : privileges) RETURN_IF_ERROR(GrantIn(writer, one));
    return Ok();
  });
}

Status RevokePrivileges(Store& store, const Privileges& privileges) {
  return store.Write([&](Writer& writer) -> Status {
    for (const api::HiveObjectPrivilege& one : privileges) RETURN_IF_ERROR(RevokeIn(writer, one));
    return Ok();
  });
}

Status RefreshPrivileges(Store& store, const api::HiveObjectRef& object,
                         const std::string& authorizer, const Privileges& privileges) {
  return store.Write([&](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const std::vector<StoredPrivilege> present, PrivilegesOf(writer, object));
    for (const StoredPrivilege& one : present) {
      if (one.privilege.authorizer != authorizer) continue;
      RETURN_IF_ERROR(writer.Change("DELETE FROM privileges WHERE id = ?", {one.id}));
    }
    for (const api::HiveObjectPrivilege& one : privileges) RETURN_IF_ERROR(GrantIn(writer, one));
    return Ok();
  });
}

Status RenameInPrivileges(Writer& writer, int64_t table_id, const std::string& db,
                          const std::string& table) {
  // One that cannot be read stays as it is: whoever asks for it is told.
  std::vector<StoredPrivilege> all;
  RETURN_IF_ERROR(writer.db().Query(
      "SELECT id, object FROM privileges WHERE table_id = ?", {table_id}, [&](const SqlRow& row) {
        auto privilege = DecodeObject<api::HiveObjectPrivilege>(row.Bytes(1));
        if (privilege) all.push_back({row.Int(0), std::move(*privilege)});
      }));
  for (StoredPrivilege& one : all) {
    api::HiveObjectRef& object = one.privilege.hiveObject;
    object.__set_dbName(db);
    object.__set_objectName(table);
    const std::string target = TargetOf(object);
    const std::string bytes = EncodeObject(one.privilege);
    RETURN_IF_ERROR(writer.Change("UPDATE privileges SET target = ?, object = ? WHERE id = ?",
                                  {target, SqlBlob{bytes}, one.id}));
  }
  return Ok();
}

Result<Privileges> PrivilegesOn(Store& store, const api::HiveObjectRef& object,
                                const std::optional<Principal>& principal) {
  return store.Read([&](Rows& rows) -> Result<Privileges> {
    ASSIGN_OR_RETURN(std::vector<StoredPrivilege> found, PrivilegesOf(rows, object));
    Privileges privileges;
    for (StoredPrivilege& one : found) {
      const bool wanted = !principal || (one.privilege.principalName == principal->name &&
                                         one.privilege.principalType == principal->type);
      if (wanted) privileges.push_back(std::move(one.privilege));
    }
    return privileges;
  });
}

Result<api::PrincipalPrivilegeSet> PrivilegeSet(Store& store, const api::HiveObjectRef& object,
                                                const std::string& user, const Strings& groups) {
  return store.Read([&](Rows& rows) -> Result<api::PrincipalPrivilegeSet> {
    ASSIGN_OR_RETURN(const std::vector<StoredPrivilege> found, PrivilegesOf(rows, object));
    const auto granted = [&](const std::string& name, api::PrincipalType::type type) {
      std::vector<api::PrivilegeGrantInfo> infos;
      for (const StoredPrivilege& one : found) {
        if (one.privilege.principalName == name && one.privilege.principalType == type) {
          infos.push_back(one.privilege.grantInfo);
        }
      }
      return infos;
    };
    api::PrincipalPrivilegeSet set;
    if (!user.empty()) {
      set.__set_userPrivileges({{user, granted(user, api::PrincipalType::USER)}});
    }
    for (const std::string& group : groups) {
      set.groupPrivileges[group] = granted(group, api::PrincipalType::GROUP);
      set.__isset.groupPrivileges = true;
    }
    ASSIGN_OR_RETURN(const auto grants, GrantsOf(rows, {user, api::PrincipalType::USER}));
    for (const api::RolePrincipalGrant& grant : grants) {
      set.rolePrivileges[grant.roleName] = granted(grant.roleName, api::PrincipalType::ROLE);
    }
    set.__isset.rolePrivileges = true;
    return set;
  });
}

}  // namespace catalogd::hms::ops
