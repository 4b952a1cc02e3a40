// Answers that are kept as they came. What could go wrong: one outlives a change of its owner, one
// is kept that was read while the owner changed, one is given out before anybody knows whether it
// was, or memory grows without bound.
#include "catalog/sync/side_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_time.h"

namespace catalogd::sync {
namespace {

using events::Event;
using events::EventKind;
using testing::FakeClock;
using ::testing::Pointee;
using Question = SideAnswers::Question;

const ObjectName kDb = ObjectName::Database("hive", "sales");
const ObjectName kOrders = ObjectName::Table("hive", "sales", "orders");
const ObjectName kItems = ObjectName::Table("hive", "sales", "items");
const ObjectName kElsewhere = ObjectName::Table("hive", "other", "orders");

class SideAnswersTest : public ::testing::Test {
 protected:
  void Open(const SideAnswers::Options& options) {
    answers_ = std::make_unique<SideAnswers>(options, &clock_, [this] { return look_; });
  }
  void SetUp() override { Open({}); }

  static Question Ask(SideKind kind, const std::vector<ObjectName>& owners,
                      const std::string& call) {
    return {kind, owners, call, kind == SideKind::kFunctions};
  }
  // Read, answered, and proven by a later look at the log.
  void Put(const Question& question, const std::vector<ObjectName>& also = {}) {
    auto reading = answers_->Begin(question);
    ASSERT_TRUE(reading) << question.call;
    answers_->Keep(std::move(*reading), "answer to " + question.call, also);
    LookAtTheLog();
  }
  void LookAtTheLog() {
    clock_.Advance(std::chrono::milliseconds(1));
    look_ = clock_.Now();
    clock_.Advance(std::chrono::milliseconds(1));
  }
  bool Has(const std::string& call) { return answers_->Find(call) != nullptr; }

  static Event Make(EventKind kind, const ObjectName& name) {
    Event event;
    event.id = EventId(5);
    event.kind = kind;
    event.name = name;
    return event;
  }
  void Tell(Event event) {
    events::LaneTask task;
    task.events.push_back(std::make_shared<const Event>(std::move(event)));
    answers_->OnEvents({task});
  }
  void Tell(EventKind kind, const ObjectName& name) { Tell(Make(kind, name)); }
  uint64_t Stale(StaleReason reason) {
    return answers_->stats().stale.at(static_cast<size_t>(reason));
  }

  const Question functions_ = Ask(SideKind::kFunctions, {kDb}, "get_function f");
  const Question all_functions_ = Ask(SideKind::kFunctions, {}, "get_all_functions");
  const Question keys_ = Ask(SideKind::kConstraints, {kOrders}, "get_primary_keys");
  const Question foreign_ = Ask(SideKind::kForeignKeys, {kOrders}, "get_foreign_keys");
  const Question statistics_ = Ask(SideKind::kStatistics, {kOrders}, "get_table_statistics_req");
  const Question schema_ = Ask(SideKind::kSchema, {kOrders}, "get_fields");
  const Question content_ = Ask(SideKind::kContent, {kOrders}, "get_partitions_by_expr");
  const Question list_ = Ask(SideKind::kTableList, {kDb}, "get_tables_by_type");
  const Question all_lists_ = Ask(SideKind::kTableList, {}, "get_table_meta");

