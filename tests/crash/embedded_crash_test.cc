#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "catalog/base/clock.h"
#include "catalog/base/random.h"
#include "tests/support/wait_for.h"
#include "tests/unit/embedded/embedded_fixture.h"

// What could go wrong: a process that dies while it writes leaves a torn file, a hole in the log, a
// change without its event or an event without its change, or loses what was answered.
// How: a child runs DDLs and is killed after a random time, again and again on the same file; each
// time the parent folds the whole log and compares with what the reopened metastore answers.
namespace catalogd::hms {

namespace {

constexpr int kRounds = 30;

// Random DDLs on a handful of names, so that most of them succeed. Never returns. Answers are only
// looked at where the next step needs them: refusals (already there, not there) are part of the
// mix.
class Child {
 public:
  Child(HmsTestClient* client, uint64_t seed, int acknowledge)
      : client_(*client), random_(seed), acknowledge_(acknowledge) {}

  [[noreturn]] void Run() {
    while (true) {
      Step();
      api::CurrentNotificationEventId id;
      client_.get_current_notificationEventId(id);
      if (write(acknowledge_, &id.eventId, sizeof(id.eventId)) < 0) _exit(1);
    }
  }

 private:
  std::string Named(const char* prefix, uint64_t below) {
    return prefix + std::to_string(random_.Below(below));
  }

  void Step() {
    const std::string db = Named("db", 2);
    const std::string table = Named("t", 3);
    const std::string day = Named("", 4);
    const api::Table parted = MakeTable(db, Named("p", 2), {"day"});
    switch (random_.Below(9)) {
      case 0:
        return client_.send_create_database(MakeDatabase(db));
      case 1:
        return client_.send_create_table(MakeTable(db, table));
      case 2:
        return client_.send_create_table(parted);
      case 3:
        return Alter(db, table, table);
      case 4:
        return Alter(db, table, Named("t", 3));
      case 5:
        return client_.send_add_partitions({MakePartition(parted, {day})});
      case 6: {
        api::Partition next = MakePartition(parted, {day});
        next.parameters["n"] = Named("", 1000000);
        return client_.send_alter_partition(db, parted.tableName, next);
      }
      case 7:
        return client_.send_drop_partition(db, parted.tableName, {day}, true);
      default:
        if (random_.OneIn(8)) return client_.send_drop_database(db, true, true);
        return client_.send_drop_table(db, table, true);
    }
  }

  void Alter(const std::string& db, const std::string& table, const std::string& name) {
    Strings present;
    client_.get_tables(present, db, table);
    if (present.empty()) return;
    api::Table next;
    client_.get_table(next, db, table);
    next.__set_tableName(name);
    next.parameters["n"] = Named("", 1000000);
    client_.send_alter_table(db, table, next);
  }

  HmsTestClient& client_;
  Random random_;
  int acknowledge_;
};

// The catalog as the log tells it.
struct Folded {
  std::map<std::string, api::Database> databases;
  std::map<std::pair<std::string, std::string>, api::Table> tables;
  std::map<std::pair<std::string, std::string>, std::map<std::string, api::Partition>> partitions;

