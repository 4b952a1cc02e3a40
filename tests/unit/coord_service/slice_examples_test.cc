// A reader that misses what was committed, or gets it twice, around compactions whose inputs leave
// the live files when they commit: the worked examples as commits of a table, read at each time.
#include <gmock/gmock.h>

#include "tests/unit/coord_service/read_world.h"

namespace catalogd::coord {
namespace {

using testing::At;

class SliceExamples : public testing::ReadWorld {
 protected:
  SliceExamples() { Make(TableType::kMergeOnRead, ConflictPolicy::kHudiNbcc); }

  static std::string BaseName(int64_t instant) {
    return fmt::format("g1_0-1-1_{}.parquet", At(instant).text());
  }
  static std::string LogName(int64_t instant) {
    return fmt::format(".g1_{}.log.1_0-1-1", At(instant).text());
  }
  static Change Base(int64_t instant) { return {"p=1", "g1", BaseName(instant)}; }
  static Change Log(int64_t instant) { return {"p=1", "g1", LogName(instant)}; }

  void WriteLog(int64_t requested, int64_t completed) {
    ASSERT_EQ(Add({OpClass::kUpdate, {requested, completed}, {Log(requested)}, {}, {}}), "");
  }
  void WriteBase(int64_t requested, int64_t completed, const std::vector<Change>& removed = {}) {
    ASSERT_EQ(Add({OpClass::kInsert, {requested, completed}, {Base(requested)}, removed, {}}), "");
  }
  void PlanCompaction(int64_t requested) {
    ASSERT_EQ(Plan(requested, requested, PlanType::kCompact, {{"p=1", "g1", "", {}}}), "");
  }
  void Compact(int64_t plan, int64_t completed, const std::vector<Change>& inputs) {
    ASSERT_EQ(Add({OpClass::kMajor, {plan, completed}, {Base(plan)}, inputs, plan}), "");
  }

