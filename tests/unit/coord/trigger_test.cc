// Compactions that are planned too often or never. The cases of the reference, by their ids; the
// threshold is 5 commits and 3600 s unless they say otherwise.
#include "catalog/coord/trigger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/base/random.h"

namespace catalogd::coord {
namespace {

using ::testing::HasSubstr;

const int64_t kStart = InstantMillis(Instant::Parse("20260307120000000").value()).value();

// So many seconds after noon.
Instant After(double seconds) {
  return InstantFromMillis(kStart + static_cast<int64_t>(seconds * 1000));
}

// A timeline whose actions take a tenth of a second.
struct Table {
  std::vector<TimelineFile> files;

  Table& Act(Action action, double at, bool completed = true) {
    files.push_back({After(at), std::nullopt, action, FileState::kRequested});
    if (completed) {
      files.push_back({After(at), After(at + 0.1), CompletedAs(action), FileState::kCompleted});
    }
    return *this;
  }
  Table& Commits(int count, double from) {
    for (int i = 0; i < count; ++i) Act(Action::kDeltaCommit, from + i);
    return *this;
  }
  [[nodiscard]] TriggerFacts facts() const { return FactsOf(BuildTimeline(files)); }
  [[nodiscard]] TriggerDecision Decide(TriggerStrategy strategy, double now,
                                       TriggeredBy by = TriggeredBy::kSchedule) const {
    TriggerOptions options;
    options.strategy = strategy;
    return DecideTrigger(TableType::kMergeOnRead, options, facts(), After(now), by);
  }
  [[nodiscard]] bool Due(TriggerStrategy strategy, double now) const {
    return Decide(strategy, now).verdict == TriggerVerdict::kDue;
  }
};

constexpr TriggerStrategy kAll[] = {
    TriggerStrategy::kNumCommits, TriggerStrategy::kNumCommitsAfterLastRequest,
    TriggerStrategy::kTimeElapsed, TriggerStrategy::kNumAndTime, TriggerStrategy::kNumOrTime};

TEST(Trigger, TimelineB01FourCommitsAreNotEnough) {
  const Table table = Table().Commits(4, 0);
  EXPECT_FALSE(table.Due(TriggerStrategy::kNumCommits, 10));
  EXPECT_EQ(table.Decide(TriggerStrategy::kNumCommits, 10).reason,
            "4 of 5 delta commits since the last completed compaction");
}

TEST(Trigger, TimelineB02TheFifthCommitIs) {
  EXPECT_TRUE(Table().Commits(5, 0).Due(TriggerStrategy::kNumCommits, 10));
}

TEST(Trigger, TimelineB03APlanThatIsNotExecutedDoesNotResetTheCount) {
  const Table table = Table().Commits(5, 0).Act(Action::kCompaction, 10, false).Commits(1, 11);
  EXPECT_TRUE(table.Due(TriggerStrategy::kNumCommits, 20));
}

TEST(Trigger, TimelineB05SinceTheLastRequestItDoes) {
  const Table table = Table().Commits(5, 0).Act(Action::kCompaction, 10, false).Commits(1, 11);
  EXPECT_FALSE(table.Due(TriggerStrategy::kNumCommitsAfterLastRequest, 20));
  EXPECT_EQ(table.Decide(TriggerStrategy::kNumCommitsAfterLastRequest, 20).reason,
            "1 of 5 delta commits since the last requested compaction");
  EXPECT_TRUE(Table(table).Commits(4, 30).Due(TriggerStrategy::kNumCommitsAfterLastRequest, 40));
}

TEST(Trigger, TimelineB06ACompletedCompactionResetsTheCount) {
  const Table table = Table().Commits(5, 0).Act(Action::kCompaction, 10).Commits(4, 11);
  EXPECT_FALSE(table.Due(TriggerStrategy::kNumCommits, 20));
  EXPECT_TRUE(Table(table).Commits(1, 21).Due(TriggerStrategy::kNumCommits, 30));
}

TEST(Trigger, TimelineB07SecondsAreWholeAndEqualityIsDue) {
  const Table table = Table().Commits(5, 0).Act(Action::kCompaction, 10).Commits(1, 20);
  EXPECT_FALSE(table.Due(TriggerStrategy::kTimeElapsed, 10 + 3599));
  EXPECT_FALSE(table.Due(TriggerStrategy::kTimeElapsed, 10 + 3599.999));
  EXPECT_TRUE(table.Due(TriggerStrategy::kTimeElapsed, 10 + 3600));
  EXPECT_TRUE(table.Due(TriggerStrategy::kTimeElapsed, 10 + 3601));
}

TEST(Trigger, TimelineB08WithoutACompactionTimeCountsFromTheFirstCommit) {
  const Table table = Table().Commits(2, 100);
  EXPECT_FALSE(table.Due(TriggerStrategy::kTimeElapsed, 100 + 3599));
  EXPECT_TRUE(table.Due(TriggerStrategy::kTimeElapsed, 100 + 3600));
}

TEST(Trigger, TimelineB09BothAreNeeded) {
  const Table table = Table().Commits(5, 0);
  EXPECT_FALSE(table.Due(TriggerStrategy::kNumAndTime, 10));
  EXPECT_TRUE(table.Due(TriggerStrategy::kNumAndTime, 3600));
  EXPECT_FALSE(Table().Commits(4, 0).Due(TriggerStrategy::kNumAndTime, 3600));
}

TEST(Trigger, TimelineB10EitherIsEnough) {
  EXPECT_TRUE(Table().Commits(1, 0).Due(TriggerStrategy::kNumOrTime, 3600));
  EXPECT_TRUE(Table().Commits(5, 0).Due(TriggerStrategy::kNumOrTime, 10));
  EXPECT_FALSE(Table().Commits(4, 0).Due(TriggerStrategy::kNumOrTime, 10));
}

TEST(Trigger, TimelineB11WithoutDeltaCommitsNothingIsDue) {
  for (const TriggerStrategy strategy : kAll) {
    EXPECT_FALSE(Table().Due(strategy, 99'999)) << TriggerStrategyName(strategy);
    EXPECT_FALSE(Table().Act(Action::kDeltaCommit, 0, false).Due(strategy, 99'999))
        << "a pending one is none";
    EXPECT_FALSE(Table().Commits(5, 0).Act(Action::kCompaction, 10).Due(strategy, 99'999))
        << "nothing is left since the last compaction";
  }
}

TEST(Trigger, TimelineB12ATableWithoutLogsIsAnErrorOnlyForWhoeverAsks) {
  const TriggerFacts facts = Table().Commits(9, 0).facts();
  const auto verdict = [&](TriggeredBy by) {
    return DecideTrigger(TableType::kCopyOnWrite, {}, facts, After(10), by).verdict;
  };
  EXPECT_EQ(verdict(TriggeredBy::kCall), TriggerVerdict::kInvalidTableType);
  EXPECT_EQ(verdict(TriggeredBy::kSchedule), TriggerVerdict::kNotDue);
}

// What the compaction did not take counts, also if it was requested before it.
TEST(Trigger, CommitsCountByTheirCompletion) {
  Table table = Table().Commits(5, 0).Act(Action::kCompaction, 10);
  table.files.push_back({After(9), After(20), Action::kDeltaCommit, FileState::kCompleted});
  EXPECT_EQ(table.facts().commits_since_completed, 1);
  table.files.push_back({After(9.5), After(10), Action::kDeltaCommit, FileState::kCompleted});
  EXPECT_EQ(table.facts().commits_since_completed, 2) << "the plan takes what completed before it";
}

TEST(Trigger, LogCompactionsAndOtherActionsAreNoCommits) {
  const Table table = Table()
                          .Commits(2, 0)
                          .Act(Action::kLogCompaction, 10)
                          .Act(Action::kClustering, 11)
                          .Act(Action::kClean, 12);
  EXPECT_EQ(table.facts().commits_since_completed, 2);
  EXPECT_EQ(table.facts().counted_from, After(0));
}

TEST(Trigger, ACompactionWhosePlanWasArchivedStillCounts) {
  const Table table = Table().Commits(5, 0).Act(Action::kCommit, 10).Commits(1, 11);
  EXPECT_EQ(table.facts().commits_since_completed, 1);
  EXPECT_EQ(table.facts().counted_from, After(10));
}

TEST(Trigger, OldInstantsEndInTheirLastMillisecond) {
  TriggerFacts facts;
  facts.commits_since_completed = 1;
  facts.counted_from = Instant::Parse("20260307120000").value();
  TriggerOptions options;
  options.strategy = TriggerStrategy::kTimeElapsed;
  EXPECT_EQ(
      DecideTrigger(TableType::kMergeOnRead, options, facts, After(3600), TriggeredBy::kSchedule)
          .verdict,
      TriggerVerdict::kDue);
}

TEST(Trigger, AnInstantThatIsNoDateIsSaidAndTriggersNothing) {
  TriggerFacts facts;
  facts.commits_since_completed = 9;
  facts.counted_from = Instant::Parse("00000000000000000").value();
  TriggerOptions options;
  options.strategy = TriggerStrategy::kTimeElapsed;
  const TriggerDecision decision =
      DecideTrigger(TableType::kMergeOnRead, options, facts, After(3600), TriggeredBy::kSchedule);
  EXPECT_EQ(decision.verdict, TriggerVerdict::kNotDue);
  EXPECT_THAT(decision.reason, HasSubstr("no time can be counted from '00000000000000000'"));
}

TEST(Trigger, ThresholdsBelowOneAreRefused) {
  EXPECT_TRUE(CheckTriggerOptions({}));
  EXPECT_FALSE(CheckTriggerOptions({TriggerStrategy::kNumCommits, 0, 3600}));
  EXPECT_FALSE(CheckTriggerOptions({TriggerStrategy::kNumCommits, 5, -1}));
}

TEST(Trigger, MoreCommitsOrMoreTimeNeverTurnYesIntoNo) {
  Random random(3);
  int due = 0;
  for (int i = 0; i < 20'000; ++i) {
    TriggerOptions options;
    options.strategy = kAll[random.Below(5)];
    options.max_delta_commits = 1 + static_cast<int64_t>(random.Below(6));
    options.max_delta_seconds = 1 + static_cast<int64_t>(random.Below(100));
    TriggerFacts facts;
    facts.commits_since_requested = static_cast<int64_t>(random.Below(6));
    facts.commits_since_completed =
        facts.commits_since_requested + static_cast<int64_t>(random.Below(3));
    facts.counted_from = After(0);
    const auto seconds = static_cast<double>(random.Below(120));
    const auto decide = [&](const TriggerFacts& with, double at) {
      return DecideTrigger(TableType::kMergeOnRead, options, with, After(at),
                           TriggeredBy::kSchedule)
                 .verdict == TriggerVerdict::kDue;
    };
    if (!decide(facts, seconds)) continue;
    ++due;
    TriggerFacts more = facts;
    ++more.commits_since_completed;
    ++more.commits_since_requested;
    ASSERT_TRUE(decide(more, seconds));
    ASSERT_TRUE(decide(facts, seconds + 1));
  }
  EXPECT_GT(due, 3000);
}

}  // namespace
}  // namespace catalogd::coord
