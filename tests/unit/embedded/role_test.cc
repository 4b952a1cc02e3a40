#include "tests/unit/embedded/embedded_fixture.h"

// What could go wrong: privileges of one object or principal shown for another, grants that are
// doubled or stay behind.
namespace catalogd::hms {
namespace {

constexpr auto kUser = api::PrincipalType::USER;
constexpr auto kRole = api::PrincipalType::ROLE;

class RoleTest : public EmbeddedTest {
 protected:
  static api::HiveObjectRef TableRef(const std::string& name) {
    api::HiveObjectRef object;
    object.__set_objectType(api::HiveObjectType::TABLE);
    object.__set_dbName("sales");
    object.__set_objectName(name);
    return object;
  }
  static api::PrivilegeBag Bag(const std::string& privilege, const std::string& principal,
                               api::PrincipalType::type type = kUser,
                               const std::string& table = "orders") {
    api::PrivilegeGrantInfo info;
    info.__set_privilege(privilege);
    info.__set_grantor("admin");
    info.__set_grantorType(kUser);
    api::HiveObjectPrivilege one;
    one.__set_hiveObject(TableRef(table));
    one.__set_principalName(principal);
    one.__set_principalType(type);
    one.__set_grantInfo(info);
    one.__set_authorizer("SQL");
    api::PrivilegeBag bag;
    bag.__set_privileges({one});
    return bag;
  }
  Strings Names() {
    Strings names;
    client().get_role_names(names);
    return names;
  }
  void Create(const std::string& name) {
    api::Role role;
    role.__set_roleName(name);
    role.__set_ownerName("own");
    EXPECT_TRUE(client().create_role(role));
  }
  Strings RolesOf(const std::string& user) {
    std::vector<api::Role> roles;
    client().list_roles(roles, user, kUser);
    Strings names;
    for (const api::Role& role : roles) names.push_back(role.roleName);
    return names;
  }
  void Rename(const std::string& from, const std::string& to) {
    api::Table next = ReadTable("sales", from);
    next.__set_tableName(to);
    client().alter_table("sales", from, next);
  }
  std::vector<api::HiveObjectPrivilege> On(const api::HiveObjectRef& object) {
    std::vector<api::HiveObjectPrivilege> found;
    client().list_privileges(found, "alice", kUser, object);
    return found;
  }
  size_t Count(const std::string& principal, const std::string& table = "orders") {
    std::vector<api::HiveObjectPrivilege> found;
    client().list_privileges(found, principal, kUser, TableRef(table));
    return found.size();
  }
};

TEST_F(RoleTest, RolesLive) {
  EXPECT_THAT(Names(), ElementsAre("admin", "public"));
  Create("R1");
  Create("r1");
  EXPECT_THAT(Names(), ElementsAre("R1", "admin", "public", "r1"));
  api::Role again;
  again.__set_roleName("r1");
  EXPECT_THAT([&] { client().create_role(again); },
              ThrowsHive<api::MetaException>("Role r1 already exists."));
  client().grant_role("r1", "alice", kUser, "admin", kUser, true);
  EXPECT_THAT([&] { client().grant_role("r1", "alice", kUser, "admin", kUser, false); },
              ThrowsHive<api::MetaException>("Principal alice already has the role r1"));
  EXPECT_THAT([&] { client().grant_role("none", "alice", kUser, "admin", kUser, false); },
              ThrowsHive<api::MetaException>("none role can not be found."));
  EXPECT_THAT(RolesOf("alice"), ElementsAre("r1", "public"));
  EXPECT_THAT(RolesOf("bob"), ElementsAre("public"));
  api::GetPrincipalsInRoleRequest request;
  request.roleName = "r1";
  api::GetPrincipalsInRoleResponse members;
  client().get_principals_in_role(members, request);
  ASSERT_EQ(members.principalGrants.size(), 1U);
  EXPECT_EQ(members.principalGrants[0].principalName, "alice");
  EXPECT_TRUE(members.principalGrants[0].grantOption);
  client().revoke_role("r1", "alice", kUser);
  EXPECT_THAT(RolesOf("alice"), ElementsAre("public"));
  client().drop_role("r1");
  client().drop_role("none");
  EXPECT_THAT([&] { client().drop_role("public"); }, ThrowsHive<api::MetaException>("public"));
  EXPECT_THAT(Names(), ElementsAre("R1", "admin", "public"));
}

TEST_F(RoleTest, PrivilegesLive) {
  CreateOrders();
  EXPECT_TRUE(client().grant_privileges(Bag("SELECT", "alice")));
  EXPECT_THAT([&] { client().grant_privileges(Bag("select", "alice")); },
              ThrowsHive<api::MetaException>("already granted on table [sales,orders] by admin"));
  EXPECT_EQ(Count("alice"), 1U);
  EXPECT_EQ(Count("bob"), 0U);
  EXPECT_EQ(Count("alice", "other"), 0U);
  EXPECT_THAT([&] { client().revoke_privileges(Bag("DELETE", "alice")); },
              ThrowsHive<api::MetaException>("No grant (DELETE) found  on table orders"));
  EXPECT_TRUE(client().revoke_privileges(Bag("SELECT", "alice")));
  EXPECT_EQ(Count("alice"), 0U);
  // What is not there takes none.
  EXPECT_TRUE(client().grant_privileges(Bag("SELECT", "alice", kUser, "gone")));
  EXPECT_EQ(Count("alice", "gone"), 0U);
}

TEST_F(RoleTest, TheSetOfAUserHoldsItsRoles) {
  CreateOrders();
  Create("r1");
  client().grant_role("r1", "alice", kUser, "admin", kUser, false);
  client().grant_privileges(Bag("SELECT", "alice"));
  client().grant_privileges(Bag("INSERT", "r1", kRole));
  api::PrincipalPrivilegeSet set;
  client().get_privilege_set(set, TableRef("orders"), "alice", {"g"});
  EXPECT_EQ(set.userPrivileges["alice"].size(), 1U);
  EXPECT_EQ(set.rolePrivileges["r1"].size(), 1U);
  EXPECT_THAT(set.rolePrivileges["public"], IsEmpty());
  EXPECT_THAT(set.groupPrivileges["g"], IsEmpty());
  api::PrincipalPrivilegeSet other;
  client().get_privilege_set(other, TableRef("orders"), "bob", {});
  EXPECT_THAT(other.userPrivileges["bob"], IsEmpty());
  EXPECT_FALSE(other.__isset.groupPrivileges);
}

TEST_F(RoleTest, RefreshingReplacesWhatOneAuthorizerGranted) {
  CreateOrders();
  client().grant_privileges(Bag("SELECT", "alice"));
  api::GrantRevokePrivilegeRequest request;
  request.__set_privileges(Bag("INSERT", "bob"));
  api::GrantRevokePrivilegeResponse answer;
  client().refresh_privileges(answer, TableRef("orders"), "SQL", request);
  EXPECT_EQ(Count("alice"), 0U);
  EXPECT_EQ(Count("bob"), 1U);
}

TEST_F(RoleTest, PrivilegesFollowATableToItsNewName) {
  CreateOrders();
  const auto objects = [](const std::string& table) {
    std::vector<api::HiveObjectRef> all(3, TableRef(table));
    all[1].__set_objectType(api::HiveObjectType::COLUMN);
    all[1].__set_columnName("id");
    all[2].__set_objectType(api::HiveObjectType::PARTITION);
    all[2].__set_partValues({"1"});
    return all;
  };
  api::PrivilegeBag bag = Bag("SELECT", "alice");
  bag.privileges.resize(3, bag.privileges[0]);
  for (size_t i = 0; i < 3; ++i) bag.privileges[i].__set_hiveObject(objects("orders")[i]);
  client().grant_privileges(bag);
  Rename("orders", "renamed");
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(On(objects("orders")[i]), IsEmpty()) << i;
    const auto found = On(objects("renamed")[i]);
    ASSERT_EQ(found.size(), 1U) << i;
    EXPECT_EQ(found[0].hiveObject.objectName, "renamed");
    EXPECT_EQ(found[0].grantInfo.privilege, "SELECT");
  }
  client().create_table(MakeTable("sales", "orders", {"day"}));
  EXPECT_EQ(Count("alice"), 0U);
  EXPECT_TRUE(client().revoke_privileges(Bag("SELECT", "alice", kUser, "renamed")));
  EXPECT_EQ(Count("alice", "renamed"), 0U);
}

TEST_F(RoleTest, ADroppedRoleIsAMemberOfNothing) {
  Create("inner");
  Create("outer");
  client().grant_role("outer", "inner", kRole, "admin", kUser, false);
  client().grant_role("outer", "inner", kUser, "admin", kUser, false);
  client().drop_role("inner");
  api::GetPrincipalsInRoleRequest request;
  request.roleName = "outer";
  api::GetPrincipalsInRoleResponse members;
  client().get_principals_in_role(members, request);
  // The user of that name stays.
  ASSERT_EQ(members.principalGrants.size(), 1U);
  EXPECT_EQ(members.principalGrants[0].principalType, kUser);
  Create("inner");
  std::vector<api::Role> roles;
  client().list_roles(roles, "inner", kRole);
  EXPECT_THAT(roles, IsEmpty());
}

TEST_F(RoleTest, ATableMadeAgainHasNoPrivileges) {
  CreateOrders();
  client().grant_privileges(Bag("SELECT", "alice"));
  client().drop_table("sales", "orders", false);
  client().create_table(MakeTable("sales", "orders", {"day"}));
  EXPECT_EQ(Count("alice"), 0U);
}

}  // namespace
}  // namespace catalogd::hms
