// A file that a reader takes too early, too late, twice or never, while writers and compactions
// overlap. The worked examples of the reference, by their ids there.
#include "catalog/coord/slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/coord/plan_inputs.h"
#include "tests/unit/coord/group_history.h"
#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using testing::At;
using ::testing::ElementsAre;
using testing::Expect;
using testing::Group;
using ::testing::IsEmpty;
using testing::kPending;

std::string PlanOf(const Group& group, int64_t plan) {
  const GroupPlan made = PlanGroup(group.history, group.times(), At(plan), false);
  if (made.refusal != PlanRefusal::kNone) return std::string(PlanRefusalName(made.refusal));
  return group.Show(made.inputs.base, made.inputs.logs);
}

std::string MergeOrderAt(const Group& group, int64_t time) {
  const GroupView view = group.View(time);
  return group.Show(std::nullopt, MergeOrder(*view.merged, group.history.log_compactions));
}

std::string SupersededAt(const Group& group, int64_t time) {
  std::vector<LogName> superseded;
  const GroupView view = group.View(time);
  for (const SliceLog& log : view.merged->logs) {
    if (log.superseded) superseded.push_back(log.name);
  }
  return group.Show(std::nullopt, superseded);
}

TEST(Slices, TimelineW01TheExampleOfTheRfc) {
  const Group group = Group().Log("w1", {1, 3}).Log("w2", {2, 5}).Plan({4, 7});
  Expect(group, {{2, "", "nothing"},
                 {3, "1{w1}", "w1"},
                 {4, "4{}, 1{w1}", "w1"},
                 {5, "4{w2}, 1{w1}", "w1,w2"},
                 {6, "4{w2}, 1{w1}", "w1,w2"},
                 {7, "4{b4; w2}, 1{w1}", "b4 + w2"}});
  EXPECT_EQ(PlanOf(group, 4), "w1");
}

TEST(Slices, TimelineW01TheSecondWriterNeverCompletes) {
  const Group group = Group().Log("w1", {1, 3}).Log("w2", {2, kPending}).Plan({4, 7});
  Expect(group, {{7, "4{b4}, 1{w1}", "b4"}});
  EXPECT_EQ(group.Show(RawSlices(group.history, group.times(), At(7))), "4{b4; w2}, 1{w1}");
}

TEST(Slices, TimelineW02TheDemoOfTheRfc) {
  const Group group = Group()
                          .Base({10, 20})
                          .Log("l1", {21, 40})
                          .Log("l2", {30, 50})
                          .Log("l3", {35, 90})
                          .Plan({60, 80});
  Expect(group, {{20, "10{b10}", "b10"},
                 {45, "10{b10; l1}", "b10 + l1"},
                 {50, "10{b10; l1,l2}", "b10 + l1,l2"},
                 {79, "60{}, 10{b10; l1,l2}", "b10 + l1,l2"},
                 {80, "60{b60}, 10{b10; l1,l2}", "b60"},
                 {90, "60{b60; l3}, 10{b10; l1,l2}", "b60 + l3"}});
  EXPECT_EQ(PlanOf(group, 60), "b10 + l1,l2");
}

// While the compaction is pending, a reader of bases only keeps the one before it.
TEST(Slices, TimelineW02ThePlanNeverCompletes) {
  const Group group = Group()
                          .Base({10, 20})
                          .Log("l1", {21, 40})
                          .Log("l2", {30, 50})
                          .Log("l3", {35, 90})
                          .Plan({60, kPending});
  Expect(group, {{90, "60{l3}, 10{b10; l1,l2}", "b10 + l1,l2,l3"}});
  EXPECT_EQ(group.Show(group.View(79).newest_base, {}), "b10");
  EXPECT_EQ(group.View(79).pending_plan, At(60));
  EXPECT_EQ(group.View(59).pending_plan, std::nullopt);
}

