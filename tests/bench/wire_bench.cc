#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/random_thrift.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/tjson.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

// Cost of the wire layer on a table of N columns as notification logs carry it.
namespace catalogd::wire {
namespace {

std::string Text(std::string_view id, std::string_view value) {
  return "\"" + std::string(id) + "\":{\"str\":\"" + std::string(value) + "\"}";
}

std::string TableJson(int columns) {
  std::string list;
  for (int i = 0; i < columns; ++i) {
    list += ",{" + Text("1", "column_number_" + std::to_string(i)) + "," +
            Text("2", i % 3 == 0 ? "decimal(18,4)" : "string") + "," +
            Text("3", "what the column is for") + "}";
  }
  const std::string serde =
      "{" + Text("2", "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe") +
      R"(,"3":{"map":["str","str",1,{"serialization.format":"1"}]}})";
  const std::string storage =
      R"({"1":{"lst":["rec",)" + std::to_string(columns) + list + "]}," +
      Text("2", "hdfs://namenode:8020/warehouse/tablespace/managed/hive/sales.db/orders") + "," +
      Text("3", "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat") + "," +
      Text("4", "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat") +
      R"(,"5":{"tf":0},"6":{"i32":-1},"7":{"rec":)" + serde + R"(},"8":{"lst":["str",0]},)" +
      R"("9":{"lst":["rec",0]},"10":{"map":["str","str",0,{}]},"11":{"rec":)" +
      R"({"1":{"lst":["str",0]},)" +
      R"("2":{"lst":["lst",0]},"3":{"map":["lst","str",0,{}]}}},"12":{"tf":0}})";
  return "{" + Text("1", "orders") + "," + Text("2", "sales") + "," + Text("3", "alice") +
         R"(,"4":{"i32":1717200000},"5":{"i32":0},"6":{"i32":0},"7":{"rec":)" + storage +
         R"(},"8":{"lst":["rec",1,{)" + Text("1", "dt") + "," + Text("2", "string") +
         R"(}]},"9":{"map":["str","str",3,{"transient_lastDdlTime":"1717200007",)" +
         R"("bucketing_version":"2","COLUMN_STATS_ACCURATE":"{\"BASIC_STATS\":\"true\"}"}]},)" +
         Text("12", "MANAGED_TABLE") + R"(,"14":{"tf":0},"17":{"str":"hive"},"18":{"i32":1}})";
}

std::string TableBinary(int columns) { return TJsonStructToBinary(TableJson(columns)).value(); }

std::string CreateTable(int columns) {
  std::string args;
  Writer writer(&args);
  writer.RawField(TType::kStruct, 1, TableBinary(columns));
  writer.Stop();
  return EncodeCall("create_table", 1, args);
}

void CountBytes(benchmark::State& state, const std::string& input) {
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(input.size()));
}

void Transcode(benchmark::State& state, int depth) {
  const std::string text = testing::EscapeJson(TableJson(static_cast<int>(state.range(0))), depth);
  std::string out;
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(AppendTJsonStruct(text, depth, {}, &out).has_value());
  }
  CountBytes(state, text);
}

void TranscodePlain(benchmark::State& state) { Transcode(state, 0); }
BENCHMARK(TranscodePlain)->Arg(20)->Arg(200);

void TranscodeEscaped(benchmark::State& state) { Transcode(state, 1); }
BENCHMARK(TranscodeEscaped)->Arg(20)->Arg(200);

void ScanGetTable(benchmark::State& state) {
  std::string args;
  Writer writer(&args);
  writer.StringField(1, "sales");
  writer.StringField(2, "orders");
  writer.Stop();
  const std::string message = EncodeCall("get_table", 1, args);
  MessageScanner scanner(Limits{});
  for (auto _ : state) {
    scanner.Reset();
    benchmark::DoNotOptimize(scanner.Scan(message).has_value());
  }
  CountBytes(state, message);
}
BENCHMARK(ScanGetTable);

void ScanCreateTable(benchmark::State& state) {
  const std::string message = CreateTable(static_cast<int>(state.range(0)));
  MessageScanner scanner(Limits{});
  for (auto _ : state) {
    scanner.Reset();
    benchmark::DoNotOptimize(scanner.Scan(message).has_value());
  }
  CountBytes(state, message);
}
BENCHMARK(ScanCreateTable)->Arg(20)->Arg(200);

// All but the last byte first: walked whole in vain, then with frames.
void ScanCreateTableInTwo(benchmark::State& state) {
  const std::string message = CreateTable(20);
  MessageScanner scanner(Limits{});
  for (auto _ : state) {
    scanner.Reset();
    benchmark::DoNotOptimize(scanner.Scan({message.data(), message.size() - 1}).has_value());
    benchmark::DoNotOptimize(scanner.Scan(message).has_value());
  }
  CountBytes(state, message);
}
BENCHMARK(ScanCreateTableInTwo);

// The worst a peer can do to us: one byte per read.
void ScanCreateTableByteByByte(benchmark::State& state) {
  const std::string message = CreateTable(20);
  MessageScanner scanner(Limits{});
  for (auto _ : state) {
    scanner.Reset();
    for (size_t n = 1; n <= message.size(); ++n) {
      benchmark::DoNotOptimize(scanner.Scan({message.data(), n}).has_value());
    }
  }
  CountBytes(state, message);
}
BENCHMARK(ScanCreateTableByteByByte);

void FindTableName(benchmark::State& state) {
  const std::string table = TableBinary(20);
  for (auto _ : state) benchmark::DoNotOptimize(StructView(table).String(1));
}
BENCHMARK(FindTableName);

void FindParameter(benchmark::State& state) {
  const std::string table = TableBinary(20);
  for (auto _ : state) {
    const auto field = StructView(table).Find(9);
    benchmark::DoNotOptimize(StringMapValue(field->value, "transient_lastDdlTime"));
  }
}
BENCHMARK(FindParameter);

void ReplaceParameters(benchmark::State& state) {
  const std::string table = TableBinary(20);
  std::string parameters;
  Writer(&parameters).MapBegin(TType::kString, TType::kString, 0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(WithField(table, 9, TType::kMap, parameters));
  }
}
BENCHMARK(ReplaceParameters);

void EncodeTableReply(benchmark::State& state) {
  const std::string table = TableBinary(20);
  for (auto _ : state) {
    benchmark::DoNotOptimize(EncodeReply("get_table", 1, TType::kStruct, 0, table));
  }
}
BENCHMARK(EncodeTableReply);

}  // namespace
}  // namespace catalogd::wire

BENCHMARK_MAIN();
