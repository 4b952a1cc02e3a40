// Reads as of a time that miss a commit or show one that is not stored; incremental readers that
// get rows twice, never, or a silent gap.
#include <gmock/gmock.h>

#include "tests/unit/coord_service/read_world.h"

namespace catalogd::coord {
namespace {

using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReadHistory : public testing::ReadWorld {
 protected:
  ReadHistory() { Make(TableType::kDeltaWithKeys); }

  void Write(OpClass op, Span span, const std::string& added, const std::string& removed = "") {
    Commit commit{op, span, {{"p=1", "g1", added}}, {}, {}};
    if (!removed.empty()) commit.removed = {{"p=1", "g1", removed}};
    ASSERT_EQ(Add(commit), "");
  }
  // The vendor's example and more: d1, d2, their compaction, d3, an overwrite.
  void Fill() {
    Write(OpClass::kInsert, {8, 10}, "d1");
    Write(OpClass::kInsert, {18, 20}, "d2");
    Write(OpClass::kMajor, {19, 25}, "b1", "d1");
    Write(OpClass::kInsert, {28, 30}, "d3");
    Write(OpClass::kOverwrite, {38, 40}, "o1", "b1");
  }

  std::string VersionAt(const std::string& kind, int64_t number) {
    api::GetFileSlicesRequest request;
    request.caller = Caller();
    request.read_point.kind = kind;
    if (kind == "ID") {
      request.read_point.id_version = number;
    } else {
      request.read_point.instant = At(number).text();
    }
    const auto page = Slices(request);
    return page ? std::to_string(page->id_version) : CodeOf(page);
  }
  static api::GetIncrementalRequest Range(const std::string& axis, const std::string& from = "",
                                          const std::string& to = "") {
    api::GetIncrementalRequest request;
    request.caller = Caller();
    request.axis = axis;
    request.from_exclusive = from;
    request.to_inclusive = to;
    return request;
  }
  static std::string Time(int64_t number) { return std::string(At(number).text()); }
  // "1:d1 5:o1,-b1 (overwrites) next 5 (more)"
  std::string Show(const api::GetIncrementalRequest& request) {
    const auto result = reads_->Incremental(request);
    if (!result) return CodeOf(result);
    std::string text;
    for (const api::ChangedVersion& change : result->changes) {
      text += std::to_string(change.id_version) + ":";
      for (const auto& file : change.added) text += file.name;
      for (const auto& file : change.removed) text += ",-" + file.name;
      text += " ";
    }
    if (result->overwrites) text += "(overwrites) ";
    const std::string& next = result->next_from;
    text += "next " + (request.axis == "ID" ? next : testing::Short(*Instant::Parse(next)));
    return text + (result->more ? " (more)" : "");
  }
  std::vector<std::string> ListVersions(int64_t from, int64_t to, int32_t limit) {
    api::ListVersionsRequest request;
    request.caller = Caller();
    request.from_id = from;
    request.to_id = to;
    request.limit = limit;
    const auto versions = reads_->Versions(request);
    if (!versions) return {CodeOf(versions)};
    std::vector<std::string> texts;
    for (const api::VersionInfo& info : *versions) {
      texts.push_back(fmt::format("{} {} +{} -{}{}", info.id_version, info.op, info.added,
                                  info.removed, info.time_version.empty() ? "" : " timed"));
    }
    return texts;
  }
};

TEST_F(ReadHistory, EachReadPointNamesAVersion) {
  EXPECT_EQ(VersionAt("LATEST", 1), "0");
  EXPECT_EQ(VersionAt("ID", 0), "0");
  EXPECT_EQ(VersionAt("TIME", 5), "0");
  Fill();
  EXPECT_EQ(VersionAt("LATEST", 1), "5");
  EXPECT_EQ(VersionAt("ID", 3), "3");
  EXPECT_EQ(VersionAt("ID", 6), "INVALID_ARGUMENT");
  EXPECT_EQ(VersionAt("ID", -1), "INVALID_ARGUMENT");
  // Services improve what was there at the time.
  EXPECT_EQ(VersionAt("TIME", 9), "0");
  EXPECT_EQ(VersionAt("TIME", 19), "1");
  EXPECT_EQ(VersionAt("TIME", 20), "3");
  EXPECT_EQ(VersionAt("TIME", 99), "5");
  EXPECT_EQ(VersionAt("COMPLETION", 24), "2");
  EXPECT_EQ(VersionAt("COMPLETION", 25), "3");
  EXPECT_EQ(VersionAt("REQUESTED", 7), "0");
  EXPECT_EQ(VersionAt("REQUESTED", 18), "2");
  EXPECT_EQ(VersionAt("REQUESTED", 19), "3");
  api::GetFileSlicesRequest request;
  request.caller = Caller();
  request.read_point.kind = "TIME";
  EXPECT_EQ(CodeOf(Slices(request)), "INVALID_ARGUMENT") << "no instant";
}

TEST_F(ReadHistory, BelowTheRetainedHistoryEveryPointIsExpired) {
  Fill();
  ASSERT_EQ(ForgetUpTo(3), "");
  EXPECT_EQ(VersionAt("ID", 2), "VERSION_EXPIRED");
  EXPECT_EQ(VersionAt("ID", 3), "3");
  EXPECT_EQ(VersionAt("TIME", 24), "VERSION_EXPIRED");
  EXPECT_EQ(VersionAt("TIME", 25), "3");
  EXPECT_EQ(VersionAt("COMPLETION", 24), "VERSION_EXPIRED");
  EXPECT_EQ(VersionAt("COMPLETION", 29), "3");
  EXPECT_EQ(VersionAt("REQUESTED", 19), "VERSION_EXPIRED");
  EXPECT_EQ(VersionAt("REQUESTED", 27), "3");
  EXPECT_EQ(VersionAt("REQUESTED", 28), "4");
}

// What is prepared, or committed and not on the disk yet, is nobody's to see.
TEST_F(ReadHistory, OnlyWhatIsDurableIsTold) {
  Fill();
  ASSERT_EQ(Prepare({OpClass::kInsert, {48, 50}, {{"p=1", "g1", "d4"}}, {}, {}}), "");
  const auto commit = [](TableState* state) {
    TableRecord record = state->record();
    record.row.id_version = IdVersion(6);
    state->Apply(record);
    TxnRecord txn = *state->FindTxnOfVersion(IdVersion(6));
    txn.row.state = TxnState::kCommitted;
    state->Apply(txn);
  };
  for (const bool committed : {false, true}) {
    if (committed) {
      const MutexLock lock(table_->mutex);
      commit(&table_->state);
    }
    EXPECT_EQ(VersionAt("LATEST", 1), "5");
    EXPECT_EQ(VersionAt("TIME", 99), "5");
    EXPECT_EQ(VersionAt("ID", 6), "INVALID_ARGUMENT");
    EXPECT_EQ(Show(Range("ID", "5")), "next 5");
    EXPECT_EQ(Show(Range("TIME", Time(40), Time(99))), "next 40");
    EXPECT_THAT(ListVersions(6, 0, 0), IsEmpty());
  }
  {
    const MutexLock lock(table_->mutex);
    table_->state.RaiseDurable(IdVersion(6));
  }
  EXPECT_EQ(VersionAt("LATEST", 1), "6");
  EXPECT_EQ(Show(Range("ID", "5")), "6:d4 next 6");
}

// A commit that was answered is in every later read.
TEST_F(ReadHistory, OnesOwnWriteIsRead) {
  for (int64_t version = 1; version <= 20; ++version) {
    Write(OpClass::kInsert, {10 * version, 10 * version + 1}, "d" + std::to_string(version));
    EXPECT_EQ(VersionAt("LATEST", 1), std::to_string(version));
  }
}

TEST_F(ReadHistory, RangesOfIds) {
  Fill();
  EXPECT_EQ(Show(Range("ID")), "1:d1 2:d2 4:d3 5:o1,-b1 (overwrites) next 5");
  EXPECT_EQ(Show(Range("ID", "1", "4")), "2:d2 4:d3 next 4");
  EXPECT_EQ(Show(Range("ID", "2", "3")), "next 3");
  EXPECT_EQ(Show(Range("ID", "5")), "next 5");
  EXPECT_EQ(Show(Range("ID", "0", "99")), Show(Range("ID")));
  auto services = Range("ID", "1", "3");
  services.include_services = true;
  EXPECT_EQ(Show(services), "2:d2 3:b1,-d1 next 3");
}

TEST_F(ReadHistory, RangesOfTimesNeverHaveServices) {
  Fill();
  auto range = Range("TIME", Time(10), Time(30));
  EXPECT_EQ(Show(range), "2:d2 4:d3 next 30");
  range.include_services = true;
  EXPECT_EQ(Show(range), "2:d2 4:d3 next 30");
  range.axis = "COMPLETION";
  EXPECT_EQ(Show(range), "2:d2 3:b1,-d1 4:d3 next 30");
  // An end that lies ahead is the newest commit: what completes later is not passed over.
  EXPECT_EQ(Show(Range("COMPLETION", Time(30), Time(99))), "5:o1,-b1 (overwrites) next 40");
  EXPECT_EQ(Show(Range("TIME")), "1:d1 2:d2 4:d3 5:o1,-b1 (overwrites) next 40");
}

TEST_F(ReadHistory, WhatALimitLeavesIsInTheNextRange) {
  Fill();
  for (const std::string axis : {"ID", "TIME", "COMPLETION"}) {
    auto request = Range(axis);
    request.limit = 2;
    std::vector<int64_t> versions;
    for (bool more = true; more;) {
      const auto result = reads_->Incremental(request);
      ASSERT_TRUE(result);
      ASSERT_LE(result->changes.size(), 2U);
      for (const auto& change : result->changes) versions.push_back(change.id_version);
      request.from_exclusive = result->next_from;
      more = result->more;
    }
    EXPECT_THAT(versions, ElementsAre(1, 2, 4, 5)) << axis;
  }
}

TEST_F(ReadHistory, ARangeThatBeginsBeforeTheHistoryIsNoSilentGap) {
  Fill();
  ASSERT_EQ(ForgetUpTo(2), "");
  for (const auto& range : {Range("ID"), Range("ID", "1"), Range("TIME", Time(19)),
                            Range("COMPLETION"), Range("TIME")}) {
    const auto result = reads_->Incremental(range);
    ASSERT_FALSE(result);
    EXPECT_EQ(CodeOf(result), "VERSION_EXPIRED");
    EXPECT_EQ(result.error().details.at("oldest_version"), "2");
    EXPECT_EQ(result.error().details.at("oldest_time"), Time(20));
  }
  EXPECT_EQ(Show(Range("ID", "2", "4")), "4:d3 next 4");
  EXPECT_EQ(Show(Range("TIME", Time(20), Time(30))), "4:d3 next 30");
}

TEST_F(ReadHistory, WrongRangesAreRefused) {
  Fill();
  for (auto range :
       {Range("id"), Range("ID", "x"), Range("ID", "-1"), Range("ID", "1 "), Range("ID", "3", "2"),
        Range("ID", "9"), Range("TIME", "7"), Range("TIME", Time(30), Time(20))}) {
    EXPECT_EQ(Show(range), "INVALID_ARGUMENT") << range.axis << " " << range.from_exclusive;
  }
  auto range = Range("ID");
  range.limit = -1;
  EXPECT_EQ(Show(range), "INVALID_ARGUMENT");
}

TEST_F(ReadHistory, VersionsAreListedFromTheOldestOn) {
  EXPECT_THAT(ListVersions(0, 0, 0), IsEmpty());
  Fill();
  EXPECT_THAT(ListVersions(0, 0, 0),
              ElementsAre("1 INSERT +1 -0 timed", "2 INSERT +1 -0 timed", "3 MAJOR +1 -1",
                          "4 INSERT +1 -0 timed", "5 OVERWRITE +1 -1 timed"));
  EXPECT_THAT(ListVersions(2, 3, 0), ElementsAre("2 INSERT +1 -0 timed", "3 MAJOR +1 -1"));
  EXPECT_THAT(ListVersions(0, 4, 2), ElementsAre("3 MAJOR +1 -1", "4 INSERT +1 -0 timed"));
  EXPECT_THAT(ListVersions(0, 0, 99).size(), 5U);
  EXPECT_THAT(ListVersions(4, 3, 0), ElementsAre("INVALID_ARGUMENT"));
  EXPECT_THAT(ListVersions(-1, 0, 0), ElementsAre("INVALID_ARGUMENT"));
  EXPECT_THAT(ListVersions(0, 0, -1), ElementsAre("INVALID_ARGUMENT"));
  // What is forgotten keeps its times.
  ASSERT_EQ(ForgetUpTo(2), "");
  EXPECT_THAT(ListVersions(2, 3, 0), ElementsAre("2 INSERT +0 -0 timed", "3 MAJOR +1 -1"));
}

TEST_F(ReadHistory, WhatBecameOfAnInstant) {
  Fill();
  ASSERT_EQ(Prepare({OpClass::kInsert, {48, 50}, {}, {}, {}}), "");
  ASSERT_EQ(Open(51), "");
  ASSERT_EQ(Open(52, TxnState::kAborted), "");
  ASSERT_EQ(Plan(1, 61, PlanType::kCompact, {}), "");
  ASSERT_EQ(Plan(2, 62, PlanType::kCompact, {}, PlanState::kCancelled), "");
  ASSERT_EQ(Plan(3, 63, PlanType::kCompact, {}, PlanState::kFailed), "");
  ASSERT_EQ(ForgetUpTo(1), "");
  api::GetCompletionTimesRequest request;
  request.caller = Caller();
  for (const int64_t instant : {8, 18, 19, 48, 51, 52, 61, 62, 63, 99, 18}) {
    request.requested.push_back(Time(instant));
  }
  const auto times = reads_->CompletionTimes(request);
  ASSERT_TRUE(times);
  std::vector<std::string> texts;
  for (const api::CompletionTime& time : *times) {
    texts.push_back(testing::Short(*Instant::Parse(time.requested)) + " " + time.state);
    if (!time.completed.empty()) {
      texts.back() += " " + testing::Short(*Instant::Parse(time.completed));
    }
  }
  EXPECT_THAT(texts, ElementsAre("8 COMPLETED 10", "18 COMPLETED 20", "19 COMPLETED 25",
                                 "48 PENDING", "51 PENDING", "52 ROLLED_BACK", "61 PENDING",
                                 "62 ROLLED_BACK", "63 PENDING", "99 UNKNOWN", "18 COMPLETED 20"));
  request.requested = {"yesterday"};
  EXPECT_EQ(CodeOf(reads_->CompletionTimes(request)), "INVALID_ARGUMENT");
}

// What another daemon has, or what is no more, is not what this one remembers.
TEST_F(ReadHistory, AHeldTableIsReadAndALostOneIsNot) {
  Fill();
  const auto hold = [&](TableHold how) {
    const MutexLock lock(table_->mutex);
    table_->state.SetHold(how, "because");
  };
  hold(TableHold::kRecovering);
  EXPECT_EQ(VersionAt("LATEST", 1), "5");
  hold(TableHold::kNotOwner);
  EXPECT_EQ(VersionAt("LATEST", 1), "NOT_OWNER");
  EXPECT_EQ(Show(Range("ID")), "NOT_OWNER");
  EXPECT_THAT(ListVersions(0, 0, 0), ElementsAre("NOT_OWNER"));
  hold(TableHold::kNone);
  {
    const MutexLock lock(table_->mutex);
    TableRecord record = table_->state.record();
    record.row.dropped = true;
    table_->state.Apply(record);
  }
  EXPECT_EQ(VersionAt("LATEST", 1), "TABLE_GONE");
  EXPECT_EQ(Show(Range("ID")), "TABLE_GONE");
}

class Waiting : public ReadHistory {
 protected:
  void Wait(int64_t version, const std::string& instant, int64_t timeout_ms) {
    api::WaitForVersionRequest request;
    request.caller = Caller();
    request.id_version = version;
    request.instant = instant;
    request.timeout_ms = timeout_ms;
    reads_->WaitForVersion(request, [this](CoordResult<api::WaitForVersionResult> result) {
      answers_.push_back(result ? std::to_string(result->id_version) : CodeOf(result));
    });
  }
  std::vector<std::string> Answers() {
    executor_.RunAll();
    return std::exchange(answers_, {});
  }
  std::vector<std::string> answers_;
};

TEST_F(Waiting, IsAnsweredByTheCommitItWaitsFor) {
  Write(OpClass::kInsert, {8, 10}, "d1");
  Wait(1, "", 0);
  Wait(0, Time(9), 0);
  EXPECT_THAT(Answers(), ElementsAre("1", "1"));
  Wait(2, "", 60'000);
  Wait(0, Time(11), 60'000);
  Wait(3, "", 60'000);
  EXPECT_THAT(Answers(), IsEmpty());
  Write(OpClass::kInsert, {18, 20}, "d2");
  // The writer's thread says so after the commit was answered.
  while (executor_.pending() == 0) static_cast<void>(writer_->Reload("-"));
  EXPECT_THAT(Answers(), ElementsAre("2", "2"));
  EXPECT_EQ(context_->parking.waiting(), 1U);
}

// Decided and not on the disk: a power cut would take it back.
TEST_F(Waiting, IsNotAnsweredByWhatIsNotDurable) {
  {
    const MutexLock lock(table_->mutex);
    TableRecord record = table_->state.record();
    record.row.id_version = IdVersion(1);
    table_->state.Apply(record);
  }
  Wait(1, "", 1000);
  EXPECT_THAT(Answers(), IsEmpty());
  timer_.AdvanceAndRun(std::chrono::milliseconds(1001));
  EXPECT_THAT(Answers(), ElementsAre("TIMEOUT"));
}

TEST_F(Waiting, EndsWithItsTimeAndWithTheDaemon) {
  Wait(1, "", 1000);
  timer_.AdvanceAndRun(std::chrono::milliseconds(1001));
  EXPECT_THAT(Answers(), ElementsAre("TIMEOUT"));
  Wait(1, "", INT64_MAX);
  context_->parking.Stop();
  EXPECT_THAT(Answers(), ElementsAre("STOPPING"));
}

TEST_F(Waiting, EndsWhenTheTableDoes) {
  Wait(1, "", 1000);
  {
    const MutexLock lock(table_->mutex);
    TableRecord record = table_->state.record();
    record.row.dropped = true;
    table_->state.Apply(record);
  }
  table_->Wake();
  EXPECT_THAT(Answers(), ElementsAre("TABLE_GONE"));
}

TEST_F(Waiting, IsForOneOfTheTwo) {
  Wait(0, "", 0);
  Wait(1, Time(1), 0);
  Wait(-1, "", 0);
  Wait(1, "", -1);
  Wait(0, "soon", 0);
  EXPECT_THAT(Answers(), ElementsAre("INVALID_ARGUMENT", "INVALID_ARGUMENT", "INVALID_ARGUMENT",
                                     "INVALID_ARGUMENT", "INVALID_ARGUMENT"));
}

}  // namespace
}  // namespace catalogd::coord
