#include <optional>

#include "catalog/endpoint/cached_read.h"
#include "tests/unit/endpoint/rig.h"

// Partitions by a filter, through the whole endpoint.
namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::EndpointRig;
using ::catalogd::testing::MakeCall;
using ::catalogd::testing::PartitionBytes;
using ::catalogd::testing::RequestCall;
using ::catalogd::testing::ResultOf;
using ::catalogd::testing::TestTable;
using ::catalogd::testing::WriteArguments;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using wire::TType;
using Strings = std::vector<std::string>;

std::string ByFilter(const std::string& filter, std::optional<int16_t> max = -1) {
  return MakeCall("get_partitions_by_filter", [&](wire::Writer* out) {
    out->StringField(1, "sales");
    out->StringField(2, "events");
    out->StringField(3, filter);
    if (max) out->I16Field(4, *max);
  });
}

std::string Count(const std::string& filter) {
  return MakeCall("get_num_partitions_by_filter", [&](wire::Writer* out) {
    out->StringField(1, "@hive#sales");
    out->StringField(2, "EVENTS");
    out->StringField(3, filter);
  });
}

std::string Request(const WriteArguments& more, bool with_catalog = true) {
  return RequestCall("get_partitions_by_filter_req", [&](wire::Writer* out) {
    if (with_catalog) out->StringField(1, "hive");
    out->StringField(2, "sales");
    out->StringField(3, "events");
    out->StringField(4, "y = '2024'");
    if (more) more(out);
  });
}

class CachedFilterTest : public ::testing::Test {
 protected:
  CachedFilterTest() {
    table_.name = "events";
    table_.keys = {"y", "m"};
    Put({{"2023", "1"}, {"2024", "1"}, {"2024", "2"}, {"2025", "10"}});
  }

  void Put(const std::vector<Strings>& values, bool whole = true) {
    std::vector<cache::PartitionSet::Entry> entries;
    for (const Strings& one : values) {
      entries.push_back({*MakePartitionName(table_.keys, one), "", PartitionBytes(table_, one)});
    }
    rig_.view.PutTable(table_, 90,
                       whole ? cache::PartitionSet::Empty()->With(std::move(entries), {})
                             : cache::PartitionSet::Of(std::move(entries)));
  }
  std::string Bytes(const Strings& values) const { return PartitionBytes(table_, values); }

  // The value of an answer that came from the cache.
  std::string Cached(const std::string& call) {
    rig_.forwarded.clear();
    const std::string reply = rig_.Send(call);
    EXPECT_EQ(rig_.outcome, server::Outcome::kReplied) << "not from the cache";
    EXPECT_TRUE(wire::CheckMessage(reply).has_value());
    const auto field = ResultOf(reply).Find(0);
    return field ? std::string(field->value) : "no success";
  }
  Strings Found(const std::string& call) {
    const std::string value = Cached(call);
    const auto elements = wire::ListView(value).Elements();
    return {elements.begin(), elements.end()};
  }
  void ExpectPassed(const std::string& call) {
    rig_.forwarded.clear();
    rig_.Send(call);
    EXPECT_THAT(rig_.forwarded, ElementsAre(call));
    rig_.session->state = std::make_shared<SessionState>();
  }

  EndpointRig rig_;
  TestTable table_;
};

TEST_F(CachedFilterTest, StructsInOrderOfTheirNames) {
  EXPECT_THAT(Found(ByFilter("m = '1' or y = '2024'")),
              ElementsAre(Bytes({"2023", "1"}), Bytes({"2024", "1"}), Bytes({"2024", "2"})));
  EXPECT_THAT(Found(ByFilter("y = '2024'", std::nullopt)),
              ElementsAre(Bytes({"2024", "1"}), Bytes({"2024", "2"})));
  EXPECT_THAT(Found(ByFilter("y > '2023'", 2)),
              ElementsAre(Bytes({"2024", "1"}), Bytes({"2024", "2"})));
  EXPECT_THAT(Found(ByFilter("y > '2025'")), IsEmpty());
  EXPECT_EQ(rig_.counters().cached_answers, 4U);
}

TEST_F(CachedFilterTest, HowMany) {
  EXPECT_EQ(wire::DecodeI32(Cached(Count("y > '2023' and m like '1%'"))), 2);
  EXPECT_EQ(wire::DecodeI32(Cached(Count("y = 'none'"))), 0);
}

