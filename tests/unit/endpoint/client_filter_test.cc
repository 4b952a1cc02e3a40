#include "catalog/endpoint/client_filter.h"

#include <any>

#include "tests/unit/endpoint/rig.h"

// LIKE of clients that write another dialect than the metastore reads, through the whole endpoint.
namespace catalogd::endpoint {
namespace {

using ::catalogd::testing::EndpointRig;
using ::catalogd::testing::MakeCall;
using ::catalogd::testing::PartitionBytes;
using ::catalogd::testing::RequestCall;
using ::catalogd::testing::ResultOf;
using ::catalogd::testing::StringCall;
using ::catalogd::testing::TestTable;
using hms::Generation;
using ::testing::ElementsAre;
using wire::TType;

std::string By(const char* method, const std::string& filter) {
  return StringCall(method, {"sales", "events", filter});
}

const std::string kOld = StringCall("get_database", {"elsewhere"});
const std::string kNew = RequestCall("get_open_txns_req", [](wire::Writer*) {});

// The client makes the `first` calls, which show it nothing that a later read would wait for.
void Begin(EndpointRig* rig, const std::vector<std::string>& first) {
  rig->session->state = std::make_shared<SessionState>();
  for (const std::string& one : first) rig->Send(one);
  std::any_cast<std::shared_ptr<SessionState>&>(rig->session->state)->floor_unknown = false;
  rig->forwarded.clear();
}

// What reaches a metastore of that generation then.
std::string Forwarded(Generation generation, const std::vector<std::string>& first,
                      const std::string& call) {
  EndpointRig rig;
  rig.view.generation = generation;
  Begin(&rig, first);
  rig.Send(call);
  EXPECT_EQ(rig.forwarded.size(), 1U);
  return rig.forwarded.empty() ? "" : rig.forwarded.front();
}

TEST(ClientFilter, PatternsReachTheMetastoreInItsDialect) {
  for (const char* method :
       {"get_partitions_by_filter", "get_num_partitions_by_filter", "get_part_specs_by_filter"}) {
    const std::string regex = By(method, "p like 'x.*'");
    const std::string sql = By(method, "p like 'x%'");
    EXPECT_EQ(Forwarded(Generation::kHive4, {kOld}, regex), sql) << method;
    EXPECT_EQ(Forwarded(Generation::kHive4, {kNew}, regex), regex) << method;
    EXPECT_EQ(Forwarded(Generation::kHive3, {kOld}, regex), regex) << method;
    EXPECT_EQ(Forwarded(Generation::kHive3, {kNew}, sql), regex) << method;
    EXPECT_EQ(Forwarded(Generation::kHive2, {kNew}, sql), regex) << method;
    // Nobody knows who asks, or who is asked.
    EXPECT_EQ(Forwarded(Generation::kHive4, {}, regex), regex) << method;
    EXPECT_EQ(Forwarded(Generation::kHive3, {}, sql), sql) << method;
    EXPECT_EQ(Forwarded(Generation::kUnknown, {kOld}, regex), regex) << method;
  }
}

TEST(ClientFilter, TheNewMethodAloneTellsItsDialect) {
  const std::string sql = RequestCall("get_partitions_by_filter_req", [](wire::Writer* out) {
    out->StringField(2, "sales");
    out->StringField(3, "events");
    out->StringField(4, "p like 'x%' and q = '%'");
  });
  EXPECT_EQ(Forwarded(Generation::kHive4, {kOld}, sql), sql);
  const std::string older = Forwarded(Generation::kHive3, {kOld}, sql);
  EXPECT_EQ(ResultOf(older).String(3), "p like 'x.*' and q = '%'");
}

// Hive's 3.1 client calls get_table_req, and need not have looked at a database.
TEST(ClientFilter, WritesTellTheReleaseToo) {
  const std::string regex = By("get_partitions_by_filter", "p like 'x.*'");
  EndpointRig rig;
  rig.Send(MakeCall("create_table_with_environment_context", [](wire::Writer*) {}));
  rig.Send(regex);
  EXPECT_THAT(rig.forwarded, ElementsAre(By("get_partitions_by_filter", "p like 'x%'")));
}

// What could go wrong: a client that knows both is taken for an old one and finds nothing.
TEST(ClientFilter, WhoHasCalledANewMethodIsOfHive4) {
  const std::string regex = By("get_partitions_by_filter", "p like 'x.*'");
  EXPECT_EQ(Forwarded(Generation::kHive4, {kNew, kOld}, regex), regex);
  EXPECT_EQ(Forwarded(Generation::kHive4, {kOld, kNew}, regex), regex);
}

TEST(ClientFilter, WhatCannotBeSaidIsPassedOnAsItIs) {
  for (const char* filter : {"p like 'a|b'", "p like '(?i)a'", "p = 'x.*'", "p like", ""}) {
    const std::string call = By("get_partitions_by_filter", filter);
    EXPECT_EQ(Forwarded(Generation::kHive4, {kOld}, call), call) << filter;
  }
  const std::string broken =
      MakeCall("get_partitions_by_filter", [](wire::Writer* out) { out->I32Field(3, 1); });
  EXPECT_EQ(Forwarded(Generation::kHive4, {kOld}, broken), broken);
}

class CachedClientFilter : public ::testing::Test {
 protected:
  CachedClientFilter() {
    table_.name = "events";
    table_.keys = {"p"};
    std::vector<cache::PartitionSet::Entry> entries;
    for (const char* value : {"ab", "a_b", "a.b", "b"}) {
      entries.push_back(
          {*MakePartitionName(table_.keys, {value}), "", PartitionBytes(table_, {value})});
    }
    rig_.view.PutTable(table_, 90, cache::PartitionSet::Empty()->With(std::move(entries), {}));
  }
  // How many, out of the cache; -1: the metastore was asked.
  int32_t Count(Generation generation, const std::string& first, const std::string& filter) {
    rig_.view.generation = generation;
    Begin(&rig_, {first});
    const std::string reply = rig_.Send(By("get_num_partitions_by_filter", filter));
    if (!rig_.forwarded.empty()) return -1;
    return wire::DecodeI32(ResultOf(reply).Find(0)->value);
  }