  FakeClock clock_;
  TimePoint look_;
  std::unique_ptr<SideAnswers> answers_;
};

TEST_F(SideAnswersTest, AnAnswerIsGivenOutOnceTheLogWasReadToItsEndAfterIt) {
  EXPECT_FALSE(Has(keys_.call));
  LookAtTheLog();
  auto reading = answers_->Begin(keys_);
  ASSERT_TRUE(reading);
  EXPECT_FALSE(Has(keys_.call)) << "not answered yet";
  answers_->Keep(std::move(*reading), "the answer");
  EXPECT_FALSE(Has(keys_.call)) << "an event of before the answer may not have been seen";
  look_ = clock_.Now();
  EXPECT_FALSE(Has(keys_.call)) << "a look that began no later proves nothing";
  LookAtTheLog();
  EXPECT_THAT(answers_->Find(keys_.call), Pointee(std::string("the answer")));
}

TEST_F(SideAnswersTest, WhatChangedWhileItWasReadIsNotKept) {
  auto reading = answers_->Begin(keys_);
  Tell(EventKind::kConstraint, kOrders);
  answers_->Keep(std::move(*reading), "torn");
  LookAtTheLog();
  EXPECT_FALSE(Has(keys_.call));
}

TEST_F(SideAnswersTest, WhatChangedBeforeItWasProvenIsNotKept) {
  auto reading = answers_->Begin(keys_);
  answers_->Keep(std::move(*reading), "old");
  Tell(EventKind::kConstraint, kOrders);
  LookAtTheLog();
  EXPECT_FALSE(Has(keys_.call));
}

TEST_F(SideAnswersTest, AnOwnWriteVoidsAReadThatIsUnderWay) {
  auto reading = answers_->Begin(keys_);
  answers_->Drop({kOrders}, StaleReason::kOwnWrite);
  answers_->Keep(std::move(*reading), "old");
  LookAtTheLog();
  EXPECT_FALSE(Has(keys_.call));
}

// A second read of the same must neither take the place of the first nor, voided with it, be kept.
TEST_F(SideAnswersTest, OneReadOfAQuestionAtATime) {
  auto first = answers_->Begin(keys_);
  EXPECT_FALSE(answers_->Begin(keys_));
  Tell(EventKind::kConstraint, kOrders);
  auto second = answers_->Begin(keys_);
  ASSERT_TRUE(second);
  answers_->Keep(std::move(*first), "old");
  LookAtTheLog();
  EXPECT_FALSE(Has(keys_.call));
  answers_->Keep(std::move(*second), "new");
  EXPECT_FALSE(answers_->Begin(keys_)) << "it waits for its proof, which a new read would put off";
  LookAtTheLog();
  EXPECT_THAT(answers_->Find(keys_.call), Pointee(std::string("new")));
}

TEST_F(SideAnswersTest, AReadThatFailedLeavesNothingBehind) {
  answers_->Begin(keys_).reset();
  EXPECT_EQ(answers_->stats().answers, 0U);
  EXPECT_EQ(answers_->stats().bytes, 0U);
  EXPECT_TRUE(answers_->Begin(keys_));
}

TEST_F(SideAnswersTest, EventsOfTheOwnerDropWhatTheyChange) {
  struct Case {
    EventKind kind;
    bool constraints;
    bool statistics;
  };
  constexpr Case kCases[] = {
      {EventKind::kCreateTable, true, true},
      {EventKind::kAlterTable, true, true},
      {EventKind::kDropTable, true, true},
      {EventKind::kReload, true, true},
      {EventKind::kUnknown, true, true},
      {EventKind::kConstraint, true, false},
      {EventKind::kAddPartition, false, true},
      {EventKind::kAlterPartition, false, true},
      {EventKind::kDropPartition, false, true},
      {EventKind::kInsert, false, true},
      {EventKind::kTransaction, false, true},
      {EventKind::kUpdateTableStats, false, true},
      {EventKind::kUpdatePartitionStats, false, true},
      {EventKind::kDeleteStats, false, true},
      {EventKind::kCommitCompaction, false, true},
  };
  for (const Case& each : kCases) {
    const auto text = events::EventKindName(each.kind);
    Open({});
    Put(keys_);
    Put(foreign_);
    Put(statistics_);
    Put(functions_);
    Tell(each.kind, kElsewhere);
    // What goes may take constraints of other tables along.
    const bool any = each.kind == EventKind::kConstraint || each.kind == EventKind::kDropTable;
    EXPECT_EQ(Has(keys_.call), !any) << text;
    EXPECT_TRUE(Has(statistics_.call)) << text;
    Tell(each.kind, kOrders);
    EXPECT_EQ(Has(keys_.call), !each.constraints) << text;
    EXPECT_EQ(Has(foreign_.call), !each.constraints) << text;
    EXPECT_EQ(Has(statistics_.call), !each.statistics) << text;
    EXPECT_TRUE(Has(functions_.call)) << text;
  }
}

TEST_F(SideAnswersTest, EventsOfATableDropWhatIsToldOfItAndOfItsDatabase) {
  struct Case {
    EventKind kind;
    bool schema;
    bool content;
    bool lists;
  };
  constexpr Case kCases[] = {
      {EventKind::kCreateTable, true, true, true},
      {EventKind::kAlterTable, true, true, true},
      {EventKind::kDropTable, true, true, true},
      {EventKind::kReload, true, true, true},
      {EventKind::kUnknown, true, true, true},
      {EventKind::kConstraint, false, false, false},
      {EventKind::kAddPartition, false, true, false},
      {EventKind::kAlterPartition, false, true, false},
      {EventKind::kDropPartition, false, true, false},
      {EventKind::kInsert, false, true, false},
      {EventKind::kUpdateTableStats, false, true, true},
      {EventKind::kUpdatePartitionStats, false, true, false},
      {EventKind::kDeleteStats, false, true, true},
      {EventKind::kCommitCompaction, false, true, false},
  };
  for (const Case& each : kCases) {
    const auto text = events::EventKindName(each.kind);
    Open({});
    for (const Question& question : {schema_, content_, list_, all_lists_}) Put(question);
    Tell(each.kind, kElsewhere);
    EXPECT_TRUE(Has(schema_.call)) << text;
    EXPECT_TRUE(Has(content_.call)) << text;
    EXPECT_TRUE(Has(list_.call)) << text;
    EXPECT_EQ(Has(all_lists_.call), !each.lists) << text;
    if (each.lists) Put(all_lists_);
    Tell(each.kind, kOrders);
    EXPECT_EQ(Has(schema_.call), !each.schema) << text;
    EXPECT_EQ(Has(content_.call), !each.content) << text;
    EXPECT_EQ(Has(list_.call), !each.lists) << text;
    EXPECT_EQ(Has(all_lists_.call), !each.lists) << text;
  }
}

TEST_F(SideAnswersTest, ListsKnowTablesThatCameFromElsewhereAndThoseOfIndexes) {
  const Question elsewhere = Ask(SideKind::kTableList, {kElsewhere.DatabaseName()}, "elsewhere");
  Put(list_);
  Put(elsewhere);
  Event rename = Make(EventKind::kAlterTable, kItems);
  rename.old_name = kElsewhere;
  Tell(rename);
  EXPECT_FALSE(Has(list_.call));
  EXPECT_FALSE(Has(elsewhere.call));
  Put(list_);
  Tell(EventKind::kIndex, kOrders);
  EXPECT_FALSE(Has(list_.call));
}

TEST_F(SideAnswersTest, AnOwnWriteOfATableDropsTheListsItIsIn) {
  for (const Question& question : {list_, all_lists_, schema_, content_}) Put(question);
  answers_->Drop({kItems}, StaleReason::kOwnWrite);
  EXPECT_FALSE(Has(list_.call));
  EXPECT_FALSE(Has(all_lists_.call));
  EXPECT_TRUE(Has(schema_.call));
  answers_->Drop({kOrders}, StaleReason::kOwnWrite);
  EXPECT_FALSE(Has(schema_.call));
  EXPECT_FALSE(Has(content_.call));
}

// Hive 4.2 drops constraints by name, those of other tables too.
TEST_F(SideAnswersTest, ADropTakesConstraintsOfTheSameNameElsewhereAlong) {
  Put(statistics_);
  for (const EventKind kind : {EventKind::kConstraint, EventKind::kDropTable}) {
    Put(keys_);
    Tell(kind, kElsewhere);
    EXPECT_FALSE(Has(keys_.call));
  }
  Put(keys_);
  Tell(EventKind::kDropDatabase, kElsewhere.DatabaseName());
  EXPECT_FALSE(Has(keys_.call));
  EXPECT_TRUE(Has(statistics_.call));
  Put(keys_);
  Tell(EventKind::kAlterDatabase, kElsewhere.DatabaseName());
  EXPECT_TRUE(Has(keys_.call));
}

TEST_F(SideAnswersTest, ARenameDropsTheAnswersOfBothEnds) {
  Put(keys_);
  const Question of_items = Ask(SideKind::kConstraints, {kItems}, "items");
  Put(of_items);
  Event rename = Make(EventKind::kAlterTable, kItems);
  rename.old_name = kOrders;
  Tell(rename);
  EXPECT_FALSE(Has(keys_.call));
  EXPECT_FALSE(Has(of_items.call));
}

TEST_F(SideAnswersTest, FunctionEventsDropFunctionsOnly) {
  for (const EventKind kind : {EventKind::kCreateFunction, EventKind::kDropFunction}) {
    Open({});
    Put(functions_);
    Put(all_functions_);
    Put(keys_);
    Tell(kind, kElsewhere.DatabaseName());
    EXPECT_TRUE(Has(functions_.call));
    EXPECT_FALSE(Has(all_functions_.call)) << "the list has functions of every database";
    Put(all_functions_);
    Tell(kind, kDb);
    EXPECT_FALSE(Has(functions_.call));
    EXPECT_FALSE(Has(all_functions_.call));
    EXPECT_TRUE(Has(keys_.call));
  }
}

TEST_F(SideAnswersTest, DatabaseEventsDropEverythingInIt) {
  const Question elsewhere = Ask(SideKind::kStatistics, {kElsewhere}, "elsewhere");
  for (const EventKind kind :
       {EventKind::kCreateDatabase, EventKind::kAlterDatabase, EventKind::kDropDatabase}) {
    Open({});
    for (const Question& each : {functions_, all_functions_, keys_, statistics_, elsewhere}) {
      Put(each);
    }
    Tell(kind, kDb);
    EXPECT_FALSE(Has(functions_.call));
    EXPECT_FALSE(Has(all_functions_.call));
    EXPECT_FALSE(Has(keys_.call));
    EXPECT_FALSE(Has(statistics_.call));
    EXPECT_TRUE(Has(elsewhere.call));
  }
}

// The log names one table of a foreign key; which one depends on the event.
TEST_F(SideAnswersTest, ForeignKeysDependOnTheTablesTheyNameAndOnEveryConstraintEvent) {
  Put(foreign_, {kElsewhere});
  Tell(EventKind::kAlterTable, kItems);
  EXPECT_TRUE(Has(foreign_.call));
  Tell(EventKind::kAddPartition, kElsewhere);
  EXPECT_TRUE(Has(foreign_.call));
  Tell(EventKind::kDropTable, kElsewhere);
  EXPECT_FALSE(Has(foreign_.call));
  Put(foreign_);
  Tell(EventKind::kConstraint, kItems);
  EXPECT_FALSE(Has(foreign_.call));
}

// While it is read nobody knows which tables the answer will name.
TEST_F(SideAnswersTest, AnyTableMayBeNamedByForeignKeysThatAreBeingRead) {
  auto reading = answers_->Begin(foreign_);
  Tell(EventKind::kAlterTable, kItems);
  answers_->Keep(std::move(*reading), "torn", {kItems});
  LookAtTheLog();
  EXPECT_FALSE(Has(foreign_.call));
}

TEST_F(SideAnswersTest, FunctionsLiveForAShortTimeOnly) {
  Put(functions_);
  Put(keys_);
  EXPECT_TRUE(Has(functions_.call));
  clock_.Advance(SideAnswers::Options().silent_life);
  EXPECT_FALSE(Has(functions_.call));
  EXPECT_TRUE(Has(keys_.call));
  EXPECT_EQ(Stale(StaleReason::kExpired), 1U);
}

// Before Hive 4 statistics change partitions without an event.
TEST_F(SideAnswersTest, WhateverMayChangeInSilenceLivesForAShortTime) {
  Question content = content_;
  content.silent = true;
  Put(content);
  clock_.Advance(SideAnswers::Options().silent_life);
  EXPECT_FALSE(Has(content.call));
  Put(content_);
  clock_.Advance(SideAnswers::Options().silent_life);
  EXPECT_TRUE(Has(content_.call));
}

TEST_F(SideAnswersTest, TheLifeOfFunctionsBeginsWithTheRead) {
  auto reading = answers_->Begin(functions_);
  clock_.Advance(SideAnswers::Options().silent_life);
  answers_->Keep(std::move(*reading), "read long ago");
  LookAtTheLog();
  EXPECT_FALSE(Has(functions_.call));
}

TEST_F(SideAnswersTest, WithoutALifeFunctionsAreNotKept) {
  SideAnswers::Options options;
  options.silent_life = {};
  Open(options);
  EXPECT_FALSE(answers_->Begin(functions_));
  EXPECT_TRUE(answers_->Begin(keys_));
}

// Who asks the metastore for functions although they are kept may see a change that no event tells:
// from then on the old answer must not be given out.
TEST_F(SideAnswersTest, FunctionsThatAreReadAgainAreReplaced) {
  Put(functions_);
  auto reading = answers_->Begin(functions_);
  ASSERT_TRUE(reading);
  EXPECT_FALSE(Has(functions_.call));
  Put(keys_);
  EXPECT_FALSE(answers_->Begin(keys_)) << "of these every change is told";
}

TEST_F(SideAnswersTest, OwnWritesDropWhatTheyName) {
  Put(keys_);
  Put(functions_);
  answers_->Drop({kItems}, StaleReason::kOwnWrite);
  EXPECT_TRUE(Has(keys_.call));
  answers_->Drop({kOrders}, StaleReason::kOwnWrite);
  EXPECT_FALSE(Has(keys_.call));
  EXPECT_TRUE(Has(functions_.call));
  Put(all_functions_);
  answers_->Drop({kDb}, StaleReason::kOwnWrite);
  EXPECT_FALSE(Has(functions_.call));
  EXPECT_FALSE(Has(all_functions_.call));
  EXPECT_EQ(Stale(StaleReason::kOwnWrite), 3U);
}

TEST_F(SideAnswersTest, NothingSurvivesAnotherLogNorAReadFromBefore) {
  Put(keys_);
  auto reading = answers_->Begin(statistics_);
  answers_->Clear(StaleReason::kLog);
  answers_->Keep(std::move(*reading), "of the old log");
  LookAtTheLog();
  EXPECT_FALSE(Has(keys_.call));
  EXPECT_FALSE(Has(statistics_.call));
  EXPECT_EQ(Stale(StaleReason::kLog), 1U);
}

// A broken ALTER_TABLE may have been a rename of anything.
TEST_F(SideAnswersTest, AnEventWhoseNamesCannotBeToldDropsEverything) {
  Put(keys_);
  Event broken = Make(EventKind::kAlterTable, kElsewhere);
  broken.problem = "no JSON";
  Tell(broken);
  EXPECT_FALSE(Has(keys_.call));
  Put(keys_);
  Tell(EventKind::kConstraint, {});
  EXPECT_FALSE(Has(keys_.call));
  Put(keys_);
  Tell(EventKind::kTransaction, {});
  Tell(EventKind::kUnknown, {});
  EXPECT_TRUE(Has(keys_.call)) << "these have no names by nature";
}

TEST_F(SideAnswersTest, CountIsBoundedAndTheLeastUsedGoFirst) {
  SideAnswers::Options options;
  options.max_answers = 2;
  Open(options);
  Put(keys_);
  Put(statistics_);
  EXPECT_TRUE(Has(keys_.call));
  Put(foreign_);
  EXPECT_TRUE(Has(keys_.call));
  EXPECT_FALSE(Has(statistics_.call));
  EXPECT_EQ(answers_->stats().answers, 2U);
  EXPECT_EQ(Stale(StaleReason::kRoom), 1U);
}

TEST_F(SideAnswersTest, BytesAreBoundedAndAllGivenBack) {
  SideAnswers::Options options;
  options.max_bytes = 4000;
  Open(options);
  for (int i = 0; i < 10; ++i) {
    auto reading =
        answers_->Begin(Ask(SideKind::kConstraints, {kOrders}, "call " + std::to_string(i)));
    ASSERT_TRUE(reading);
    answers_->Keep(std::move(*reading), std::string(1000, 'x'));
    EXPECT_LE(answers_->stats().bytes, options.max_bytes);
  }
  EXPECT_EQ(answers_->stats().answers, 2U);
  EXPECT_EQ(answers_->OwnedBy(kOrders), 2U);
  auto reading = answers_->Begin(Ask(SideKind::kConstraints, {kOrders}, "too much"));
  answers_->Keep(std::move(*reading), std::string(2001, 'x'));
  EXPECT_FALSE(Has("too much"));
  answers_->Clear(StaleReason::kLog);
  EXPECT_EQ(answers_->stats().answers, 0U);
  EXPECT_EQ(answers_->stats().bytes, 0U);
  EXPECT_EQ(answers_->OwnedBy(kOrders), 0U);
}

}  // namespace
}  // namespace catalogd::sync
