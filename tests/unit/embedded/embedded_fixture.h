#pragma once

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "hms_client/embedded/embedded_metastore.h"
#include "hms_client/embedded/object_codec.h"
#include "tests/support/fake_time.h"
#include "tests/support/hms_channel_transport.h"
#include "tests/support/hms_objects.h"
#include "tests/support/temporary_directory.h"
#include "thrift/wire/tjson.h"

namespace catalogd::hms {

namespace api = thrift::hms;
using catalogd::testing::FakeClock;
using catalogd::testing::HmsTestClient;
using catalogd::testing::MakeColumn;
using catalogd::testing::MakeDatabase;
using catalogd::testing::MakePartition;
using catalogd::testing::MakeStorage;
using catalogd::testing::MakeTable;
using catalogd::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Strings = std::vector<std::string>;
using Properties = std::map<std::string, std::string>;
using Events = std::vector<api::NotificationEvent>;

inline constexpr int32_t kStartSeconds = 1795996800;  // FakeClock's wall clock at the beginning.

// EXPECT_THAT([&] { client.x(); }, ThrowsHive<api::MetaException>("text"))
template <class Exception>
auto ThrowsHive(const std::string& text) {
  return ::testing::Throws<Exception>(::testing::Field(&Exception::message, HasSubstr(text)));
}

// An embedded metastore on a file of its own, and a generated client on a channel to it.
class EmbeddedTest : public ::testing::Test {
 protected:
  void SetUp() override { Reopen(); }

  [[nodiscard]] EmbeddedOptions Options() const {
    EmbeddedOptions options;
    options.path = directory_ / "metastore.db";
    options.warehouse = directory_ / "warehouse";
    options.full_sync = false;
    options.busy_timeout = std::chrono::milliseconds(50);
    return options;
  }

  // A privilege of alice on sales.orders.
  api::HiveObjectRef GrantOnOrders() {
    api::HiveObjectPrivilege privilege;
    privilege.hiveObject.__set_objectType(api::HiveObjectType::TABLE);
    privilege.hiveObject.__set_dbName("sales");
    privilege.hiveObject.__set_objectName("orders");
    privilege.__set_hiveObject(privilege.hiveObject);
    privilege.__set_principalName("alice");
    privilege.__set_principalType(api::PrincipalType::USER);
    privilege.__set_grantInfo({});
    api::PrivilegeBag bag;
    bag.__set_privileges({privilege});
    client().grant_privileges(bag);
    return privilege.hiveObject;
  }
  void Reopen() {
    client_.reset();
    metastore_.reset();
    auto opened = EmbeddedMetastore::Open(Options(), clock_);
    ASSERT_TRUE(opened) << opened.error().ToString();
    metastore_ = std::move(*opened);
    client_ = Connect();
  }

  std::unique_ptr<HmsTestClient> Connect(const Identity& identity = {}) {
    return std::make_unique<HmsTestClient>(*metastore_->Open(identity, TimePoint::max()));
  }

  HmsTestClient& client() { return *client_; }
  [[nodiscard]] std::string Place(const std::string& below) const {
    return "file:" + (directory_ / "warehouse") + "/" + below;
  }
  [[nodiscard]] bool Exists(const std::string& below) const {
    return std::filesystem::exists((directory_ / "warehouse") + "/" + below);
  }

  Events EventsAfter(int64_t id) {
    api::NotificationEventRequest request;
    request.__set_lastEvent(id);
    api::NotificationEventResponse response;
    client().get_next_notification(response, request);
    return response.events;
  }
  int64_t CurrentId() {
    api::CurrentNotificationEventId id;
    client().get_current_notificationEventId(id);
    return id.eventId;
  }
  static Strings TypesOf(const Events& events) {
    Strings types;
    for (const api::NotificationEvent& event : events) types.push_back(event.eventType);
    return types;
  }
  // The one event that `action` writes.
  template <class Action>
  api::NotificationEvent EventOf(Action action) {
    const int64_t before = CurrentId();
    action();
    const Events events = EventsAfter(before);
    EXPECT_EQ(events.size(), 1U) << ::testing::PrintToString(TypesOf(events));
    return events.empty() ? api::NotificationEvent() : events.front();
  }

  api::Table ReadTable(const std::string& db, const std::string& name) {
    api::Table table;
    client().get_table(table, db, name);
    return table;
  }
  api::Partition ReadPartition(const std::string& db, const std::string& table,
                               const Strings& values) {
    api::Partition partition;
    client().get_partition(partition, db, table, values);
    return partition;
  }
  // sales.orders, partitioned by day.
  api::Table CreateOrders() {
    client().create_database(MakeDatabase("sales"));
    client().create_table(MakeTable("sales", "orders", {"day"}));
    return ReadTable("sales", "orders");
  }
  void AddDays(const api::Table& table, const Strings& days) {
    std::vector<api::Partition> partitions;
    for (const std::string& day : days) partitions.push_back(MakePartition(table, {day}));
    client().add_partitions(partitions);
  }

  TemporaryDirectory directory_;
  FakeClock clock_;
  std::unique_ptr<EmbeddedMetastore> metastore_;
  std::unique_ptr<HmsTestClient> client_;
};

// The message of an event; keys in the order they are written.
inline nlohmann::ordered_json Message(const api::NotificationEvent& event) {
  return nlohmann::ordered_json::parse(event.message);
}
inline Strings KeysOf(const nlohmann::ordered_json& json) {
  Strings keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  return keys;
}
template <class Object>
Object Image(const nlohmann::ordered_json& text) {
  auto bytes = wire::TJsonStructToBinary(text.get<std::string>());
  EXPECT_TRUE(bytes) << text;
  // As a client reads it: members with a default count as set.
  std::string image = bytes.value_or(std::string(1, '\0'));
  auto buffer = std::make_shared<apache::thrift::transport::TMemoryBuffer>();
  buffer->write(reinterpret_cast<const uint8_t*>(image.data()),
                static_cast<uint32_t>(image.size()));
  apache::thrift::protocol::TBinaryProtocol protocol(buffer);
  Object object;
  object.read(&protocol);
  return object;
}

}  // namespace catalogd::hms