TEST(Slices, TimelineW03ALateWriterOfTheTimeBeforeThePlan) {
  const Group pending = Group()
                            .Log("d1", {1, 4})
                            .Log("d3", {3, kPending})
                            .Log("d4", {4, 6})
                            .Log("d7", {7, 10})
                            .Plan({5, 12});
  Expect(pending, {{4, "1{d1}", "d1"},
                   {6, "5{d4}, 1{d1}", "d1,d4"},
                   {10, "5{d4,d7}, 1{d1}", "d1,d4,d7"},
                   {12, "5{b5; d4,d7}, 1{d1}", "b5 + d4,d7"}});
  EXPECT_EQ(PlanOf(pending, 5), "d1");
  const Group late = Group()
                         .Log("d1", {1, 4})
                         .Log("d3", {3, 14})
                         .Log("d4", {4, 6})
                         .Log("d7", {7, 10})
                         .Plan({5, 12});
  Expect(late, {{14, "5{b5; d3,d4,d7}, 1{d1}", "b5 + d3,d4,d7"}});
}

// The log is in no plan, so it must be in the slice of the plan.
TEST(Slices, TimelineW04ALogThatCompletesAtTheInstantOfThePlan) {
  const Group group = Group().Base({10, 15}).Log("a", {20, 40}).Plan({40, 50});
  Expect(group, {{40, "40{a}, 10{b10}", "b10 + a"},
                 {49, "40{a}, 10{b10}", "b10 + a"},
                 {50, "40{b40; a}, 10{b10}", "b40 + a"}});
  EXPECT_EQ(PlanOf(group, 40), "nothing_to_do");
  EXPECT_EQ(PlanOf(group, 41), "b10 + a");
}

TEST(Slices, TimelineW05LogsBeforeTheFirstBaseAreKeptAndOrderedByRequest) {
  const Group group = Group().Log("b", {3, 10}).Log("a", {5, 15}).Base({20, 25});
  Expect(group, {{15, "3{b,a}", "b,a"}, {25, "20{b20}, 3{b,a}", "b20"}});
}

TEST(Slices, TimelineW06AFailedFirstWriteHidesNothing) {
  const Group group = Group().Log("p", {1, kPending}).Log("c1", {2, 4}).Log("c2", {3, 6});
  Expect(group, {{4, "2{c1}", "c1"}, {6, "2{c1,c2}", "c1,c2"}});
  EXPECT_EQ(group.Show(RawSlices(group.history, group.times(), At(6))), "2{p,c1,c2}");
}

TEST(Slices, TimelineW07APendingOlderWriterHidesNothingAndTheAnchorIsNoIdentity) {
  const Group before = Group().Log("t1", {1, kPending}).Log("t2", {2, 4});
  Expect(before, {{3, "", "nothing"}, {4, "2{t2}", "t2"}});
  const Group after = Group().Log("t1", {1, 6}).Log("t2", {2, 4});
  Expect(after, {{4, "2{t2}", "t2"}, {6, "1{t1,t2}", "t1,t2"}});
}

TEST(Slices, TimelineW08TwoCompactions) {
  const Group group = Group()
                          .Base({10, 12})
                          .Log("a", {15, 20})
                          .Log("b", {25, 33})
                          .Plan({30, 35})
                          .Log("c", {40, 50})
                          .Log("d", {55, 66})
                          .Plan({60, 70});
  Expect(group, {{20, "10{b10; a}", "b10 + a"},
                 {29, "10{b10; a}", "b10 + a"},
                 {32, "30{}, 10{b10; a}", "b10 + a"},
                 {34, "30{b}, 10{b10; a}", "b10 + a,b"},
                 {35, "30{b30; b}, 10{b10; a}", "b30 + b"},
                 {50, "30{b30; b,c}, 10{b10; a}", "b30 + b,c"},
                 {65, "60{}, 30{b30; b,c}, 10{b10; a}", "b30 + b,c"},
                 {66, "60{d}, 30{b30; b,c}, 10{b10; a}", "b30 + b,c,d"},
                 {70, "60{b60; d}, 30{b30; b,c}, 10{b10; a}", "b60 + d"}});
  EXPECT_EQ(PlanOf(group, 30), "b10 + a");
  EXPECT_EQ(PlanOf(group, 60), "b30 + b,c");
}

