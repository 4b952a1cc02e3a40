// A publication that overwrites another one, or that the cache does not show once it is answered,
// breaks the table's readers. On the embedded metastore, with a whole SyncCore.
#include "catalog/daemon/coord_publisher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "catalog/daemon/table_parameters.h"
#include "catalog/ddl/expected_parameter.h"
#include "tests/support/fake_metastore.h"
#include "tests/unit/daemon/coord_world.h"
#include "thrift/wire/scan.h"

namespace catalogd::daemon {
namespace {

using ::testing::HasSubstr;
using testing::TestTable;

const std::string kState(coord::kStateParameter);
const TestTable kTable = [] {
  TestTable table;
  table.db = "default";
  return table.With("other", "stays");
}();
const ObjectName kName = kTable.object();

class CoordPublisherTest : public ::testing::Test {
 protected:
  CoordPublisherTest() { world_.Create(kTable); }

  TimePoint Soon() { return SystemClock().Now() + std::chrono::seconds(20); }

  Result<EventId> UnderWrite(coord::TablePublisher::Body body,
                             Duration timeout = std::chrono::seconds(20)) {
    std::promise<Result<EventId>> promise;
    world_.publisher.UnderWrite({kName, "commit of transaction 7", timeout}, std::move(body),
                                [&](Result<EventId> event) { promise.set_value(event); });
    return promise.get_future().get();
  }
  Status Publish(const std::optional<std::string>& expected, const std::string& state) {
    coord::Publication publication;
    publication.expected = expected;
    publication.parameters = {{kState, state}};
    return world_.publisher.Publish(kName, publication, Soon());
  }
  std::optional<std::string> Shown() {
    const auto read = world_.core.Look(kName);
    if (read.view.snapshot == nullptr) return std::nullopt;
    const auto parameters = ParametersOf(read.view.snapshot->object);
    const auto found = parameters.find(kState);
    return found == parameters.end() ? std::optional<std::string>("") : found->second;
  }

  CoordWorld world_;
};

TEST_F(CoordPublisherTest, WhatWasPublishedTheCacheShowsWhenItIsAnswered) {
  const auto event = UnderWrite([this](TimePoint) { return Publish(std::nullopt, "t:1:1:n1"); });
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_GT(event->value(), 0);
  EXPECT_EQ(Shown(), "t:1:1:n1");
  const auto read = world_.publisher.Read(kName, Soon());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->parameters.at(kState), "t:1:1:n1");
  EXPECT_EQ(read->parameters.at("other"), "stays");
  EXPECT_NE(read->location, "");
}

TEST_F(CoordPublisherTest, AnotherStateIsAConflictAndNothingChanges) {
  ASSERT_TRUE(Publish(std::nullopt, "t:1:1:n1"));
  const auto event = UnderWrite([this](TimePoint) { return Publish("t:1:0:n0", "t:1:2:n2"); });
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, ErrorCode::kConflict);
  EXPECT_EQ(world_.publisher.Read(kName, Soon())->parameters.at(kState), "t:1:1:n1");
  EXPECT_TRUE(UnderWrite([this](TimePoint) { return Publish("t:1:1:n1", "t:1:2:n2"); }));
  EXPECT_EQ(Shown(), "t:1:2:n2");
}

TEST_F(CoordPublisherTest, AParameterIsTakenAway) {
  coord::Publication publication;
  publication.remove = {"other"};
  ASSERT_TRUE(world_.publisher.Publish(kName, publication, Soon()));
  EXPECT_EQ(world_.publisher.Read(kName, Soon())->parameters.count("other"), 0U);
}