  // "b10 + 20,30 plan 40"
  static std::string Show(const api::FileSliceInfo& slice) {
    std::string text;
    if (!slice.base.empty()) text = "b" + slice.base.substr(slice.base.rfind('_') + 1);
    for (size_t i = 0; i < slice.logs.size(); ++i) {
      text += i > 0 ? "," : text.empty() ? "" : " + ";
      text += testing::Short(*Instant::Parse(slice.logs[i].requested));
      if (slice.logs[i].superseded) text += "!";
    }
    const size_t ending = text.find(".parquet");
    if (ending != std::string::npos) {
      const std::string digits = text.substr(1, ending - 1);
      text = "b" + testing::Short(*Instant::Parse(digits)) + text.substr(ending + 8);
    }
    if (!slice.pending_plan.empty()) {
      text += " plan " + testing::Short(*Instant::Parse(slice.pending_plan));
    }
    for (const std::string& warning : slice.warnings) text += " (" + warning + ")";
    return text;
  }
  std::string ReadAt(int64_t time, const std::string& form = "MERGED") {
    api::GetFileSlicesRequest request;
    request.caller = Caller();
    request.form = form;
    request.read_point.kind = "COMPLETION";
    request.read_point.instant = At(time).text();
    if (time == 0) request.read_point.kind = "LATEST";
    const auto page = Slices(request);
    if (!page) return CodeOf(page);
    std::string text;
    for (const api::FileSliceInfo& slice : page->slices) {
      text += (text.empty() ? "" : "; ") + Show(slice);
    }
    return text.empty() ? "nothing" : text;
  }
  std::string Latest(const std::string& form = "MERGED") { return ReadAt(0, form); }
};

// timeline W-01
TEST_F(SliceExamples, AWriterThatEndsDuringACompactionIsAboveIt) {
  WriteLog(1, 3);
  PlanCompaction(4);
  WriteLog(2, 5);
  EXPECT_EQ(Latest(), "1,2 plan 4");
  Compact(4, 7, {Log(1)});
  EXPECT_EQ(ReadAt(2), "nothing");
  EXPECT_EQ(ReadAt(3), "1");
  EXPECT_EQ(ReadAt(4), "1 plan 4");
  EXPECT_EQ(ReadAt(5), "1,2 plan 4");
  EXPECT_EQ(ReadAt(6), "1,2 plan 4");
  EXPECT_EQ(ReadAt(7), "b4 + 2");
  EXPECT_EQ(Latest(), "b4 + 2");
}

// timeline W-02
TEST_F(SliceExamples, ReadersOfBasesKeepTheOldOneDuringACompaction) {
  WriteBase(10, 20);
  WriteLog(21, 40);
  WriteLog(30, 50);
  EXPECT_EQ(Latest(), "b10 + 21,30");
  PlanCompaction(60);
  EXPECT_EQ(Latest(), "b10 + 21,30 plan 60") << "of the same version, and not the same";
  EXPECT_EQ(Latest("READ_OPTIMIZED"), "b10 plan 60");
  Compact(60, 80, {Base(10), Log(21), Log(30)});
  WriteLog(35, 90);
  EXPECT_EQ(ReadAt(20), "b10");
  EXPECT_EQ(ReadAt(45), "b10 + 21");
  EXPECT_EQ(ReadAt(50), "b10 + 21,30");
  EXPECT_EQ(ReadAt(79), "b10 + 21,30 plan 60");
  EXPECT_EQ(ReadAt(80), "b60");
  EXPECT_EQ(ReadAt(90), "b60 + 35");
  EXPECT_EQ(ReadAt(79, "READ_OPTIMIZED"), "b10 plan 60");
  EXPECT_EQ(ReadAt(90, "READ_OPTIMIZED"), "b60");
  EXPECT_EQ(ReadAt(79, "RAW"), " plan 60; b10 + 21,30 plan 60");
}

// timeline W-04
TEST_F(SliceExamples, ALogThatCompletesAtThePlansInstantIsNotInIt) {
  WriteBase(10, 15);
  WriteLog(20, 40);
  PlanCompaction(40);
  Compact(40, 50, {Base(10)});
  EXPECT_EQ(ReadAt(39), "b10");
  EXPECT_EQ(ReadAt(40), "b10 + 20 plan 40");
  EXPECT_EQ(ReadAt(49), "b10 + 20 plan 40");
  EXPECT_EQ(ReadAt(50), "b40 + 20");
}

// timeline W-08
TEST_F(SliceExamples, TwoCompactions) {
  WriteBase(10, 12);
  WriteLog(15, 20);
  PlanCompaction(30);
  WriteLog(25, 33);
  Compact(30, 35, {Base(10), Log(15)});
  WriteLog(40, 50);
  PlanCompaction(60);
  WriteLog(55, 66);
  Compact(60, 70, {Base(30), Log(25), Log(40)});
  EXPECT_EQ(ReadAt(29), "b10 + 15");
  EXPECT_EQ(ReadAt(34), "b10 + 15,25 plan 30");
  EXPECT_EQ(ReadAt(35), "b30 + 25");
  EXPECT_EQ(ReadAt(50), "b30 + 25,40");
  EXPECT_EQ(ReadAt(66), "b30 + 25,40,55 plan 60");
  EXPECT_EQ(ReadAt(70), "b60 + 55");
}

// timeline W-09
TEST_F(SliceExamples, AWriterLongerThanTwoCompactionsIsInTheNewestSlice) {
  WriteBase(10, 12);
  PlanCompaction(30);
  Compact(30, 35, {Base(10)});
  PlanCompaction(60);
  Compact(60, 65, {Base(30)});
  WriteLog(20, 70);
  EXPECT_EQ(ReadAt(40), "b30");
  EXPECT_EQ(ReadAt(66), "b60");
  EXPECT_EQ(ReadAt(70), "b60 + 20");
}

// timeline W-07
TEST_F(SliceExamples, LogsApplyInTheOrderInWhichTheyWereBegun) {
  WriteLog(3, 10);
  WriteLog(2, 15);
  EXPECT_EQ(ReadAt(10), "3");
  EXPECT_EQ(ReadAt(15), "2,3");
}

// timeline W-12. The inputs of the log compaction are not live any more, and what it holds is still
// older than what was begun after them.
TEST_F(SliceExamples, ALogCompactionAppliesWhereItsInputsStood) {
  WriteBase(10, 12);
  WriteLog(20, 25);
  WriteLog(30, 35);
  ASSERT_EQ(Plan(40, 40, PlanType::kLogCompact, {{"p=1", "g1", "", {LogName(20), LogName(30)}}}),
            "");
  WriteLog(38, 50);
  EXPECT_EQ(Latest(), "b10 + 20,30,38");
  ASSERT_EQ(Add({OpClass::kMinor, {40, 60}, {Log(40)}, {Log(20), Log(30)}, 40}), "");
  EXPECT_EQ(ReadAt(55), "b10 + 20,30,38");
  EXPECT_EQ(ReadAt(60), "b10 + 40,38");
  EXPECT_EQ(Latest("RAW"), "b10 + 38,40");
}

// The same with a client that leaves the inputs live.
TEST_F(SliceExamples, InputsThatAreLeftAreSuperseded) {
  WriteBase(10, 12);
  WriteLog(20, 25);
  WriteLog(30, 35);
  ASSERT_EQ(Plan(40, 40, PlanType::kLogCompact, {{"p=1", "g1", "", {LogName(20), LogName(30)}}}),
            "");
  WriteLog(38, 50);
  ASSERT_EQ(Add({OpClass::kMinor, {40, 60}, {Log(40)}, {}, 40}), "");
  EXPECT_EQ(ReadAt(60), "b10 + 40,38");
  EXPECT_EQ(ReadAt(60, "RAW"), "b10 + 20!,30!,38,40");
}

// A log compaction whose inputs went into a base with it, and one that nobody planned here.
TEST_F(SliceExamples, AResultWithoutItsInputsIsALogLikeAllOthers) {
  WriteLog(20, 25);
  ASSERT_EQ(Plan(40, 40, PlanType::kLogCompact, {{"p=1", "g1", "", {"no log at all"}}}), "");
  ASSERT_EQ(Add({OpClass::kMinor, {40, 60}, {Log(40)}, {Log(20)}, 40}), "");
  EXPECT_EQ(Latest(), "40");
}

// What is live was committed. A name of another instant than its transaction's hides nothing.
TEST_F(SliceExamples, ANameOfNoInstantOfTheTableIsSeen) {
  WriteBase(10, 12);
  ASSERT_EQ(Add({OpClass::kUpdate, {20, 25}, {Log(7)}, {}, {}}), "");
  ASSERT_EQ(Add({OpClass::kUpdate, {30, 35}, {{"p=1", "g1", "delta-17"}}, {}, {}}), "");
  api::GetFileSlicesRequest request;
  request.caller = Caller();
  const auto page = Slices(request);
  ASSERT_TRUE(page);
  ASSERT_EQ(page->slices.size(), 1U);
  ASSERT_EQ(page->slices[0].logs.size(), 2U);
  EXPECT_EQ(page->slices[0].logs[0].name, LogName(7));
  EXPECT_EQ(page->slices[0].logs[0].requested, At(20).text());
  EXPECT_EQ(page->slices[0].logs[0].completed, At(25).text());
  EXPECT_EQ(page->slices[0].logs[1].name, "delta-17");
  EXPECT_EQ(page->slices[0].logs[1].size, 8);
  EXPECT_TRUE(page->slices[0].warnings.empty());
}

// timeline W-15, W-16, W-17
TEST_F(SliceExamples, WhatAnOverwriteReplacedIsGone) {
  WriteBase(10, 12);
  WriteLog(15, 18);
  WriteBase(20, 30, {Base(10), Log(15)});
  ASSERT_EQ(Add({OpClass::kOverwrite,
                 {40, 60},
                 {{"p=1", "g3", fmt::format("g3_0-1-1_{}.parquet", At(40).text())}},
                 {Base(20)},
                 {}}),
            "");
  EXPECT_EQ(ReadAt(25), "b10 + 15");
  EXPECT_EQ(ReadAt(30), "b20");
  EXPECT_EQ(ReadAt(60), "b40");
}

}  // namespace
}  // namespace catalogd::coord
