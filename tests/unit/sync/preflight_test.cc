// A metastore whose log does not tell everything must never be answered for from a cache.
#include "catalog/sync/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_metastore.h"

namespace catalogd::sync {
namespace {

constexpr char kListener[] = "org.apache.hive.hcatalog.listener.DbNotificationListener";
constexpr char kTransactional[] = "hive.metastore.transactional.event.listeners";

void MakeGood(testing::FakeMetastore* metastore) {
  hms::ServerFacts facts;
  facts.generation = hms::Generation::kHive4;
  facts.version = "4.2.0";
  metastore->SetFacts(facts);
  metastore->SetConfig(kTransactional, kListener);
}

PreflightReport Report(testing::FakeMetastore* metastore) {
  const auto report = RunPreflight(metastore, TimePoint::max());
  EXPECT_TRUE(report) << report.error().message;
  return report.value_or(PreflightReport());
}

TEST(Preflight, AServerWithTheTransactionalListenerIsExact) {
  testing::FakeMetastore metastore;
  MakeGood(&metastore);
  EXPECT_TRUE(Report(&metastore).exact()) << Report(&metastore).reason();
}

// A server that does not tell is taken for one that does.
TEST(Preflight, ACacheOfAggregatesIsNoticed) {
  testing::FakeMetastore metastore;
  MakeGood(&metastore);
  EXPECT_TRUE(Report(&metastore).caches_aggregates);
  metastore.SetConfig("metastore.aggregate.stats.cache.enabled", "true");
  EXPECT_TRUE(Report(&metastore).caches_aggregates);
  metastore.SetConfig("metastore.aggregate.stats.cache.enabled", "false");
  EXPECT_FALSE(Report(&metastore).caches_aggregates);
  EXPECT_TRUE(Report(&metastore).exact());
}

// A listener that the server asks before reads may refuse them to some users.
TEST(Preflight, WhoJudgesReadsIsFoundOut) {
  testing::FakeMetastore metastore;
  MakeGood(&metastore);
  const auto per_user = [&](Authorization authorization) {
    return RunPreflight(&metastore, TimePoint::max(), PayloadMode::kTrust, authorization)
        ->reads_per_user;
  };
  EXPECT_FALSE(per_user(Authorization::kAuto));
  EXPECT_TRUE(per_user(Authorization::kPerUser));
  metastore.SetConfig("hive.metastore.pre.event.listeners", "org.example.Authorizer");
  EXPECT_TRUE(per_user(Authorization::kAuto));
  EXPECT_FALSE(per_user(Authorization::kNone));
  EXPECT_TRUE(Report(&metastore).exact());
}

TEST(Preflight, FilterHooksAreNotFatalWhereReadsAreJudgedPerUser) {
  testing::FakeMetastore metastore;
  MakeGood(&metastore);
  metastore.SetConfig("metastore.server.filter.enabled", "true");
  metastore.SetConfig("hive.metastore.filter.hook", "org.example.Hides");
  EXPECT_FALSE(Report(&metastore).exact());
  EXPECT_TRUE(
      RunPreflight(&metastore, TimePoint::max(), PayloadMode::kTrust, Authorization::kPerUser)
          ->exact());
}

TEST(Preflight, EachSettingThatHidesChangesIsFatalAndNamed) {
  const std::vector<std::pair<std::string, std::string>> settings = {
      {kTransactional, "org.example.Other"},
      {"hive.metastore.notification.parameters.exclude.patterns", "impala.*"},
      {"hive.metastore.rawstore.impl", "org.apache.hadoop.hive.metastore.cache.CachedStore"},
      {"hive.metastore.max.event.response", "500"},
  };
  for (const auto& [key, value] : settings) {
    testing::FakeMetastore metastore;
    MakeGood(&metastore);
    metastore.SetConfig(key, value);
    const PreflightReport report = Report(&metastore);
    EXPECT_FALSE(report.exact()) << key;
    EXPECT_THAT(report.reason(), ::testing::HasSubstr(value)) << key;
  }
}

TEST(Preflight, WhatMessagesLeaveOutDoesNotMatterWhereTheyAreNotBelieved) {
  testing::FakeMetastore metastore;
  MakeGood(&metastore);
  metastore.SetConfig("hive.metastore.notification.parameters.exclude.patterns", "impala.*");
  EXPECT_FALSE(RunPreflight(&metastore, TimePoint::max(), PayloadMode::kVerify)->exact());
  EXPECT_TRUE(RunPreflight(&metastore, TimePoint::max(), PayloadMode::kStub)->exact());
}

TEST(Preflight, ALargeReplySizeIsNoFinding) {
  testing::FakeMetastore metastore;
  MakeGood(&metastore);
  metastore.SetConfig("hive.metastore.max.event.response", "1000000");
  EXPECT_TRUE(Report(&metastore).exact());
}

TEST(Preflight, ARefusedLogIsFatalAndAnAbsentServerAnError) {
  testing::FakeMetastore metastore;
  MakeGood(&metastore);
  metastore.FailNext("NextEvents", {ErrorCode::kPermission, "not a proxy super user"});
  const PreflightReport report = Report(&metastore);
  EXPECT_THAT(report.reason(), ::testing::HasSubstr("not a proxy super user"));
  metastore.FailAll(Error{ErrorCode::kUnavailable, "connection refused"});
  EXPECT_EQ(RunPreflight(&metastore, TimePoint::max()).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace catalogd::sync