TEST(Slices, TimelineW09AWriterThatOutlivesTwoCompactions) {
  const Group group = Group().Base({10, 12}).Log("x", {20, 70}).Plan({30, 35}).Plan({60, 65});
  Expect(group, {{40, "30{b30}, 10{b10}", "b30"},
                 {66, "60{b60}, 30{b30}, 10{b10}", "b60"},
                 {70, "60{b60; x}, 30{b30}, 10{b10}", "b60 + x"}});
}

TEST(Slices, TimelineW10WhatWasRolledBackIsNotThere) {
  const Group clean = Group().Base({10, 15}).RolledBack(21).Log("ok", {31, 35});
  Expect(clean, {{30, "10{b10}", "b10"}, {35, "10{b10; ok}", "b10 + ok"}});
  EXPECT_EQ(clean.Warnings(clean.View(35)), "");
  const Group left = Group().Base({10, 15}).RolledBack(21, "bad").Log("ok", {31, 35});
  Expect(left, {{35, "10{b10; ok}", "b10 + ok"}});
  EXPECT_EQ(left.Warnings(left.View(35)), "orphan 21");
  const Group forgotten = Group().Base({10, 15}).StrayLog("bad", 21).Log("ok", {31, 35});
  Expect(forgotten, {{35, "10{b10; ok}", "b10 + ok"}});
  EXPECT_EQ(forgotten.Warnings(forgotten.View(35)), "orphan 21");
  EXPECT_EQ(forgotten.Warnings(forgotten.View(20)), "");
}

TEST(Slices, TimelineW11VersionsAreNumbersAndTheEarlierInstantComesFirst) {
  const Group group = Group()
                          .Base({10, 12})
                          .LogFile("v10(1-0-1)", {20, 30}, 10, "1-0-1")
                          .LogFile("v2(1-0-1)", {20, 30}, 2, "1-0-1")
                          .LogFile("v2(0-0-1)", {20, 30}, 2, "0-0-1")
                          .Log("late", {15, 40});
  EXPECT_EQ(group.Reader(group.View(30)), "b10 + v2(0-0-1),v2(1-0-1),v10(1-0-1)");
  EXPECT_EQ(group.Reader(group.View(40)), "b10 + late,v2(0-0-1),v2(1-0-1),v10(1-0-1)");
}

// A record updated in l2 and l3 must show l3's value, so the compacted log stands where l2 stood.
TEST(Slices, TimelineW12ALogCompactionStandsInThePlaceOfItsInputs) {
  const Group group = Group()
                          .Base({10, 12})
                          .Log("l1", {20, 25})
                          .Log("l2", {30, 35})
                          .LogCompact("lc", {40, 60}, {20, 30})
                          .Log("l3", {38, 50});
  Expect(group, {{45, "10{b10; l1,l2}", "b10 + l1,l2"},
                 {55, "10{b10; l1,l2,l3}", "b10 + l1,l2,l3"},
                 {60, "10{b10; l1,l2,l3,lc}", "b10 + l1,l2,l3,lc"}});
  EXPECT_EQ(SupersededAt(group, 55), "nothing");
  EXPECT_EQ(MergeOrderAt(group, 55), "l1,l2,l3");
  EXPECT_EQ(SupersededAt(group, 60), "l1,l2");
  EXPECT_EQ(MergeOrderAt(group, 60), "lc,l3");
}

TEST(Slices, ALogCompactionOfALogCompactionStandsForAll) {
  const Group group = Group()
                          .Base({10, 12})
                          .Log("l1", {20, 25})
                          .Log("l2", {30, 35})
                          .LogCompact("lc1", {40, 45}, {20, 30})
                          .Log("l3", {50, 55})
                          .LogCompact("lc2", {60, 65}, {40, 50})
                          .Log("l4", {70, 75});
  EXPECT_EQ(MergeOrderAt(group, 45), "lc1");
  EXPECT_EQ(MergeOrderAt(group, 55), "lc1,l3");
  EXPECT_EQ(MergeOrderAt(group, 75), "lc2,l4");
}