  void Apply(const api::NotificationEvent& event) {
    const auto message = Message(event);
    const std::pair<std::string, std::string> name(event.dbName, event.tableName);
    const std::string& type = event.eventType;
    if (type == "CREATE_DATABASE") {
      databases[event.dbName] = Image<api::Database>(message["dbJson"]);
    } else if (type == "DROP_DATABASE") {
      databases.erase(event.dbName);
    } else if (type == "CREATE_TABLE") {
      tables[name] = Image<api::Table>(message["tableObjJson"]);
    } else if (type == "DROP_TABLE") {
      tables.erase(name);
      partitions.erase(name);
    } else if (type == "ALTER_TABLE") {
      tables.erase({message["db"], message["table"]});
      tables[name] = Image<api::Table>(message["tableObjAfterJson"]);
    } else if (type == "ADD_PARTITION") {
      const auto added = Image<api::Partition>(message["partitionListJson"][0]);
      partitions[name][added.values.at(0)] = added;
    } else if (type == "ALTER_PARTITION") {
      const auto after = Image<api::Partition>(message["partitionObjAfterJson"]);
      partitions[name][after.values.at(0)] = after;
    } else if (type == "DROP_PARTITION") {
      partitions[name].erase(message["partitions"][0]["day"].get<std::string>());
    } else {
      ADD_FAILURE() << "unexpected event " << type;
    }
  }
};

class EmbeddedCrashTest : public EmbeddedTest {
 protected:
  // Kills a child at work after `time`. Returns the last event id that was answered.
  int64_t RunAndKill(uint64_t seed, std::chrono::microseconds time) {
    client_.reset();
    metastore_.reset();
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto opened = EmbeddedMetastore::Open(Options(), clock_);
      if (!opened) _exit(1);
      HmsTestClient client(*(*opened)->Open({}, TimePoint::max()));
      Child(&client, seed, ends[1]).Run();
    }
    close(ends[1]);
    testing::WaitFor(time);
    kill(child, SIGKILL);
    int64_t acknowledged = 0;
    int64_t id = 0;
    while (read(ends[0], &id, sizeof(id)) == sizeof(id)) acknowledged = id;
    close(ends[0]);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
    return acknowledged;
  }

  void CheckFile() {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(Options().path.c_str(), &db), SQLITE_OK);
    std::string verdict;
    const auto take = [](void* out, int, char** values, char**) {
      *static_cast<std::string*>(out) = values[0];
      return 0;
    };
    sqlite3_exec(db, "PRAGMA integrity_check", take, &verdict, nullptr);
    sqlite3_close(db);
    EXPECT_EQ(verdict, "ok");
  }

  void CheckLogAgainstRows(int64_t acknowledged) {
    const Events events = EventsAfter(0);
    Folded folded;
    client().get_database(folded.databases["default"], "default");
    for (size_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(events[i].eventId, static_cast<int64_t>(i) + 1);
      folded.Apply(events[i]);
    }
    EXPECT_EQ(CurrentId(), std::ssize(events));
    EXPECT_GE(CurrentId(), acknowledged);
    Strings names;
    client().get_all_databases(names);
    ASSERT_EQ(names.size(), folded.databases.size());
    size_t tables = 0;
    for (const std::string& db : names) {
      api::Database database;
      client().get_database(database, db);
      EXPECT_EQ(database, folded.databases[db]);
      Strings table_names;
      client().get_all_tables(table_names, db);
      tables += table_names.size();
      for (const std::string& table : table_names) CheckTable(&folded, db, table);
    }
    EXPECT_EQ(tables, folded.tables.size());
  }

  void CheckTable(Folded* folded, const std::string& db, const std::string& table) {
    EXPECT_EQ(ReadTable(db, table), (folded->tables[{db, table}])) << db << "." << table;
    std::vector<api::Partition> rows;
    client().get_partitions(rows, db, table, -1);
    const auto& expected = folded->partitions[{db, table}];
    ASSERT_EQ(rows.size(), expected.size()) << db << "." << table;
    for (const api::Partition& row : rows) EXPECT_EQ(row, expected.at(row.values.at(0)));
  }
};

TEST_F(EmbeddedCrashTest, LogAndRowsAgreeAfterEveryKill) {
  const auto seed = static_cast<uint64_t>(SystemClock().WallNow().time_since_epoch().count());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  int64_t last = 0;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    const std::chrono::microseconds pause(5000 + random.Below(60000));
    const int64_t acknowledged = RunAndKill(random.Next(), pause);
    CheckFile();
    Reopen();
    CheckLogAgainstRows(acknowledged);
    EXPECT_GE(CurrentId(), last);
    last = CurrentId();
  }
  // Otherwise nothing was tested.
  EXPECT_GT(last, kRounds);
}

}  // namespace

}  // namespace catalogd::hms
