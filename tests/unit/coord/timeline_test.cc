// A finished compaction listed as pending, an overwrite taken for a clustering, two actions taken
// for one: what names of files say together.
#include "catalog/coord/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "catalog/coord/completion_index.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using ::testing::AllOf;
using testing::At;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kT1 = "20260307135827749";
constexpr const char* kT2 = "20260307135828111";
constexpr const char* kT3 = "20260307135829222";

Instant Time(const char* text) { return Instant::Parse(text).value(); }

std::vector<TimelineFile> Files(const std::vector<std::string>& names) {
  std::vector<TimelineFile> files;
  for (const std::string& name : names) {
    const auto file = ParseTimelineName(name);
    EXPECT_TRUE(file && file->has_value()) << name;
    files.push_back(**file);
  }
  return files;
}

std::string T(const char* time, const char* rest) { return std::string(time) + rest; }

TEST(Timeline, TimelineB31AFinishedCompactionIsNotPending) {
  const Timeline timeline =
      BuildTimeline(Files({T(kT1, ".compaction.requested"), T(kT1, ".compaction.inflight"),
                           T(kT1, "_20260307135828000.commit")}));
  ASSERT_EQ(timeline.instants.size(), 1U);
  EXPECT_EQ(timeline.instants[0].action, Action::kCompaction);
  EXPECT_EQ(timeline.instants[0].state, FileState::kCompleted);
  EXPECT_EQ(timeline.instants[0].completed, Time("20260307135828000"));
  EXPECT_TRUE(timeline.instants[0].is_plan());
  EXPECT_THAT(timeline.findings, IsEmpty());
}

TEST(Timeline, PlansKeepTheirNameWhenTheyCompleteUnderAnother) {
  const Timeline timeline = BuildTimeline(
      Files({T(kT1, ".clustering.requested"), T(kT1, "_20260307135828000.replacecommit"),
             T(kT2, ".logcompaction.inflight"), T(kT2, "_20260307135829000.deltacommit"),
             T(kT3, ".deltacommit.requested"), T(kT3, "_20260307135830000.deltacommit")}));
  ASSERT_EQ(timeline.instants.size(), 3U);
  EXPECT_EQ(timeline.Find(Time(kT1))->action, Action::kClustering);
  EXPECT_EQ(timeline.Find(Time(kT2))->action, Action::kLogCompaction);
  EXPECT_EQ(timeline.Find(Time(kT3))->action, Action::kDeltaCommit);
  EXPECT_FALSE(timeline.Find(Time(kT3))->is_plan());
  EXPECT_EQ(timeline.Find(Time("20260307135829223")), nullptr);
}

TEST(Timeline, InflightCountsMoreThanRequested) {
  const Timeline timeline =
      BuildTimeline(Files({T(kT1, ".inflight"), T(kT1, ".commit.requested")}));
  ASSERT_EQ(timeline.instants.size(), 1U);
  EXPECT_EQ(timeline.instants[0].state, FileState::kInflight);
  EXPECT_EQ(timeline.instants[0].action, Action::kCommit);
}

TEST(Timeline, TimelineB32InLayoutOneOnlyTheContentTellsAClusteringFromAnOverwrite) {
  const auto files = Files({T(kT1, ".replacecommit.requested"), T(kT2, ".replacecommit.requested"),
                            T(kT2, ".replacecommit.inflight")});
  const Timeline timeline = BuildTimeline(files, {Time(kT1)});
  EXPECT_EQ(timeline.Find(Time(kT1))->action, Action::kClustering);
  EXPECT_TRUE(timeline.Find(Time(kT1))->is_plan());
  EXPECT_EQ(timeline.Find(Time(kT2))->action, Action::kReplaceCommit);
  EXPECT_FALSE(timeline.Find(Time(kT2))->is_plan());
  EXPECT_THAT(timeline.findings, IsEmpty());
}

TEST(Timeline, TimelineA34AnActionThatWasCompletedTwiceIsReportedAndTheEarlierCounts) {
  const Timeline timeline =
      BuildTimeline(Files({T(kT1, ".compaction.requested"), T(kT1, "_20260307135829000.commit"),
                           T(kT1, "_20260307135828000.commit")}));
  ASSERT_EQ(timeline.instants.size(), 1U);
  EXPECT_EQ(timeline.instants[0].completed, Time("20260307135828000"));
  ASSERT_EQ(timeline.findings.size(), 1U);
  EXPECT_EQ(timeline.findings[0].kind, FindingKind::kCompletedTwice);
  EXPECT_EQ(timeline.findings[0].instant, Time(kT1));
  EXPECT_THAT(timeline.findings[0].text, AllOf(HasSubstr(T(kT1, "_20260307135828000.commit")),
                                               HasSubstr(T(kT1, "_20260307135829000.commit"))));
}

