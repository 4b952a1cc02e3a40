#include "events/lane_planner.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "catalog/base/random.h"

namespace catalogd::events {
namespace {

ObjectName Db(const std::string& db) { return ObjectName::Database("hive", db); }
ObjectName Table(const std::string& db, const std::string& table) {
  return ObjectName::Table("hive", db, table);
}

EventPtr Make(int64_t id, EventKind kind, const ObjectName& name,
              std::optional<ObjectName> old_name = {}) {
  auto event = std::make_shared<Event>();
  event->id = EventId(id);
  event->kind = kind;
  event->name = name;
  event->old_name = std::move(old_name);
  return event;
}
EventPtr Alter(int64_t id, const ObjectName& name) {
  return Make(id, EventKind::kAlterTable, name);
}

// "sales.a:1,3 sales.b:2"
std::string Show(const std::vector<LaneTask>& tasks) {
  std::string text;
  for (const LaneTask& task : tasks) {
    if (!text.empty()) text += ' ';
    for (size_t i = 0; i < task.names.size(); ++i) {
      text += (i == 0 ? "" : "+") + task.names[i].ToString();
    }
    for (size_t i = 0; i < task.events.size(); ++i) {
      text += (i == 0 ? ":" : ",") + std::to_string(task.events[i]->id.value());
    }
  }
  return text;
}

const ObjectName kA = Table("s", "a");
const ObjectName kB = Table("s", "b");

TEST(PlanLanes, GathersEventsOfOneName) {
  EXPECT_EQ(Show(PlanLanes({Alter(1, kA), Alter(2, kB), Alter(3, kA), Alter(4, kB)})),
            "s.a:1,3 s.b:2,4");
  EXPECT_EQ(Show(PlanLanes({})), "");
}

TEST(PlanLanes, RenameIsABarrierForBothEnds) {
  EXPECT_EQ(Show(PlanLanes({Alter(1, kA), Alter(2, Table("s", "c")),
                            Make(3, EventKind::kAlterTable, kB, kA), Alter(4, kA), Alter(5, kB),
                            Alter(6, Table("s", "c"))})),
            "s.a:1 s.c:2,6 s.a+s.b:3 s.a:4 s.b:5");
  EXPECT_EQ(Show(PlanLanes({Make(1, EventKind::kAlterTable, Table("x", "t"), Table("y", "t"))})),
            "x.t+y.t:1");
}

TEST(PlanLanes, DatabaseDropIsABarrierForItsTables) {
  EXPECT_EQ(Show(PlanLanes({Alter(1, kA), Alter(2, Table("other", "t")),
                            Make(3, EventKind::kDropDatabase, Db("s")),
                            Make(4, EventKind::kCreateDatabase, Db("s")), Alter(5, kA),
                            Alter(6, Table("other", "t"))})),
            "s.a:1 other.t:2,6 s:3 s:4 s.a:5");
}

TEST(PlanLanes, DatabaseEventsHaveALaneOfTheirOwn) {
  EXPECT_EQ(Show(PlanLanes({Make(1, EventKind::kCreateDatabase, Db("s")), Alter(2, kA),
                            Make(3, EventKind::kAlterDatabase, Db("s")), Alter(4, kA)})),
            "s:1,3 s.a:2,4");
}

TEST(PlanLanes, SameNamesInOtherCatalogsAreOthers) {
  EXPECT_EQ(Show(PlanLanes({Alter(1, kA), Alter(2, ObjectName::Table("c", "s", "a")),
                            Make(3, EventKind::kDropDatabase, ObjectName::Database("c", "s")),
                            Alter(4, kA)})),
            "s.a:1,4 c.s.a:2 c.s:3");
}

TEST(PlanLanes, NamelessEventsBlockNothing) {
  EXPECT_EQ(Show(PlanLanes({Alter(1, kA), Make(2, EventKind::kTransaction, {}), Alter(3, kA),
                            Make(4, EventKind::kTransaction, {})})),
            "s.a:1,3 :2,4");
}

TEST(PlanLanes, TasksAreBounded) {
  std::vector<EventPtr> events;
  for (int i = 1; i <= 5; ++i) events.push_back(Alter(i, kA));
  EXPECT_EQ(Show(PlanLanes(events, 2)), "s.a:1,2 s.a:3,4 s.a:5");
  EXPECT_EQ(PlanLanes(events, 0).size(), 5U);
}

EventPtr RandomEvent(int64_t id, Random* random) {
  const auto db = [random] { return std::string(1, static_cast<char>('x' + random->Below(2))); };
  const auto table = [&] {
    return Table(db(), std::string(1, static_cast<char>('a' + random->Below(3))));
  };
  switch (random->Below(8)) {
    case 0: {
      const ObjectName from = table();
      const ObjectName to = table();
      if (from == to) return Alter(id, to);
      return Make(id, EventKind::kAlterTable, to, from);
    }
    case 1:
      return Make(id, EventKind::kDropDatabase, Db(db()));
    case 2:
      return Make(id, EventKind::kAlterDatabase, Db(db()));
    case 3:
      return Make(id, EventKind::kTransaction, {});
    default:
      return Alter(id, table());
  }
}

// Whatever the events: each is in one task, a task locks all names its events touch, and the
// events that touch a name come in their order when tasks are taken one after the other.
TEST(PlanLanes, KeepsTheOrderOfEveryName) {
  std::set<ObjectName> names;
  for (const char* db : {"x", "y"}) {
    names.insert(Db(db));
    for (const char* table : {"a", "b", "c"}) names.insert(Table(db, table));
  }
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    std::vector<EventPtr> events;
    const uint64_t count = random.Below(40);
    for (uint64_t i = 0; i < count; ++i) {
      events.push_back(RandomEvent(static_cast<int64_t>(i) + 1, &random));
    }
    const std::vector<LaneTask> tasks = PlanLanes(events, 1 + random.Below(5));
    std::map<ObjectName, EventId> last;
    size_t planned = 0;
    for (const LaneTask& task : tasks) {
      ASSERT_FALSE(task.events.empty());
      ASSERT_TRUE(std::is_sorted(task.names.begin(), task.names.end()));
      for (const EventPtr& event : task.events) {
        ++planned;
        for (const ObjectName& name : names) {
          if (!event->Touches(name)) continue;
          ASSERT_LT(last[name], event->id) << "seed " << seed << ": " << Show(tasks);
          last[name] = event->id;
          const bool locked = std::any_of(
              task.names.begin(), task.names.end(), [&name](const ObjectName& locked_name) {
                return locked_name == name || locked_name == name.DatabaseName();
              });
          ASSERT_TRUE(locked) << "seed " << seed << ": " << Show(tasks);
        }
      }
    }
    ASSERT_EQ(planned, events.size());
  }
}

}  // namespace
}  // namespace catalogd::events
