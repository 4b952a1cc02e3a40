// Logs in the wrong order give another row than the writer meant; a name read wrongly loses a file.
#include "catalog/coord/data_file_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/unit/coord/instants.h"

namespace catalogd::coord {
namespace {

using testing::At;
using ::testing::HasSubstr;

DataFileName Read(const std::string& name) {
  const auto file = ParseDataFileName(name);
  EXPECT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->has_value()) << name;
  EXPECT_EQ(ToFileName(**file), name);
  return **file;
}

TEST(DataFileNames, ABaseFileHasItsIdTokenInstantAndFormat) {
  const auto base = std::get<BaseName>(
      Read("6e1d5cc4-c487-487d-abbe-fe9b30b1c0cc-0_0-14-211_20251220210129235.parquet"));
  EXPECT_EQ(base.file_id, "6e1d5cc4-c487-487d-abbe-fe9b30b1c0cc-0");
  EXPECT_EQ(base.write_token, "0-14-211");
  EXPECT_EQ(base.instant.text(), "20251220210129235");
  EXPECT_EQ(base.format, "parquet");
  EXPECT_EQ(std::get<BaseName>(Read("a_b_0-1-2_20251220210129235.hfile")).file_id, "a_b");
  Read("files-0000-0_0-0-0_00000000000000000.hfile");
  Read("00000003-0000-0000-0000-000000000000-0_1-0-1_20190101120000.orc");
}

TEST(DataFileNames, ALogHasItsInstantVersionAndToken) {
  const auto log = std::get<LogName>(
      Read(".6e1d5cc4-c487-487d-abbe-fe9b30b1c0cc-0_20251220210127080.log.12_0-24-99"));
  EXPECT_EQ(log.file_id, "6e1d5cc4-c487-487d-abbe-fe9b30b1c0cc-0");
  EXPECT_EQ(log.instant.text(), "20251220210127080");
  EXPECT_EQ(log.version, 12);
  EXPECT_EQ(log.write_token, "0-24-99");
  EXPECT_EQ(log.suffix, "");
  EXPECT_EQ(std::get<LogName>(Read(".f_20251220210127080.log.1_1-0-1.cdc")).suffix, "cdc");
  EXPECT_EQ(std::get<LogName>(Read(".f_20251220210127080.log.1")).write_token, "");
}

TEST(DataFileNames, WhatLiesBesideThemIsPassedOver) {
  for (const char* name :
       {"", ".", "_SUCCESS", ".hoodie_partition_metadata", "p=1", "notes.txt",
        "._f_20251220210127080.log.1_1-0-1", ".f_20251220210127080.log.1_1-0-1.crc",
        ".f_0-1-2_20251220210129235.parquet.crc", "x.parquet.tmp"}) {
    const auto file = ParseDataFileName(name);
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
    {"part-00000.parquet", ErrorCode::kInvalidArgument, "<file id>_<write token>_<instant>"},
    {"f_0-1-2_yesterday.parquet", ErrorCode::kInvalidArgument, "'yesterday' is not an instant"},
    {"_0-1-2_20251220210129235.parquet", ErrorCode::kInvalidArgument, "<file id>_"},
    {".f.log.1_1-0-1", ErrorCode::kInvalidArgument, "<file id>_<instant>"},
    {".f_now.log.1_1-0-1", ErrorCode::kInvalidArgument, "'now' is not an instant"},
    {".f_20251220210127080.log._1-0-1", ErrorCode::kInvalidArgument, "'' is not the version"},
    {".f_20251220210127080.log.0_1-0-1", ErrorCode::kInvalidArgument, "'0' is not the version"},
    {".f_20251220210127080.log.-1_1-0-1", ErrorCode::kInvalidArgument, "'-1' is not the version"},
    {".f_20251220210127080.log.99999999999999999999_1", ErrorCode::kInvalidArgument,
     "is not the version"},
    {"f_1-0-1_20251220210127080_1.log.parquet", ErrorCode::kUnsupported, "is not read"},
    {"f_1-0-1_20251220210127080_1.deletes.parquet", ErrorCode::kUnsupported, "is not read"},
};

TEST(DataFileNames, WhatLooksLikeOneAndIsNotIsAnErrorWithItsName) {
  for (const BadName& bad : kBadNames) {
    const auto file = ParseDataFileName(bad.text);
    ASSERT_FALSE(file) << bad.text;
    EXPECT_EQ(file.error().code, bad.code) << bad.text;
    EXPECT_THAT(file.error().message, HasSubstr(bad.says));
    EXPECT_THAT(file.error().message, HasSubstr(bad.text));
  }
}

TEST(DataFileNames, LogsApplyByInstantThenVersionAsANumberThenTokenThenSuffix) {
  const std::vector<LogName> in_order = {
      {"f", At(15), 7, "0-0-9", ""},  {"f", At(20), 2, "", ""},
      {"f", At(20), 2, "0-0-1", ""},  {"f", At(20), 2, "0-0-1", "cdc"},
      {"f", At(20), 2, "1-0-1", ""},  {"f", At(20), 10, "1-0-1", ""},
      {"f", At(100), 1, "0-0-1", ""},
  };
  std::vector<LogName> logs(in_order.rbegin(), in_order.rend());
  std::sort(logs.begin(), logs.end(),
            [](const LogName& a, const LogName& b) { return CompareLogs(a, b) < 0; });
  EXPECT_EQ(logs, in_order);
  EXPECT_EQ(CompareLogs(in_order[0], in_order[0]), std::strong_ordering::equal);
}

TEST(DataFileNames, TwoAttemptsOfATaskNeverWriteOneName) {
  EXPECT_EQ(FencedToken(0, Fence(7), 1), "0-7-1");
  const BaseName first{"g1", FencedToken(0, Fence(7), 1), At(30), "parquet"};
  const BaseName second{"g1", FencedToken(0, Fence(9), 1), At(30), "parquet"};
  EXPECT_EQ(ToFileName(first), "g1_0-7-1_00000000000000030.parquet");
  EXPECT_NE(ToFileName(first), ToFileName(second));
}

}  // namespace
}  // namespace catalogd::coord