TEST_F(CoordPublisherTest, ABodyThatSendsNothingLeavesTheTableKnown) {
  ASSERT_TRUE(UnderWrite([this](TimePoint) { return Publish(std::nullopt, "t:1:1:n1"); }));
  ASSERT_TRUE(UnderWrite([](TimePoint) { return Ok(); }));
  EXPECT_EQ(Shown(), "t:1:1:n1");
  const auto refused =
      UnderWrite([](TimePoint) -> Status { return MakeError(ErrorCode::kConflict, "file gone"); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "file gone");
  EXPECT_EQ(Shown(), "t:1:1:n1");
}

// kTimedOut says that the body did not run.
TEST_F(CoordPublisherTest, RunningOutOfTimeInTheBodyIsAnUnknownOutcome) {
  const auto event =
      UnderWrite([](TimePoint) -> Status { return MakeError(ErrorCode::kTimedOut, "late"); });
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, ErrorCode::kUnknownOutcome);
}

TEST_F(CoordPublisherTest, ALockThatIsHeldKeepsTheBodyFromRunning) {
  std::promise<void> inside;
  std::promise<void> leave;
  world_.publisher.UnderLock({kName, "a plan", std::chrono::seconds(20)}, [&](Status locked) {
    EXPECT_TRUE(locked);
    inside.set_value();
    leave.get_future().wait();
  });
  inside.get_future().wait();
  bool ran = false;
  const auto event = UnderWrite(
      [&](TimePoint) {
        ran = true;
        return Ok();
      },
      std::chrono::milliseconds(20));
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, ErrorCode::kTimedOut);
  EXPECT_THAT(event.error().message, HasSubstr("coordination: a plan"));
  EXPECT_FALSE(ran);
  leave.set_value();
  EXPECT_TRUE(UnderWrite([](TimePoint) { return Ok(); })) << "the lock was let go";
}

TEST_F(CoordPublisherTest, TheEmbeddedMetastoreComparesAndTheProbeLeavesNothing) {
  const auto before = world_.metastore().ListTables(kName.DatabaseName(), Soon());
  const auto compares = world_.publisher.Compares(kName, Soon());
  ASSERT_TRUE(compares) << compares.error().message;
  EXPECT_TRUE(*compares);
  const auto after = world_.metastore().ListTables(kName.DatabaseName(), Soon());
  ASSERT_TRUE(before && after);
  EXPECT_EQ(*after, *before);
}

