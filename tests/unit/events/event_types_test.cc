#include "events/event_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace catalogd::events {
namespace {

using ::testing::IsEmpty;

std::vector<std::string> UnknownOf(const std::vector<std::string>& types) {
  std::vector<std::string> unknown;
  for (const std::string& type : types) {
    if (FindEventType(type).kind == EventKind::kUnknown) unknown.push_back(type);
  }
  return unknown;
}

// What could go wrong: a type that a server writes is not known here, and each such event makes a
// loaded object be read again, or is misread. These are all types of each line's DbNotification-
// Listener that can stand in its log.
TEST(EventTypes, EveryTypeOfHive23IsKnown) {
  EXPECT_THAT(
      UnknownOf({"CREATE_DATABASE", "DROP_DATABASE", "CREATE_TABLE", "ALTER_TABLE", "DROP_TABLE",
                 "ADD_PARTITION", "ALTER_PARTITION", "DROP_PARTITION", "INSERT", "CREATE_FUNCTION",
                 "DROP_FUNCTION", "CREATE_INDEX", "ALTER_INDEX", "DROP_INDEX"}),
      IsEmpty());
}

TEST(EventTypes, EveryTypeOfHive31IsKnown) {
  EXPECT_THAT(UnknownOf({"CREATE_DATABASE",
                         "ALTER_DATABASE",
                         "DROP_DATABASE",
                         "CREATE_TABLE",
                         "ALTER_TABLE",
                         "DROP_TABLE",
                         "ADD_PARTITION",
                         "ALTER_PARTITION",
                         "DROP_PARTITION",
                         "INSERT",
                         "CREATE_FUNCTION",
                         "DROP_FUNCTION",
                         "ADD_PRIMARYKEY",
                         "ADD_FOREIGNKEY",
                         "ADD_UNIQUECONSTRAINT",
                         "DROP_CONSTRAINT",
                         "OPEN_TXN",
                         "COMMIT_TXN",
                         "ABORT_TXN",
                         "ALLOC_WRITE_ID_EVENT",
                         "ADD_NOTNULLCONSTRAINT"}),
              IsEmpty());
}

TEST(EventTypes, EveryTypeOfHive4IsKnown) {
  EXPECT_THAT(UnknownOf({"CREATE_DATABASE",
                         "ALTER_DATABASE",
                         "DROP_DATABASE",
                         "CREATE_TABLE",
                         "ALTER_TABLE",
                         "DROP_TABLE",
                         "ADD_PARTITION",
                         "ALTER_PARTITION",
                         "ALTER_PARTITIONS",
                         "DROP_PARTITION",
                         "INSERT",
                         "RELOAD",
                         "CREATE_FUNCTION",
                         "DROP_FUNCTION",
                         "ADD_PRIMARYKEY",
                         "ADD_FOREIGNKEY",
                         "ADD_UNIQUECONSTRAINT",
                         "ADD_NOTNULLCONSTRAINT",
                         "ADD_DEFAULTCONSTRAINT",
                         "ADD_CHECKCONSTRAINT",
                         "DROP_CONSTRAINT",
                         "OPEN_TXN",
                         "COMMIT_TXN",
                         "ABORT_TXN",
                         "ALLOC_WRITE_ID_EVENT",
                         "ACID_WRITE_EVENT",
                         "UPDATE_TBL_COL_STAT_EVENT",
                         "UPDATE_PART_COL_STAT_EVENT",
                         "DELETE_TBL_COL_STAT_EVENT",
                         "DELETE_PART_COL_STAT_EVENT",
                         "COMMIT_COMPACTION_EVENT"}),
              IsEmpty());
}

TEST(EventTypes, OtherTextsAreNot) {
  EXPECT_EQ(FindEventType("").kind, EventKind::kUnknown);
  EXPECT_EQ(FindEventType("CREATE").kind, EventKind::kUnknown);
  EXPECT_EQ(FindEventType("create_table").kind, EventKind::kUnknown);
  EXPECT_EQ(FindEventType("UPDATE_TBL_COL_STAT").kind, EventKind::kUnknown);
  EXPECT_EQ(FindEventType("ZZZ").kind, EventKind::kUnknown);
}

// Both say that something was written to a table whose object stays as it is.
TEST(EventTypes, WritesOfTransactionsAreOfTheirTable) {
  for (const char* type : {"ACID_WRITE_EVENT", "ALLOC_WRITE_ID_EVENT"}) {
    EXPECT_EQ(FindEventType(type).kind, EventKind::kTransaction) << type;
    EXPECT_EQ(FindEventType(type).names, EventType::Names::kTable) << type;
  }
}

}  // namespace
}  // namespace catalogd::events
