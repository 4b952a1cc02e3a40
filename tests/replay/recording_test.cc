// A recording that is read wrongly would excuse differences: each line must go to the call that
// made it, and only what a call without events changed may be forgiven.
#include "tests/replay/recording.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/objects.h"

namespace catalogd::replay {
namespace {

std::string Base64(const std::string& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t block = 0;
    for (size_t i = 0; i < 3; ++i) {
      block =
          (block << 8U) | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
    }
    for (size_t i = 0; i < 4; ++i) {
      text += at + i > bytes.size() ? '=' : kDigits[(block >> (18 - 6 * i)) & 63U];
    }
  }
  return text;
}

class RecordingTest : public ::testing::Test {
 protected:
  RecordingTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("recording_test." + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    for (const char* name : {"log", "checkpoints", "calls", "state"}) Write(name, "");
  }
  ~RecordingTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / (name + ".jsonl")) << text;
  }
  static std::string Row(int id, const std::string& type) {
    return R"({"eventId":)" + std::to_string(id) + R"(,"eventTime":5,"eventType":")" + type +
           R"(","dbName":"sales","tableName":"orders","message":"{}"})" + "\n";
  }
  static std::string Call(const std::string& label, int before, int after,
                          const std::string& error = "null") {
    return R"({"n":1,"label":")" + label +
           R"(","method":"m","args":{"db":"Sales","t":["orders"]},)" + R"("error":)" + error +
           R"(,"last_event_before":)" + std::to_string(before) + R"(,"last_event_after":)" +
           std::to_string(after) + "}\n";
  }
  static std::string Line(int id, const std::string& table, const std::string& thrift) {
    return R"({"event_id":)" + std::to_string(id) + R"(,"kind":"table","name":["sales",")" + table +
           R"("],"thrift":)" + thrift + "}\n";
  }
  // The table with this parameter.
  static std::string Thrift(const std::string& key, const std::string& value) {
    return "\"" + Base64(testing::TableBytes(testing::TestTable().With(key, value))) + "\"";
  }
  Result<Recording> Read() { return ReadRecording(folder_.string()); }
  std::string Failure() {
    const auto recording = Read();
    return recording ? "no error" : recording.error().message;
  }

  const std::filesystem::path folder_;
};

constexpr const char* kStats = "COLUMN_STATS_ACCURATE";

TEST_F(RecordingTest, RowsKeepWhatWasOnTheWire) {
  Write("log",
        Row(1, "CREATE_TABLE") +
            R"({"eventId":2,"eventTime":6,"eventType":"OPEN_TXN","message":"x","catName":"hive"})");
  const auto recording = Read();
  ASSERT_TRUE(recording) << recording.error().message;
  ASSERT_EQ(recording->log.size(), 2U);
  EXPECT_EQ(recording->log[0].table, "orders");
  EXPECT_EQ(recording->log[0].catalog, std::nullopt);
  EXPECT_EQ(recording->log[0].format, std::nullopt);
  EXPECT_EQ(recording->log[1].table, std::nullopt);
  EXPECT_EQ(recording->log[1].catalog, "hive");
  EXPECT_EQ(recording->last_id(), EventId(2));
  EXPECT_EQ(recording->generation, hms::Generation::kHive3);
}

TEST_F(RecordingTest, ALineOfACallWithoutEventsIsNotTold) {
  Write("log", Row(1, "CREATE_TABLE"));
  Write("calls", Call("create", 0, 1) + Call("nothing", 1, 1) + Call("stats", 1, 1));
  Write("checkpoints", Line(1, "orders", Thrift("a", "b")) +
                           Line(1, "orders",
                                "\"" +
                                    Base64(testing::TableBytes(
                                        testing::TestTable().With("a", "b").With(kStats, "{}"))) +
                                    "\""));
  const auto recording = Read();
  ASSERT_TRUE(recording) << recording.error().message;
  ASSERT_EQ(recording->steps.size(), 2U);
  EXPECT_EQ(recording->steps[0].label, "create");
  ASSERT_EQ(recording->steps[0].objects.size(), 1U);
  EXPECT_TRUE(recording->steps[0].objects[0].told);
  EXPECT_EQ(recording->steps[1].label, "stats");
  ASSERT_EQ(recording->steps[1].objects.size(), 1U);
  EXPECT_FALSE(recording->steps[1].objects[0].told);
}