TEST(Slices, TimelineW13ALogCompactionWhoseInputsAreInTheBaseContributesNothing) {
  const Group group = Group()
                          .Base({10, 12})
                          .Log("l1", {20, 25})
                          .Log("l2", {30, 35})
                          .LogCompact("lc", {40, 60}, {20, 30})
                          .Plan({50, 70});
  Expect(group, {{60, "50{lc}, 10{b10; l1,l2}", "b10 + l1,l2,lc"},
                 {70, "50{b50; lc}, 10{b10; l1,l2}", "b50 + lc"}});
  EXPECT_EQ(MergeOrderAt(group, 60), "lc");
  EXPECT_EQ(MergeOrderAt(group, 70), "nothing");
  EXPECT_EQ(PlanGroup(group.history, group.times(), At(50), true).refusal,
            PlanRefusal::kPendingPlan)
      << "a group under log compaction is not planned";
}

TEST(Slices, TimelineW14AnUncommittedBaseHidesNothing) {
  const Group group =
      Group().Base({10, 12}).Log("a", {15, 18}).Base({20, kPending}).Log("b", {21, 23});
  Expect(group, {{23, "10{b10; a,b}", "b10 + a,b"}});
  EXPECT_EQ(group.Show(group.View(23).newest_base, {}), "b10");
}

TEST(Slices, TimelineW15ABaseThatAWriterMade) {
  const Group group = Group().Base({10, 12}).Log("a", {15, 18}).Base({20, 30});
  Expect(group, {{25, "10{b10; a}", "b10 + a"}, {30, "20{b20}, 10{b10; a}", "b20"}});
}

TEST(Slices, TimelineW16AClusteringMovesTheRowsToAnotherGroup) {
  const Group g1 = Group().Base({10, 12}).Log("a", {15, 18}).Replaced({30, 45}, true);
  const Group g2 = Group().Base({30, 45});
  Expect(g1, {{44, "10{b10; a}", "b10 + a"}, {45, "", "nothing"}});
  EXPECT_TRUE(g1.View(45).replaced);
  EXPECT_FALSE(g1.View(44).replaced);
  EXPECT_EQ(g1.Warnings(g1.View(45)), "");
  EXPECT_EQ(PlanOf(g1, 50), "nothing_to_do");
  Expect(g2, {{44, "", "nothing"}, {45, "30{b30}", "b30"}});
}

TEST(Slices, TimelineW16ALogWrittenDuringTheClusteringIsReportedAsStranded) {
  const Group group =
      Group().Base({10, 12}).Replaced({30, 45}, true).Log("lost", {28, 50}).Log("ok", {15, 18});
  EXPECT_EQ(group.Warnings(group.View(45)), "");
  EXPECT_EQ(group.Warnings(group.View(50)), "stranded 28");
}

TEST(Slices, TimelineW17AnOverwriteWinsOverAnInsertThatCameBeforeIt) {
  const Group g2 = Group().Base({10, 12}).Log("new", {45, 55}).Replaced({40, 60}, false);
  const Group g3 = Group().Base({40, 60});
  Expect(g2, {{55, "10{b10; new}", "b10 + new"}, {60, "", "nothing"}});
  EXPECT_EQ(g2.Warnings(g2.View(60)), "") << "stated behaviour, not an accident";
  Expect(g3, {{55, "", "nothing"}, {60, "40{b40}", "b40"}});
}

TEST(Slices, TimelineW18ACleanKeepsWhatAPendingPlanOrAReaderNeeds) {
  const Group pending =
      Group().Log("d1", {1, 4}).Log("d4", {4, 6}).Log("d7", {7, 10}).Plan({5, kPending});
  const std::string d1 = ToFileName(pending.history.logs[0]);
  CleanRules rules{At(10), At(10), {}, {d1}};
  EXPECT_THAT(RemovableFiles(pending.history, pending.times(), rules), IsEmpty());

  const Group done = Group().Log("d1", {1, 4}).Log("d4", {4, 6}).Log("d7", {7, 10}).Plan({5, 12});
  rules = {At(12), At(12), {}, {}};
  EXPECT_THAT(RemovableFiles(done.history, done.times(), rules), ElementsAre(d1));
  rules.pins = {At(11)};
  EXPECT_THAT(RemovableFiles(done.history, done.times(), rules), IsEmpty());
  rules.pins = {At(3)};
  EXPECT_THAT(RemovableFiles(done.history, done.times(), rules), ElementsAre(d1));
  rules = {At(12), At(11), {}, {}};
  EXPECT_THAT(RemovableFiles(done.history, done.times(), rules), IsEmpty())
      << "readers may still ask for 11";
  rules = {At(12), At(12), {}, {d1}};
  EXPECT_THAT(RemovableFiles(done.history, done.times(), rules), IsEmpty());
}