TEST(Timeline, TimelineW21TwoActionsWithOneRequestedTimeAreReported) {
  for (const std::vector<std::string>& names : std::vector<std::vector<std::string>>{
           {T(kT1, "_20260307135828000.deltacommit"), T(kT1, ".compaction.requested")},
           {T(kT1, "_20260307135828000.deltacommit"), T(kT1, "_20260307135828001.commit")},
           {T(kT1, ".deltacommit.inflight"), T(kT1, ".compaction.requested")},
           {T(kT1, ".clean.requested"), T(kT1, ".rollback.requested")},
           {T(kT1, ".compaction.requested"), T(kT1, ".commit.requested")}}) {
    const Timeline timeline = BuildTimeline(Files(names));
    EXPECT_EQ(timeline.instants.size(), 1U);
    ASSERT_EQ(timeline.findings.size(), 1U) << names[0] << " " << names[1];
    EXPECT_EQ(timeline.findings[0].kind, FindingKind::kTwoActions);
    EXPECT_THAT(timeline.findings[0].text, AllOf(HasSubstr(names[0]), HasSubstr(names[1])));
  }
}

TEST(Timeline, TimelineW22ACompletionBeforeItsRequestIsReported) {
  const Timeline timeline = BuildTimeline(Files({T(kT1, "_20260307135827700.deltacommit")}));
  EXPECT_EQ(timeline.instants[0].completed, Time(kT1));
  ASSERT_EQ(timeline.findings.size(), 1U);
  EXPECT_EQ(timeline.findings[0].kind, FindingKind::kCompletedEarly);
}

TEST(Timeline, ANameWithoutItsCompletionTimeIsReportedOnlyAmongNamesThatHaveOne) {
  const std::vector<std::string> old = {T(kT1, ".deltacommit"), T(kT2, ".commit")};
  EXPECT_THAT(BuildTimeline(Files(old)).findings, IsEmpty());
  std::vector<std::string> mixed = old;
  mixed.push_back(T(kT3, "_20260307135830000.deltacommit"));
  const Timeline timeline = BuildTimeline(Files(mixed));
  ASSERT_EQ(timeline.findings.size(), 2U);
  EXPECT_EQ(timeline.findings[0].kind, FindingKind::kNoCompletionTime);
  EXPECT_EQ(timeline.Find(Time(kT1))->completed, std::nullopt);
}

TEST(Timeline, TheOrderOfTheListingDoesNotMatter) {
  std::vector<std::string> names = {T(kT1, ".compaction.requested"),
                                    T(kT1, "_20260307135828000.commit"),
                                    T(kT2, ".inflight"),
                                    T(kT2, ".commit.requested"),
                                    T(kT3, "_20260307135830000.clean"),
                                    T(kT3, ".rollback.requested")};
  const Timeline first = BuildTimeline(Files(names));
  std::sort(names.begin(), names.end());
  do {
    const Timeline other = BuildTimeline(Files(names));
    ASSERT_EQ(other.instants, first.instants);
    ASSERT_EQ(other.findings, first.findings);
  } while (std::next_permutation(names.begin(), names.end()));
}

TEST(CompletionIndex, EachStateOfAnInstant) {
  const Timeline timeline =
      BuildTimeline(Files({T(kT1, ".savepoint.inflight"), T(kT2, "_20260307135829000.commit"),
                           T(kT3, ".deltacommit.inflight")}));
  const Instant archived = At(10);
  const Instant undone = Time("20260307135828500");
  const CompletionIndex index(timeline, std::vector<ArchivedInstant>{{archived, At(12)}}, {undone});
  using State = CompletionState;
  EXPECT_EQ(index.Lookup(archived), (CompletionAnswer{State::kCompleted, At(12)}));
  EXPECT_EQ(index.Lookup(Time(kT2)),
            (CompletionAnswer{State::kCompleted, Time("20260307135829000")}));
  EXPECT_EQ(index.Lookup(Time(kT3)).state, State::kPending);
  EXPECT_EQ(index.Lookup(undone).state, State::kRolledBack);
  EXPECT_EQ(index.Lookup(At(11)).state, State::kUnknown);
  EXPECT_EQ(index.Lookup(Time("20260307135828600")).state, State::kOrphan);
  EXPECT_EQ(index.active_since(), Time(kT2)) << "a savepoint does not begin the timeline";
}

TEST(CompletionIndex, WithoutAnArchiveOldInstantsAreUnknownAndNotPending) {
  const Timeline timeline = BuildTimeline(Files({T(kT2, "_20260307135829000.commit")}));
  const CompletionIndex index(timeline, std::nullopt, {});
  EXPECT_FALSE(index.archive_readable());
  EXPECT_EQ(index.Lookup(Time(kT1)).state, CompletionState::kUnknown);
}

TEST(CompletionIndex, OldNamesCompleteWhenTheyWereRequested) {
  const CompletionIndex index(BuildTimeline(Files({T(kT1, ".deltacommit")})), std::nullopt, {});
  EXPECT_EQ(index.Lookup(Time(kT1)), (CompletionAnswer{CompletionState::kCompleted, Time(kT1)}));
}

TEST(CompletionIndex, TheTimelineKnowsMoreThanAnArchiveThatIsBeingWritten) {
  const Timeline timeline = BuildTimeline(Files({T(kT1, "_20260307135829000.commit")}));
  const CompletionIndex index(
      timeline, std::vector<ArchivedInstant>{{Time(kT1), Time("20260307135829000")}}, {});
  EXPECT_EQ(index.Lookup(Time(kT1)).completed, Time("20260307135829000"));
}

}  // namespace
}  // namespace catalogd::coord