// Otherwise a lost event could be passed off as a change that nobody announced.
TEST_F(RecordingTest, WhatNoSilentCallExplainsBelongsToTheOneWithEvents) {
  Write("log", Row(1, "CREATE_TABLE") + Row(2, "ALTER_TABLE"));
  const std::string first = Line(1, "orders", Thrift("a", "b"));
  const auto told = [&](const std::string& second, const std::string& silent) {
    Write("calls", Call("create", 0, 1) + Call("alter", 1, 2) + silent);
    Write("checkpoints", first + second);
    const auto recording = Read();
    EXPECT_TRUE(recording) << recording.error().message;
    EXPECT_EQ(recording->steps[1].label, "alter");
    return recording->steps[1].objects.size() == 1 && recording->steps[1].objects[0].told;
  };
  // Another parameter than that of statistics; the object is gone; the call failed.
  EXPECT_TRUE(told(Line(2, "orders", Thrift("a", "c")), Call("stats", 2, 2)));
  EXPECT_TRUE(told(Line(2, "orders", "null"), Call("stats", 2, 2)));
  const std::string stats = Line(
      2, "orders",
      "\"" + Base64(testing::TableBytes(testing::TestTable().With("a", "b").With(kStats, "{}"))) +
          "\"");
  EXPECT_TRUE(told(stats, Call("stats", 2, 2, R"({"class":"MetaException"})")));
  EXPECT_FALSE(told(stats, Call("stats", 2, 2)));
}

TEST_F(RecordingTest, AnInsertTellsNothingUnlessSomethingChanged) {
  Write("log", Row(1, "CREATE_TABLE") + Row(2, "INSERT"));
  Write("calls", Call("create", 0, 1) + Call("insert", 1, 2));
  const std::string first = Line(1, "orders", Thrift("a", "b"));
  Write("checkpoints", first + Line(2, "orders", Thrift("a", "b")));
  auto recording = Read();
  ASSERT_TRUE(recording) << recording.error().message;
  EXPECT_FALSE(recording->steps[1].objects[0].told);
  Write("checkpoints", first + Line(2, "orders", Thrift("a", "c")));
  recording = Read();
  ASSERT_TRUE(recording) << recording.error().message;
  EXPECT_TRUE(recording->steps[1].objects[0].told);
}

// The recorder sees it when it reads the view for another reason.
TEST_F(RecordingTest, WhatAViewHoldsOfItsSourcesIsOnlyToldByItsOwnEvents) {
  const auto view = [](const std::string& source) {
    std::string metadata;
    wire::Writer out(&metadata);
    out.StringField(3, source);
    out.Stop();
    return "\"" +
           Base64(wire::WithField(testing::TableBytes(testing::TestTable()),
                                  ids::table::kCreationMetadata, wire::TType::kStruct, metadata)) +
           "\"";
  };
  Write("calls", Call("create", 0, 1) + Call("alter", 1, 2));
  Write("checkpoints", Line(1, "orders", view("a")) + Line(2, "orders", view("b")));
  for (const bool own : {true, false}) {
    std::string other = Row(2, "ALTER_TABLE");
    if (!own) other.replace(other.find("orders"), 6, "source");
    Write("log", Row(1, "CREATE_TABLE") + other);
    const auto recording = Read();
    ASSERT_TRUE(recording) << recording.error().message;
    EXPECT_EQ(recording->steps[1].objects[0].told, own);
  }
}

TEST_F(RecordingTest, ErrorsSayWhichFileAndLine) {
  std::filesystem::remove(folder_ / "log.jsonl");
  EXPECT_NE(Failure().find("log.jsonl.gz"), std::string::npos) << Failure();
  Write("log", Row(1, "CREATE_TABLE") + "{\"eventId\":2}\n");
  EXPECT_NE(Failure().find("log.jsonl:2"), std::string::npos) << Failure();
  Write("log", "not json\n");
  EXPECT_NE(Failure().find("log.jsonl:1"), std::string::npos) << Failure();
  Write("log", "");
  for (const char* line : {R"({"event_id":1,"kind":"index","name":["a","b"],"thrift":null})",
                           R"({"event_id":1,"kind":"table","name":["a"],"thrift":null})",
                           R"({"event_id":1,"kind":"table","name":["a","b"],"thrift":"AAA="})",
                           R"({"event_id":1,"kind":"table","name":["a","b"],"thrift":"!"})",
                           R"({"kind":"table","name":["a","b"],"thrift":null})"}) {
    Write("checkpoints", line);
    EXPECT_NE(Failure().find("checkpoints.jsonl:1"), std::string::npos) << line << Failure();
  }
  Write("checkpoints", Line(7, "orders", "null"));
  EXPECT_NE(Failure().find("no call ended at event 7"), std::string::npos) << Failure();
}

}  // namespace
}  // namespace catalogd::replay