TEST_F(CachedFilterTest, TheRequestIsUnderstoodAsAWhole) {
  EXPECT_THAT(Found(Request(nullptr)), ElementsAre(Bytes({"2024", "1"}), Bytes({"2024", "2"})));
  EXPECT_THAT(Found(Request([](wire::Writer* out) {
                out->I16Field(5, 1);
                out->BoolField(6, false);
                out->StringField(7, "");
              })),
              ElementsAre(Bytes({"2024", "1"})));
  ExpectPassed(Request([](wire::Writer* out) { out->BoolField(6, true); }));
  ExpectPassed(Request([](wire::Writer* out) { out->StringField(8, "x"); }));
  ExpectPassed(Request([](wire::Writer* out) { out->I64Field(9, 1); }));
  ExpectPassed(Request([](wire::Writer* out) { out->I16Field(5, 0); }));
  // The server stumbles over a missing catalog.
  ExpectPassed(Request(nullptr, false));
}

TEST_F(CachedFilterTest, WhatIsNotCertainIsTheMetastores) {
  for (const char* filter : {"", "y = ", "z = '1'", "y = 1", "y == '1'", "y = 'a\\b'"}) {
    ExpectPassed(ByFilter(filter));
    ExpectPassed(Count(filter));
  }
  rig_.view.generation = hms::Generation::kUnknown;
  ExpectPassed(ByFilter("y = '2024'"));
}

TEST_F(CachedFilterTest, APatternIsThatOfTheServer) {
  EXPECT_EQ(Found(ByFilter("m like '1%'")).size(), 3U);
  ExpectPassed(ByFilter("m like '1.*'"));
  for (const auto older : {hms::Generation::kHive2, hms::Generation::kHive3}) {
    rig_.view.generation = older;
    EXPECT_EQ(Found(ByFilter("m like '1.*'")).size(), 3U);
    ExpectPassed(ByFilter("m like '1%'"));
  }
}

// Hive 3 reads these one by one, with members that a read of many leaves out.
TEST_F(CachedFilterTest, LikeOnHive3NeedsWholePartitions) {
  Put({{"2024", "1"}}, false);
  rig_.view.generation = hms::Generation::kHive3;
  ExpectPassed(ByFilter("m like '1.*'"));
  EXPECT_EQ(Found(ByFilter("m = '1'")).size(), 1U);
  rig_.view.generation = hms::Generation::kHive2;
  EXPECT_EQ(Found(ByFilter("m like '1.*'")).size(), 1U);
}

TEST_F(CachedFilterTest, AnyValueMayMakeTheAnswerUncertain) {
  // Also behind what is asked for, as the metastore looks at all of them.
  Put({{"2023", "1"}, {"2024", "1"}, {"a", "B"}});
  EXPECT_EQ(Found(ByFilter("y > '2022'", 1)).size(), 1U);
  ExpectPassed(ByFilter("m > 'a'", 1));
  // An empty value, which the name does not show.
  Put({{"2023", "1"}, {"", "1"}});
  ExpectPassed(ByFilter("y = '2023'"));
}

TEST_F(CachedFilterTest, TablesWithoutKeysOrPartitionsOrLoadedOnes) {
  Put({});
  EXPECT_THAT(Found(ByFilter("y = '2024'")), IsEmpty());
  rig_.view.PutTable(table_, 90, nullptr);
  ExpectPassed(ByFilter("y = '2024'"));
  EXPECT_THAT(rig_.view.loads, ElementsAre(table_.object()));
  table_.keys = {};
  rig_.view.PutTable(table_, 90, cache::PartitionSet::Empty());
  ExpectPassed(ByFilter("y = '2024'"));
}

TEST_F(CachedFilterTest, ThousandsOfPartitionsInManyBlocks) {
  std::vector<Strings> values;
  for (int i = 10'000; i < 13'000; ++i) values.push_back({std::to_string(i), "1"});
  Put(values);
  EXPECT_EQ(wire::DecodeI32(Cached(Count("y >= '11000' and y < '12500'"))), 1500);
  EXPECT_EQ(Found(ByFilter("y >= '11000' and y < '12500'")).size(), 1500U);
  EXPECT_THAT(Found(ByFilter("y = '10999' or y = '12001'")),
              ElementsAre(Bytes({"10999", "1"}), Bytes({"12001", "1"})));
}

TEST_F(CachedFilterTest, WhatWouldKeepTheThreadBusyForLongIsPassedOn) {
  // Some 800 steps: nine thousand partitions are within what one call may cost, eleven are not.
  std::string filter = "y > '1'";
  for (int i = 0; i < 200; ++i) filter += " and (y > '1' or m = '2')";
  std::vector<Strings> values;
  for (int i = 10'000; i < 19'000; ++i) values.push_back({std::to_string(i), "1"});
  Put(values);
  EXPECT_EQ(wire::DecodeI32(Cached(Count(filter))), 9000);
  for (int i = 20'000; i < 22'000; ++i) values.push_back({std::to_string(i), "1"});
  Put(values);
  ExpectPassed(Count(filter));
}

}  // namespace
}  // namespace catalogd::endpoint
