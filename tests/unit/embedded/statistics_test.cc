#include "tests/unit/embedded/embedded_fixture.h"

// What could go wrong: statistics that are lost, of the wrong engine or column, that survive their
// column, wrong sums, or that the log does not tell of.
namespace catalogd::hms {
namespace {

api::ColumnStatisticsObj LongStats(const std::string& column, int64_t low, int64_t high,
                                   int64_t nulls, int64_t distinct) {
  api::LongColumnStatsData data;
  data.__set_lowValue(low);
  data.__set_highValue(high);
  data.numNulls = nulls;
  data.numDVs = distinct;
  api::ColumnStatisticsObj object;
  object.colName = column;
  object.colType = "int";
  object.statsData.__set_longStats(data);
  return object;
}

class StatisticsTest : public EmbeddedTest {
 protected:
  api::ColumnStatistics Of(const std::vector<api::ColumnStatisticsObj>& columns,
                           const std::string& partition = "") {
    api::ColumnStatistics statistics;
    statistics.statsDesc.isTblLevel = partition.empty();
    statistics.statsDesc.dbName = "Sales";
    statistics.statsDesc.tableName = "Orders";
    if (!partition.empty()) statistics.statsDesc.__set_partName(partition);
    statistics.statsObj = columns;
    return statistics;
  }
  std::vector<api::ColumnStatisticsObj> Read(const Strings& columns,
                                             const std::string& engine = "hive") {
    api::TableStatsRequest request;
    request.dbName = "sales";
    request.tblName = "orders";
    request.colNames = columns;
    request.__set_engine(engine);
    api::TableStatsResult answer;
    client().get_table_statistics_req(answer, request);
    return answer.tableStats;
  }
  api::PartitionsStatsRequest Request(const Strings& partitions) {
    api::PartitionsStatsRequest request;
    request.dbName = "sales";
    request.tblName = "orders";
    request.colNames = {"id"};
    request.partNames = partitions;
    return request;
  }
  std::string Accurate() {
    const api::Table table = ReadTable("sales", "orders");
    const auto found = table.parameters.find("COLUMN_STATS_ACCURATE");
    return found == table.parameters.end() ? "" : found->second;
  }
};

TEST_F(StatisticsTest, OfATable) {
  CreateOrders();
  EXPECT_THAT(Read({"id"}), IsEmpty());
  const api::NotificationEvent event =
      EventOf([&] { client().update_table_column_statistics(Of({LongStats("ID", 1, 9, 2, 5)})); });
  EXPECT_EQ(event.eventType, "UPDATE_TBL_COL_STAT_EVENT");
  EXPECT_EQ(event.tableName, "orders");
  EXPECT_THAT(KeysOf(Message(event)),
              ElementsAre("writeId", "timestamp", "server", "servicePrincipal", "database",
                          "colStatsJson", "parameters", "tableObjJson"));
  const auto read = Read({"Id", "name", "zz"});
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].colName, "id");
  EXPECT_EQ(read[0].statsData.longStats.highValue, 9);
  EXPECT_THAT(Read({"id"}, "impala"), IsEmpty());
  EXPECT_EQ(Accurate(), R"({"COLUMN_STATS":{"id":"true"}})");
  // The event carries the table as it is now.
  EXPECT_EQ(Image<api::Table>(Message(event)["tableObjJson"]), ReadTable("sales", "orders"));

  api::ColumnStatistics one;
  client().get_table_column_statistics(one, "sales", "orders", "id");
  EXPECT_EQ(one.statsDesc.lastAnalyzed, kStartSeconds);
  EXPECT_EQ(one.engine, "hive");
  EXPECT_THAT([&] { client().get_table_column_statistics(one, "sales", "orders", "name"); },
              ThrowsHive<api::NoSuchObjectException>("Column stats doesn't exist"));
}

TEST_F(StatisticsTest, OfPartitions) {
  const api::Table table = CreateOrders();
  AddDays(table, {"1", "2", "3"});
  client().update_partition_column_statistics(Of({LongStats("id", 1, 9, 2, 5)}, "day=1"));
  const api::NotificationEvent event = EventOf([&] {
    client().update_partition_column_statistics(Of({LongStats("id", -3, 7, 1, 8)}, "day=2"));
  });
  EXPECT_EQ(event.eventType, "UPDATE_PART_COL_STAT_EVENT");
  EXPECT_EQ(Message(event)["partVals"].dump(), R"(["2"])");
  EXPECT_EQ(ReadPartition("sales", "orders", {"2"}).parameters["COLUMN_STATS_ACCURATE"],
            R"({"COLUMN_STATS":{"id":"true"}})");

  api::PartitionsStatsResult found;
  client().get_partitions_statistics_req(found, Request({"day=1", "day=2", "day=3", "day=9"}));
  EXPECT_EQ(found.partStats.size(), 2U);
  EXPECT_EQ(found.partStats["day=1"][0].statsData.longStats.lowValue, 1);

  api::AggrStats sum;
  client().get_aggr_stats_for(sum, Request({"day=1", "day=2", "day=3"}));
  EXPECT_EQ(sum.partsFound, 2);
  ASSERT_EQ(sum.colStats.size(), 1U);
  EXPECT_EQ(sum.colStats[0].statsData.longStats.lowValue, -3);
  EXPECT_EQ(sum.colStats[0].statsData.longStats.highValue, 9);
  EXPECT_EQ(sum.colStats[0].statsData.longStats.numNulls, 3);
  EXPECT_EQ(sum.colStats[0].statsData.longStats.numDVs, 8);

  // A partition that is made again has none.
  client().drop_partition("sales", "orders", {"1"}, false);
  AddDays(table, {"1"});
  client().get_partitions_statistics_req(found, Request({"day=1"}));
  EXPECT_TRUE(found.partStats.empty());
}

