// Folders of timelines hold files of every version, and things that are none.
#include "catalog/coord/timeline_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/base/random.h"

namespace catalogd::coord {
namespace {

using ::testing::HasSubstr;

struct Name {
  const char* text;
  Action action;
  FileState state;
  const char* completed;  // Empty: none.
};

constexpr FileState kRequested = FileState::kRequested;
constexpr FileState kInflight = FileState::kInflight;
constexpr FileState kCompleted = FileState::kCompleted;

const Name kNames[] = {
    {"20260307135827749.commit.requested", Action::kCommit, kRequested, ""},
    {"20260307135827749.inflight", Action::kCommit, kInflight, ""},
    {"20260307135827749_20260307135828000.commit", Action::kCommit, kCompleted,
     "20260307135828000"},
    {"20260307135827749.deltacommit.requested", Action::kDeltaCommit, kRequested, ""},
    {"20260307135827749.deltacommit.inflight", Action::kDeltaCommit, kInflight, ""},
    {"20260307135827749_20260307135828000.deltacommit", Action::kDeltaCommit, kCompleted,
     "20260307135828000"},
    {"20260307135827749.deltacommit", Action::kDeltaCommit, kCompleted, ""},
    {"20260307135827.commit", Action::kCommit, kCompleted, ""},
    {"20260307135827749.replacecommit.requested", Action::kReplaceCommit, kRequested, ""},
    {"20260307135827749.clustering.requested", Action::kClustering, kRequested, ""},
    {"20260307135827749.clustering.inflight", Action::kClustering, kInflight, ""},
    {"20260307135827749_20260307135828000.replacecommit", Action::kReplaceCommit, kCompleted,
     "20260307135828000"},
    {"20260307135827749.compaction.requested", Action::kCompaction, kRequested, ""},
    {"20260307135827749.compaction.inflight", Action::kCompaction, kInflight, ""},
    {"20260307135827749.logcompaction.requested", Action::kLogCompaction, kRequested, ""},
    {"20260307135827749.clean.requested", Action::kClean, kRequested, ""},
    {"20260307135827749_20260307135828000.clean", Action::kClean, kCompleted, "20260307135828000"},
    {"20260307135827749_20260307135828000.rollback", Action::kRollback, kCompleted,
     "20260307135828000"},
    {"20260307135827749.restore.inflight", Action::kRestore, kInflight, ""},
    {"20260307135827749.savepoint.inflight", Action::kSavepoint, kInflight, ""},
    {"20260307135827749_20260307135828000.indexing", Action::kIndexing, kCompleted,
     "20260307135828000"},
    {"20260307135827749_20260307135828000.schemacommit", Action::kSchemaCommit, kCompleted,
     "20260307135828000"},
};

TEST(TimelineNames, EachActionInEachState) {
  for (const Name& name : kNames) {
    const auto file = ParseTimelineName(name.text);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->has_value()) << name.text;
    EXPECT_EQ((*file)->action, name.action) << name.text;
    EXPECT_EQ((*file)->state, name.state) << name.text;
    EXPECT_EQ((*file)->completed ? (*file)->completed->text() : "", name.completed) << name.text;
    EXPECT_EQ(TimelineFileName(**file), name.text);
  }
}

TEST(TimelineNames, WhatLiesBesideThemIsPassedOver) {
  for (const char* name : {"",
                           ".",
                           "..",
                           "hoodie.properties",
                           "hoodie.properties.backup",
                           "._20260307135827749.commit",
                           ".20260307135827749.commit.crc",
                           "20260307135827749.commit.crc",
                           "20260307135827749.commit.tmp",
                           "archived",
                           "history",
                           "metadata",
                           ".aux",
                           "20260307135827749",
                           "20260307135827749.",
                           "20260307135827749_.commit",
                           "_20260307135827749.commit",
                           "20260307135827749.commit.requested.old",
                           "20260307135827749.Commit",
                           "20260307135827749.commit ",
                           "20260307135827749-1.commit"}) {
    const auto file = ParseTimelineName(name);
    ASSERT_TRUE(file) << name;
    EXPECT_FALSE(file->has_value()) << name;
  }
}

struct BadName {
  const char* text;
  ErrorCode code;
  const char* says;
};

const BadName kBadNames[] = {
    {"12.commit", ErrorCode::kInvalidArgument, "'12' is not an instant"},
    {"20260307135827749_12.commit", ErrorCode::kInvalidArgument, "'12' is not an instant"},
    {"20260307135827749_20260307135828000.commit.requested", ErrorCode::kInvalidArgument,
     "a pending action has a completion time"},
    {"20260307135827749_20260307135828000.inflight", ErrorCode::kInvalidArgument,
     "a pending action has a completion time"},
    {"20260307135827749.merge.requested", ErrorCode::kUnsupported, "unknown action 'merge'"},
    {"20260307135827749.commit.aborted", ErrorCode::kUnsupported, "unknown state 'aborted'"},
    {"20260307135827749_20260307135828000.compaction", ErrorCode::kInvalidArgument,
     "a compaction completes as commit"},
};

TEST(TimelineNames, WhatLooksLikeOneAndIsNotIsAnErrorWithItsName) {
  for (const BadName& bad : kBadNames) {
    const auto file = ParseTimelineName(bad.text);
    ASSERT_FALSE(file) << bad.text;
    EXPECT_EQ(file.error().code, bad.code) << bad.text;
    EXPECT_THAT(file.error().message, HasSubstr(bad.says));
    EXPECT_THAT(file.error().message, HasSubstr(bad.text));
  }
}

TEST(TimelineNames, RandomNamesAreReadOrRefusedAndNeverWorse) {
  const std::string_view alphabet = "0123456789__..commitdelainflightrequested\xff\0 ";
  Random random(11);
  int read = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string name = random.OneIn(2) ? "20260307135827749" : "";
    for (uint64_t length = random.Below(12); length > 0; --length) {
      name += alphabet[random.Below(alphabet.size())];
    }
    if (random.OneIn(3)) name += ".commit";
    const auto file = ParseTimelineName(name);
    if (!file || !*file) continue;
    ++read;
    EXPECT_EQ(ParseTimelineName(TimelineFileName(**file)).value(), **file) << name;
  }
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace catalogd::coord