// A log older than the base of its slice is needed: it lies in the newer slice by its completion.
TEST(Slices, ACleanDoesNotGoByTheInstantsInNames) {
  const Group group = Group().Log("d1", {1, 4}).Log("d3", {3, 14}).Plan({5, 12});
  EXPECT_THAT(RemovableFiles(group.history, group.times(), {At(20), At(20), {}, {}}),
              ElementsAre(ToFileName(group.history.logs[0])));
}

TEST(Slices, ACleanLeavesWhatIsNotCommitted) {
  const Group group =
      Group().Base({10, 12}).Log("pending", {20, kPending}).StrayLog("stray", 25).Base({30, 35});
  EXPECT_THAT(RemovableFiles(group.history, group.times(), {At(40), At(40), {}, {}}),
              ElementsAre("f_0-0-1_00000000000000010.parquet"));
}

TEST(Slices, TimelineW19UpToVersionSixNamesSayTheSlice) {
  GroupHistory history;
  history.bases = {{"f", "0-0-1", At(10), "parquet"}, {"f", "0-0-1", At(30), "parquet"}};
  history.logs = {
      {"f", At(30), 1, "1-0-1", ""}, {"f", At(10), 2, "1-0-1", ""}, {"f", At(10), 1, "1-0-1", ""}};
  const std::vector<FileSlice> slices = SlicesByName(history);
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].anchor, At(30));
  EXPECT_EQ(slices[0].base, history.bases[1]);
  ASSERT_EQ(slices[0].logs.size(), 1U);
  EXPECT_EQ(slices[1].anchor, At(10));
  ASSERT_EQ(slices[1].logs.size(), 2U);
  EXPECT_EQ(slices[1].logs[0].name.version, 1);
  EXPECT_EQ(slices[1].logs[1].name.version, 2);
}

TEST(Slices, TimelineW20BeforeTheTimelineTheArchiveTells) {
  const Group readable =
      Group().StrayBase(20).StrayLog("l", 30).Archived({20, 22}).Archived({30, 35}).Log("new",
                                                                                        {50, 55});
  Expect(readable, {{34, "20{b20}", "b20"}, {60, "20{b20; l,new}", "b20 + l,new"}});
  EXPECT_EQ(readable.Warnings(readable.View(60)), "");
  EXPECT_EQ(PlanOf(readable, 60), "b20 + l,new");
}

TEST(Slices, TimelineW20WithoutTheArchiveReadersTakeItAndPlansDoNot) {
  const Group group =
      Group().StrayBase(20).StrayLog("l", 30).Log("new", {50, 55}).UnreadableArchive();
  Expect(group, {{60, "20{b20; l,new}", "b20 + l,new"}});
  EXPECT_EQ(group.Warnings(group.View(60)), "completion_unknown 20, completion_unknown 30");
  EXPECT_EQ(PlanOf(group, 60), "completion_unknown");
}

TEST(Slices, TimelineW22ACompletionBeforeItsRequestCountsAsTheRequest) {
  const Group alone = Group().Base({10, 12}).Log("l", {30, 29});
  EXPECT_EQ(alone.times().Lookup(At(30)).completed, At(30));
  Expect(alone, {{29, "10{b10}", "b10"}, {30, "10{b10; l}", "b10 + l"}});
}

TEST(Slices, TwoPendingPlansOfAGroupAreReported) {
  const Group group =
      Group().Base({10, 12}).Plan({20, kPending}).Plan({30, kPending}).Log("l", {31, 35});
  EXPECT_EQ(group.Warnings(group.View(35)), "two_pending_plans 30");
  EXPECT_EQ(group.Reader(group.View(35)), "b10 + l");
}

}  // namespace
}  // namespace catalogd::coord