  EndpointRig rig_;
  TestTable table_;
};

TEST_F(CachedClientFilter, AnswersInTheDialectOfTheClient) {
  EXPECT_EQ(Count(Generation::kHive4, kOld, "p like 'a.*'"), 3);
  EXPECT_EQ(Count(Generation::kHive4, kOld, "p like 'a_b'"), 1);
  EXPECT_EQ(Count(Generation::kHive4, kNew, "p like 'a%'"), 3);
  EXPECT_EQ(Count(Generation::kHive3, kNew, "p like 'a%'"), 3);
  EXPECT_EQ(Count(Generation::kHive3, kNew, "p like 'a_b'"), 2);
  EXPECT_EQ(Count(Generation::kHive3, kOld, "p like 'a.*'"), 3);
  EXPECT_EQ(Count(Generation::kHive4, kOld, "p like 'a|b'"), -1);
}

// What could go wrong: one client is given what another one was told about the same bytes.
TEST_F(CachedClientFilter, KeptAnswersAreNotSharedByDialects) {
  rig_.forward_answer = [](std::string_view) -> Result<std::string> {
    std::string none;
    wire::Writer(&none).ListBegin(TType::kStruct, 0);
    return wire::EncodeReply("get_part_specs_by_filter", 7, TType::kList, 0, none);
  };
  const std::string call = By("get_part_specs_by_filter", "p like 'a.*'");
  const auto asked = [&](const std::string& first, const std::string& message) {
    Begin(&rig_, {first});
    rig_.Send(message);
    // The log is looked at, and tells of no change.
    rig_.clock.Advance(std::chrono::milliseconds(1));
    rig_.view.log_end = {rig_.clock.Now(), rig_.view.fetched_to};
    rig_.clock.Advance(std::chrono::milliseconds(1));
    return rig_.forwarded;
  };
  EXPECT_THAT(asked(kNew, call), ElementsAre(call));
  EXPECT_THAT(asked(kNew, call), ElementsAre());
  EXPECT_THAT(asked(kOld, call), ElementsAre(By("get_part_specs_by_filter", "p like 'a%'")));
  EXPECT_THAT(asked(kOld, call), ElementsAre(By("get_part_specs_by_filter", "p like 'a%'")));
  // Where nothing is said in other words, one answer is everybody's.
  const std::string plain = By("get_part_specs_by_filter", "p = 'ab'");
  EXPECT_THAT(asked(kNew, plain), ElementsAre(plain));
  EXPECT_THAT(asked(kOld, plain), ElementsAre());
}

}  // namespace
}  // namespace catalogd::endpoint
