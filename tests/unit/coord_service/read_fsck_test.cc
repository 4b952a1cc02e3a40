// A check that calls a file of a running job a stray, or passes over one that is lost.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "catalog/coord/service/read_folder.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/coord_service/read_world.h"

namespace catalogd::coord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReadFsck : public testing::ReadWorld {
 protected:
  void Touch(const std::string& path) {
    const std::filesystem::path file = std::filesystem::path(folder_ / "orders") / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "x";
  }
  CoordResult<api::FsckReport> Fsck() {
    api::FsckRequest request;
    request.caller = Caller();
    return Ask<api::FsckReport>([&](auto done) { reads_->Fsck(request, std::move(done)); });
  }
  catalogd::testing::TemporaryDirectory folder_;
};

TEST_F(ReadFsck, WhatIsThereAndWhatIsNot) {
  Make(TableType::kDeltaWithKeys, ConflictPolicy::kMaxCompute, "file:" + (folder_ / "orders"));
  ASSERT_EQ(Add({OpClass::kInsert,
                 {10, 11},
                 {{"p=1", "g1", "d1"}, {"p=1", "g1", "d2"}, {"p=2", "g1", "d1"}},
                 {},
                 {}}),
            "");
  ASSERT_EQ(Add({OpClass::kMajor, {20, 21}, {{"p=1", "g1", "b1"}}, {{"p=1", "g1", "d1"}}, {}}), "");
  ASSERT_EQ(Prepare({OpClass::kInsert, {30, 31}, {{"p=1", "g1", "d3"}}, {}, {}}), "");
  TxnRecord open;
  open.table_id = kId;
  open.row.txn_id = 100;
  open.row.requested = testing::At(40);
  open.attempt_files = {"p=1/announced", "by name"};
  ASSERT_EQ(Store({open}), "");
  PlanRecord plan;
  plan.table_id = kId;
  plan.row.id = PlanId(1);
  plan.row.requested = testing::At(50);
  plan.row.files = {{Fence(3), "of a plan"}};
  ASSERT_EQ(Store({plan}), "");
  for (const char* path :
       {"p=1/d1", "p=1/b1", "p=1/d3", "p=2/d1", "p=1/announced", "p=2/by name", "p=2/of a plan",
        "p=1/stray", "stray", "p=1/.g1_00000000000000010.log.1_0-1-1", "p=1/_SUCCESS", "p=1/.crc",
        ".hoodie/x", "_temporary/0/y", ".hoodie_partition_metadata"}) {
    Touch(path);
  }
  const auto report = Fsck();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->folder_checked) << report->note;
  EXPECT_THAT(report->strays,
              ElementsAre("p=1/.g1_00000000000000010.log.1_0-1-1", "p=1/stray", "stray"));
  EXPECT_THAT(report->missing, ElementsAre("p=1/d2"));
  EXPECT_THAT(report->duplicates, IsEmpty()) << "one of the two is removed";
  EXPECT_EQ(report->live_files, 3);
}

TEST_F(ReadFsck, OneNameTwice) {
  Make(TableType::kDeltaWithKeys);
  ASSERT_EQ(Add({OpClass::kInsert, {10, 11}, {{"p=1", "g1", "d1"}, {"p=2", "g1", "d1"}}, {}, {}}),
            "");
  const auto report = Fsck();
  ASSERT_TRUE(report);
  ASSERT_EQ(report->duplicates.size(), 1U);
  EXPECT_THAT(report->duplicates[0], HasSubstr("partition 'p=2'"));
  EXPECT_FALSE(report->folder_checked);
  EXPECT_THAT(report->note, HasSubstr("hdfs://nn/orders"));
}

TEST_F(ReadFsck, AFolderThatIsNotThere) {
  Make(TableType::kDeltaWithKeys, ConflictPolicy::kMaxCompute, folder_ / "no such");
  const auto report = Fsck();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->folder_checked);
  EXPECT_THAT(report->note, HasSubstr("no such"));
  EXPECT_THAT(report->missing, IsEmpty());
}

TEST_F(ReadFsck, AFullQueueIsSaid) {
  Make(TableType::kDeltaWithKeys);
  executor_.ShutDown();
  EXPECT_EQ(CodeOf(Fsck()), "STOPPING");
}

TEST(LocalFolder, OfAPlace) {
  EXPECT_EQ(LocalFolder("/a/b"), "/a/b");
  EXPECT_EQ(LocalFolder("file:/a/b/"), "/a/b");
  EXPECT_EQ(LocalFolder("file:///a"), "/a");
  for (const char* place : {"", "a", "file:a", "file://host/a", "hdfs://nn/a", "s3://b/a"}) {
    EXPECT_EQ(LocalFolder(place), "") << place;
  }
}

}  // namespace
}  // namespace catalogd::coord