TEST_F(CoordPublisherTest, AnAbsentTableIsNotFound) {
  const ObjectName absent = ObjectName::Table("hive", "default", "absent");
  EXPECT_EQ(world_.publisher.Read(absent, Soon()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(world_.publisher.Publish(absent, {}, Soon()).error().code, ErrorCode::kNotFound);
}

// --- Metastores that do not compare, and answers that are lost ----------------------------------

class ScriptedPublisherTest : public ::testing::Test {
 protected:
  ScriptedPublisherTest()
      : timer_(SystemClock()),
        store_(std::move(*sync::StateStore::Open(""))),
        core_(&metastore_, store_.get(), &SystemClock(), &timer_, {}),
        ddl_(&core_),
        workers_({.name = "workers", .threads = 1}),
        publisher_(&core_, &ddl_, &metastore_, &SystemClock(), &workers_) {
    metastore_.OnForward([this](std::string_view message, const hms::Identity&) {
      return Answer(std::string(message));
    });
    metastore_.PutTable(kName, TableBytes(kTable.With(kState, "s1")));
  }

  // A metastore that does what it is told, whatever is expected.
  Result<std::string> Answer(const std::string& message) {
    const auto header = wire::ParseMessageHeader(message);
    sent_.emplace_back(header->method);
    const wire::StructView arguments(std::string_view(message).substr(header->body));
    if (header->method == "create_table") {
      scratch_ = ObjectName::Table("hive", "default", std::string(*arguments.Struct(1)->String(1)));
      metastore_.PutTable(scratch_, std::string(arguments.Struct(1)->bytes()));
    } else if (header->method == "drop_table") {
      metastore_.Remove(scratch_);
    } else {
      expects_ = ddl::ExpectedIn(header->method, arguments).has_value();
      if (alter_scratch_ && arguments.String(2) == scratch_.table()) return alter_scratch_(message);
      if (alter_ && arguments.String(2) == kName.table()) return alter_(message);
      if (arguments.String(2) == kName.table()) Do(message);
    }
    return wire::EncodeVoidReply(header->method, 1);
  }
  void Do(const std::string& message) {
    const auto header = wire::ParseMessageHeader(message);
    const wire::StructView arguments(std::string_view(message).substr(header->body));
    metastore_.PutTable(kName, std::string(arguments.Struct(3)->bytes()));
  }
  Status Publish(const std::string& expected, const std::string& state) {
    coord::Publication publication;
    publication.expected = expected;
    publication.parameters = {{kState, state}};
    return publisher_.Publish(kName, publication, Soon());
  }
  static TimePoint Soon() { return SystemClock().Now() + std::chrono::seconds(20); }

  testing::FakeMetastore metastore_;
  ThreadTimer timer_;
  std::unique_ptr<sync::StateStore> store_;
  sync::SyncCore core_;
  ddl::DdlExecutor ddl_;
  ThreadPoolExecutor workers_;
  CoordPublisher publisher_;
  std::function<Result<std::string>(const std::string&)> alter_;
  std::function<Result<std::string>(const std::string&)> alter_scratch_;
  std::vector<std::string> sent_;
  ObjectName scratch_;
  bool expects_ = false;
};

TEST_F(ScriptedPublisherTest, WhereTheMetastoreDoesNotCompareAFreshReadDoes) {
  EXPECT_EQ(Publish("s0", "s2").error().code, ErrorCode::kConflict);
  EXPECT_TRUE(Publish("s1", "s2"));
  EXPECT_FALSE(expects_) << "nobody would look at it";
  EXPECT_THAT(sent_, ::testing::ElementsAre("create_table", "alter_table_with_environment_context",
                                            "drop_table", "alter_table_with_environment_context"))
      << "the probe is made once";
}

// 2.3.10 on Derby compares what it has read, and then cannot write it.
TEST_F(ScriptedPublisherTest, AMetastoreThatRefusesTheRightValueTooDoesNotCompare) {
  int altered = 0;
  alter_scratch_ = [&](const std::string&) -> Result<std::string> {
    return wire::EncodeExceptionReply(
        "alter_table_with_environment_context", 1, 2,
        ++altered == 1 ? "The table has been modified. The parameter value is" : "SQL failed");
  };
  EXPECT_TRUE(Publish("s1", "s2"));
  EXPECT_FALSE(expects_);
  EXPECT_EQ(altered, 2);
}

TEST_F(ScriptedPublisherTest, ALostAnswerIsAnUnknownOutcome) {
  alter_ = [](const std::string&) -> Result<std::string> {
    return MakeError(ErrorCode::kTimedOut, "no answer");
  };
  EXPECT_EQ(Publish("s1", "s2").error().code, ErrorCode::kUnknownOutcome);
}

// A listener that fails after the commit.
TEST_F(ScriptedPublisherTest, AnExceptionAfterItWasDoneIsASuccess) {
  alter_ = [this](const std::string& message) -> Result<std::string> {
    Do(message);
    return wire::EncodeExceptionReply("alter_table_with_environment_context", 1, 2, "listener");
  };
  EXPECT_TRUE(Publish("s1", "s2"));
}

TEST_F(ScriptedPublisherTest, AnExceptionWithoutEffectIsAFailureWithItsText) {
  alter_ = [](const std::string&) -> Result<std::string> {
    return wire::EncodeExceptionReply("alter_table_with_environment_context", 1, 2, "no space");
  };
  const Status failed = Publish("s1", "s2");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInternal);
  EXPECT_THAT(failed.error().message, HasSubstr("no space"));
}

TEST_F(ScriptedPublisherTest, AnExceptionAfterWhichNothingCanBeReadIsAnUnknownOutcome) {
  alter_ = [this](const std::string&) -> Result<std::string> {
    metastore_.FailNext("ReadTable", Error{ErrorCode::kUnavailable, "gone"});
    return wire::EncodeExceptionReply("alter_table_with_environment_context", 1, 2, "oops");
  };
  EXPECT_EQ(Publish("s1", "s2").error().code, ErrorCode::kUnknownOutcome);
}

}  // namespace
}  // namespace catalogd::daemon
