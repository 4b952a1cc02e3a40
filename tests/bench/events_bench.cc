#include <benchmark/benchmark.h>

#include "catalog/base/clock.h"
#include "events/event_decoder.h"
#include "events/lane_planner.h"
#include "events/message_text.h"
#include "events/notification_log.h"
#include "tests/support/fake_metastore.h"
#include "tests/support/notification_samples.h"

// Cost of the way from a row of the notification log to a planned event.
namespace catalogd::events {
namespace {

std::string Escape(const std::string& text) { return nlohmann::json(text).dump(); }

std::string TableJson(int columns, const std::string& time) {
  std::string list;
  for (int i = 0; i < columns; ++i) {
    list += R"(,{"1":{"str":"column_number_)" + std::to_string(i) +
            R"j("},"2":{"str":"decimal(18,4)"},"3":{"str":"what the column is for"}})j";
  }
  return R"({"1":{"str":"orders"},"2":{"str":"sales"},"3":{"str":"alice"},"4":{"i32":1717200000},)"
         R"("5":{"i32":0},"6":{"i32":0},"7":{"rec":{"1":{"lst":["rec",)" +
         std::to_string(columns) + list +
         R"(]},"2":{"str":"hdfs://nn:8020/warehouse/sales.db/orders"},"3":{"str":)"
         R"("org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat"},"4":{"str":)"
         R"("org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"},"5":{"tf":0},)"
         R"("6":{"i32":-1},"7":{"rec":{"2":{"str":)"
         R"("org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"},)"
         R"("3":{"map":["str","str",1,{"serialization.format":"1"}]}}},"8":{"lst":["str",0]},)"
         R"("9":{"lst":["rec",0]},"10":{"map":["str","str",0,{}]},"12":{"tf":0}}},)"
         R"("8":{"lst":["rec",1,{"1":{"str":"dt"},"2":{"str":"string"}}]},)"
         R"("9":{"map":["str","str",2,{"transient_lastDdlTime":")" +
         time + R"(","bucketing_version":"2"}]},"12":{"str":"MANAGED_TABLE"},"14":{"tf":0}})";
}

hms::NotificationEvent Row(const std::string& type, const std::string& fields) {
  hms::NotificationEvent row =
      testing::FakeMetastore::MakeRow(type, ObjectName::Table("hive", "sales", "orders"), "");
  row.id = EventId(1);
  row.message = R"({"server":"","servicePrincipal":"","db":"sales","table":"orders",)" + fields +
                R"(,"timestamp":1717200000})";
  return row;
}

void Run(benchmark::State& state, const hms::NotificationEvent& row) {
  for (auto _ : state) {
    Event event = DecodeEvent(row);
    if (!event.problem.empty()) state.SkipWithError(event.problem.c_str());
    benchmark::DoNotOptimize(event);
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(row.message.size()));
}

void CreateTable(benchmark::State& state) {
  const std::string table = TableJson(static_cast<int>(state.range(0)), "1717200007");
  Run(state, Row("CREATE_TABLE", "\"tableObjJson\":" + Escape(table)));
}
BENCHMARK(CreateTable)->Arg(20)->Arg(100);

void AlterTable(benchmark::State& state) {
  const int columns = static_cast<int>(state.range(0));
  Run(state,
      Row("ALTER_TABLE", "\"tableObjBeforeJson\":" + Escape(TableJson(columns, "1717200007")) +
                             ",\"tableObjAfterJson\":" + Escape(TableJson(columns, "1717200008"))));
}
BENCHMARK(AlterTable)->Arg(20)->Arg(100);

// All sample messages of one stream, one item each.
void Stream(benchmark::State& state, const std::string& stream) {
  std::vector<hms::NotificationEvent> rows;
  for (auto& sample : testing::LoadNotificationSamples()) {
    if (sample.stream == stream) rows.push_back(std::move(sample.row));
  }
  for (auto _ : state) {
    for (const auto& row : rows) benchmark::DoNotOptimize(DecodeEvent(row));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(rows.size()));
}
BENCHMARK_CAPTURE(Stream, json, std::string("4.1/json"));
BENCHMARK_CAPTURE(Stream, gzip, std::string("4.1/gzip"));

// Packed messages alone: base64 and gzip.
void Unpack(benchmark::State& state) {
  std::vector<hms::NotificationEvent> rows;
  for (auto& sample : testing::LoadNotificationSamples()) {
    if (sample.stream == "4.1/gzip" && sample.row.type == "ALTER_TABLE") {
      rows.push_back(std::move(sample.row));
    }
  }
  for (auto _ : state) {
    for (const auto& row : rows) benchmark::DoNotOptimize(MessageText(row));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(rows.size()));
}
BENCHMARK(Unpack);

std::vector<EventPtr> Events(int count, int names) {
  std::vector<EventPtr> events;
  for (int i = 0; i < count; ++i) {
    auto event = std::make_shared<Event>();
    event->id = EventId(i + 1);
    event->kind = EventKind::kAlterTable;
    event->name =
        ObjectName::Table("hive", "sales", "table_number_" + std::to_string(i * 7 % names));
    events.push_back(event);
  }
  return events;
}

void PlanBatch(benchmark::State& state) {
  const auto events = Events(1000, static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(PlanLanes(events));
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(PlanBatch)->Arg(10)->Arg(500);

// What a DDL pays to see the events of its names in a tail of 100,000.
void ShortRange(benchmark::State& state) {
  testing::FakeMetastore metastore;
  const ObjectName table = ObjectName::Table("hive", "sales", "orders");
  for (int i = 0; i < 100'000; ++i) metastore.Append("DROP_TABLE", table, "{}");
  NotificationLog log(&metastore, &SystemClock(), NotificationLog::Options{.batch = 200'000});
  log.StartAt(EventId(0));
  if (!log.Poll(SystemClock().Now() + std::chrono::minutes(1))) state.SkipWithError("poll");
  for (auto _ : state) {
    benchmark::DoNotOptimize(log.Range(EventId(99'990), EventId(100'000), {table}));
  }
}
BENCHMARK(ShortRange);

}  // namespace
}  // namespace catalogd::events

BENCHMARK_MAIN();