TEST_F(StatisticsTest, MergesWhatIsExact) {
  CreateOrders();
  api::SetPartitionsStatsRequest request;
  request.colStats = {Of({LongStats("id", -1, 4, 2, 5)})};
  request.__set_needMerge(true);
  const int64_t before = CurrentId();
  EXPECT_TRUE(client().set_aggr_stats_for(request));
  EXPECT_EQ(CurrentId(), before);
  EXPECT_THAT(Read({"id"}), IsEmpty());
  client().update_table_column_statistics(Of({LongStats("id", 3, 9, 1, 2)}));
  EXPECT_TRUE(client().set_aggr_stats_for(request));
  const auto merged = Read({"id"});
  EXPECT_EQ(merged[0].statsData.longStats.lowValue, -1);
  EXPECT_EQ(merged[0].statsData.longStats.highValue, 9);
  EXPECT_EQ(merged[0].statsData.longStats.numNulls, 3);
  request.__set_needMerge(false);
  EXPECT_TRUE(client().set_aggr_stats_for(request));
  EXPECT_EQ(Read({"id"})[0].statsData.longStats.highValue, 4);
}

TEST_F(StatisticsTest, AreDeleted) {
  const api::Table table = CreateOrders();
  AddDays(table, {"1"});
  client().update_table_column_statistics(Of({LongStats("id", 1, 9, 2, 5)}));
  client().update_partition_column_statistics(Of({LongStats("id", 1, 9, 2, 5)}, "day=1"));
  const api::NotificationEvent event = EventOf([&] {
    EXPECT_TRUE(client().delete_table_column_statistics("sales", "orders", "id", "hive"));
  });
  EXPECT_EQ(event.eventType, "DELETE_TBL_COL_STAT_EVENT");
  EXPECT_EQ(Message(event)["colName"], "id");
  EXPECT_THAT(Read({"id"}), IsEmpty());
  const api::NotificationEvent second = EventOf([&] {
    client().delete_partition_column_statistics("sales", "orders", "day=1", "id", "hive");
  });
  EXPECT_EQ(Message(second)["partName"], "day=1");
  api::PartitionsStatsResult found;
  client().get_partitions_statistics_req(found, Request({"day=1"}));
  EXPECT_TRUE(found.partStats.empty());
}

TEST_F(StatisticsTest, ColumnsThatChangeLoseTheirs) {
  CreateOrders();
  client().update_table_column_statistics(
      Of({LongStats("id", 1, 9, 2, 5), LongStats("name", 1, 1, 1, 1)}));
  api::Table table = ReadTable("sales", "orders");
  table.sd.cols[0].__set_type("bigint");
  client().alter_table("sales", "orders", table);
  EXPECT_THAT(Read({"id"}), IsEmpty());
  EXPECT_EQ(Read({"name"}).size(), 1U);
}

TEST_F(StatisticsTest, BadOnesAreRefused) {
  CreateOrders();
  const auto update = [&](const api::ColumnStatistics& one) {
    return [&, one] { client().update_table_column_statistics(one); };
  };
  EXPECT_THAT(update(Of({LongStats("zz", 1, 9, 2, 5)})),
              ThrowsHive<api::MetaException>("Column zz doesn't exist in table orders"));
  api::ColumnStatistics lost = Of({LongStats("id", 1, 9, 2, 5)});
  lost.statsDesc.tableName = "none";
  EXPECT_THAT(update(lost), ThrowsHive<api::NoSuchObjectException>(
                                "Specified catalog.database.table does not exist : hive."));
  EXPECT_THAT(
      [&] {
        client().update_partition_column_statistics(Of({LongStats("id", 1, 9, 2, 5)}, "day=9"));
      },
      ThrowsHive<api::NoSuchObjectException>("Partition for which stats is gathered"));
  api::SetPartitionsStatsRequest request;
  request.colStats = {Of({}), Of({})};
  EXPECT_THAT([&] { client().set_aggr_stats_for(request); },
              ThrowsHive<api::MetaException>("Expecting only 1 ColumnStatistics"));
}

}  // namespace
}  // namespace catalogd::hms
