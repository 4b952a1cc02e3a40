// Rights that are too wide let an engine end what others run; too narrow ones stop it from writing.
#include "catalog/daemon/coord_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catalogd::daemon {
namespace {

using Right = CoordAccess::Right;

CoordCallerFacts Caller(const std::string& user) { return {{user, {}, false}, "127.0.0.1:1"}; }

// What `user` may do, as letters.
std::string Rights(const CoordAccess::Options& options, const std::string& user) {
  const CoordAccess access(nullptr, nullptr, &SystemClock(), options);
  std::string rights;
  if (access.MayDo(Right::kRead, Caller(user))) rights += "r";
  if (access.MayDo(Right::kWrite, Caller(user))) rights += "w";
  if (access.MayDo(Right::kAdmin, Caller(user))) rights += "a";
  return rights;
}

TEST(CoordAccess, IsEverybodysByDefault) {
  EXPECT_EQ(Rights({}, "alice"), "rwa");
  EXPECT_EQ(Rights({}, ""), "rwa");
}

TEST(CoordAccess, AdministratorsMayWriteAndWritersMayNotAdminister) {
  CoordAccess::Options options;
  options.admins = {"root", "ops"};
  options.writers = {"engine"};
  EXPECT_EQ(Rights(options, "ops"), "rwa");
  EXPECT_EQ(Rights(options, "engine"), "rw");
  EXPECT_EQ(Rights(options, "alice"), "r");
  EXPECT_EQ(Rights(options, ""), "r");
  options.writers = {};
  EXPECT_EQ(Rights(options, "engine"), "r");
  options.writers = {"anonymous"};
  EXPECT_EQ(Rights(options, ""), "rw") << "who has not said who he is has a name, too";
}

TEST(CoordAccess, ARefusalNamesUserAndOption) {
  CoordAccess::Options options;
  options.admins = {"root"};
  const CoordAccess access(nullptr, nullptr, &SystemClock(), options);
  const auto refused = access.MayDo(Right::kAdmin, Caller("alice"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, coord::CoordCode::kPermissionDenied);
  EXPECT_EQ(refused.error().message, "user 'alice' is not in --coord-admins");
}

}  // namespace
}  // namespace catalogd::daemon
