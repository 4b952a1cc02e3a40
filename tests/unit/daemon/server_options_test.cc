#include "catalog/daemon/server_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// What could go wrong: a port that other machines reach, with nobody asked who they are, and
// nothing that says so. Provoked with addresses of both kinds (Hive's own threat model:
// HIVE-29706).
namespace catalogd::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Options Bound(const char* clients, const char* pages) {
  Options options;
  options.bind_address = clients;
  options.web_bind_address = pages;
  return options;
}

TEST(OpenAddressWarnings, LoopbackIsNoReason) {
  for (const char* address : {"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_THAT(OpenAddressWarnings(Bound(address, address), true), IsEmpty()) << address;
  }
}

TEST(OpenAddressWarnings, EachOpenAddressIsNamedWithWhatToDo) {
  for (const char* address : {"0.0.0.0", "::", "10.1.2.3", "::ffff:10.1.2.3", "1127.0.0.1"}) {
    EXPECT_THAT(OpenAddressWarnings(Bound(address, "127.0.0.1"), true),
                ElementsAre(AllOf(HasSubstr(address), HasSubstr("set bind-address to"))));
    EXPECT_THAT(OpenAddressWarnings(Bound("127.0.0.1", address), true),
                ElementsAre(AllOf(HasSubstr(address), HasSubstr("set web-bind-address to"))));
    EXPECT_THAT(OpenAddressWarnings(Bound("127.0.0.1", address), false), IsEmpty());
  }
  EXPECT_EQ(OpenAddressWarnings(Bound("0.0.0.0", "0.0.0.0"), true).size(), 2U);
}

}  // namespace
}  // namespace catalogd::daemon
