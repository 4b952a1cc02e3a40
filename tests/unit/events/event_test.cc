#include "events/event.h"

#include <gtest/gtest.h>

#include <set>

namespace catalogd::events {
namespace {

const ObjectName kSales = ObjectName::Database("hive", "sales");
const ObjectName kOrders = ObjectName::Table("hive", "sales", "orders");

TEST(Event, TouchesItsOwnName) {
  Event event;
  event.kind = EventKind::kAlterTable;
  event.name = kOrders;
  EXPECT_TRUE(event.Touches(kOrders));
  EXPECT_FALSE(event.Touches(kSales));
  EXPECT_FALSE(event.Touches(ObjectName::Table("hive", "sales", "order")));
  EXPECT_FALSE(event.Touches(ObjectName::Table("spark", "sales", "orders")));
  EXPECT_FALSE(event.CrossesNames());
}

TEST(Event, RenameTouchesBothEnds) {
  Event event;
  event.kind = EventKind::kAlterTable;
  event.name = kOrders;
  event.old_name = ObjectName::Table("hive", "old", "orders");
  EXPECT_TRUE(event.Touches(kOrders));
  EXPECT_TRUE(event.Touches(*event.old_name));
  EXPECT_FALSE(event.Touches(ObjectName::Database("hive", "old")));
  EXPECT_TRUE(event.CrossesNames());
}

TEST(Event, DatabaseDropTouchesItsTables) {
  Event event;
  event.kind = EventKind::kDropDatabase;
  event.name = kSales;
  EXPECT_TRUE(event.Touches(kSales));
  EXPECT_TRUE(event.Touches(kOrders));
  EXPECT_FALSE(event.Touches(ObjectName::Table("spark", "sales", "orders")));
  EXPECT_FALSE(event.Touches(ObjectName::Table("hive", "sales2", "orders")));
  EXPECT_TRUE(event.CrossesNames());
}

TEST(Event, OtherDatabaseEventsDoNot) {
  for (const EventKind kind :
       {EventKind::kCreateDatabase, EventKind::kAlterDatabase, EventKind::kCreateFunction}) {
    Event event;
    event.kind = kind;
    event.name = kSales;
    EXPECT_TRUE(event.Touches(kSales));
    EXPECT_FALSE(event.Touches(kOrders));
    EXPECT_FALSE(event.CrossesNames());
  }
}

TEST(Event, NamelessTouchesNothing) {
  Event event;
  event.kind = EventKind::kTransaction;
  EXPECT_FALSE(event.Touches(ObjectName()));
  EXPECT_FALSE(event.Touches(kOrders));
  event.kind = EventKind::kDropDatabase;  // Its name could not be understood.
  EXPECT_FALSE(event.Touches(kOrders));
}

TEST(Event, KindsHaveDistinctNames) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(EventKind::kUnknown); ++kind) {
    EXPECT_TRUE(names.insert(EventKindName(static_cast<EventKind>(kind))).second);
  }
}

}  // namespace
}  // namespace catalogd::events
