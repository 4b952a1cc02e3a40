#include "tests/bench/hot_log.h"

#include <zlib.h>

#include <algorithm>

namespace catalogd::bench {
namespace {

constexpr int kColumns = 20;
constexpr int kPartitions = 8;  // Per table; they come and go.
constexpr std::string_view kDb = "sales";

std::string TableName(int table) { return "hot_table_" + std::to_string(table); }

// The text as the content of a JSON string.
std::string Quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string StorageJson(const std::string& location) {
  std::string columns;
  for (int i = 0; i < kColumns; ++i) {
    columns += R"(,{"1":{"str":"column_number_)" + std::to_string(i) +
               R"j("},"2":{"str":"decimal(18,4)"},"3":{"str":"what the column is for"}})j";
  }
  return R"({"1":{"lst":["rec",)" + std::to_string(kColumns) + columns + R"(]},"2":{"str":")" +
         location +
         R"("},"3":{"str":"org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat"},)"
         R"("4":{"str":"org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"},)"
         R"("5":{"tf":0},"6":{"i32":-1},"7":{"rec":{"2":{"str":)"
         R"("org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"},)"
         R"("3":{"map":["str","str",1,{"serialization.format":"1"}]}}},"8":{"lst":["str",0]},)"
         R"("9":{"lst":["rec",0]},"10":{"map":["str","str",0,{}]},)"
         R"("11":{"rec":{"1":{"lst":["str",0]},"2":{"lst":["lst",0]},)"
         R"("3":{"map":["lst","str",0,{}]}}},"12":{"tf":0}})";
}

std::string TableJson(int table, const std::string& time) {
  const std::string location = "hdfs://nn:8020/warehouse/sales.db/" + TableName(table);
  return R"({"1":{"str":")" + TableName(table) +
         R"("},"2":{"str":"sales"},"3":{"str":"alice"},"4":{"i32":1717200000},)"
         R"("5":{"i32":0},"6":{"i32":0},"7":{"rec":)" +
         StorageJson(location) +
         R"(},"8":{"lst":["rec",1,{"1":{"str":"dt"},"2":{"str":"string"}}]},)"
         R"("9":{"map":["str","str",3,{"transient_lastDdlTime":")" +
         time +
         R"(","bucketing_version":"2","EXTERNAL":"TRUE"}]},"12":{"str":"EXTERNAL_TABLE"},)"
         R"("15":{"tf":0},"17":{"str":"hive"},"18":{"i32":1}})";
}

std::string Day(int partition) { return "2026-11-0" + std::to_string(partition + 1); }

std::string PartitionJson(int table, int partition, const std::string& time) {
  const std::string location =
      "hdfs://nn:8020/warehouse/sales.db/" + TableName(table) + "/dt=" + Day(partition);
  return R"({"1":{"lst":["str",1,")" + Day(partition) + R"("]},"2":{"str":"sales"},"3":{"str":")" +
         TableName(table) + R"("},"4":{"i32":1717200000},"5":{"i32":0},"6":{"rec":)" +
         StorageJson(location) + R"(},"7":{"map":["str","str",4,{"transient_lastDdlTime":")" +
         time + R"(","numFiles":"12","totalSize":"123456789","numRows":")" + time +
         R"("}]},"9":{"str":"hive"}})";
}

std::string Base64(const std::string& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[(group >> (18U - 6U * j)) & 63U];
    }
  }
  return text;
}

std::string Gzip(const std::string& text) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  std::vector<Bytef> input(text.begin(), text.end());
  std::vector<Bytef> output(packed.size());
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = output.data();
  stream.avail_out = static_cast<uInt>(output.size());
  deflate(&stream, Z_FINISH);
  const size_t size = output.size() - stream.avail_out;
  deflateEnd(&stream);
  return std::string(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(size));
}

tl::unexpected<Error> Unreadable() {
  return MakeError(ErrorCode::kUnsupported, "the benchmark's metastore has no objects to read");
}

}  // namespace

HotLog::HotLog(const Options& options) : options_(options) {
  hms::NotificationEvent database;
  database.type = "CREATE_DATABASE";
  database.catalog = "hive";
  database.db = kDb;
  database.message = R"({"server":"","servicePrincipal":"","db":"sales","timestamp":1717200000})";
  templates_.push_back(database);
  // One more than the mix has: for DDLs.
  for (int table = 0; table <= options_.tables; ++table) {
    AddTemplate("CREATE_TABLE", table,
                "\"tableObjJson\":" + Quote(TableJson(table, "1717200000")) + ",\"files\":[]");
  }
  cycle_begin_ = templates_.size();
  for (int table = 0; table < options_.tables; ++table) MakeTemplates(table);
  // Table by table is how they were made; step by step is how they happen.
  const size_t steps = (templates_.size() - cycle_begin_) / static_cast<size_t>(options_.tables);
  std::vector<hms::NotificationEvent> mixed;
  for (size_t step = 0; step < steps; ++step) {
    for (size_t table = 0; table < static_cast<size_t>(options_.tables); ++table) {
      mixed.push_back(std::move(templates_[cycle_begin_ + table * steps + step]));
    }
  }
  std::move(mixed.begin(), mixed.end(),
            templates_.begin() + static_cast<std::ptrdiff_t>(cycle_begin_));
  cycle_end_ = templates_.size();
  for (const char* time : {"1717200001", "1717200002"}) {
    AddTemplate("ALTER_TABLE", options_.tables,
                "\"tableObjBeforeJson\":" + Quote(TableJson(options_.tables, "1717200000")) +
                    ",\"tableObjAfterJson\":" + Quote(TableJson(options_.tables, time)));
  }
}

void HotLog::CreateTables() {
  const MutexLock lock(mutex_);
  for (uint32_t i = 0; i < cycle_begin_; ++i) rows_.push_back(i);
}

void HotLog::AddTemplate(const std::string& type, int table, const std::string& fields) {
  hms::NotificationEvent row;
  row.time = 1717200000;
  row.type = type;
  row.catalog = "hive";
  row.db = kDb;
  row.table = TableName(table);
  row.format = options_.gzip ? "gzip(json-2.0)" : "json-0.2";
  const std::string json =
      R"({"server":"thrift://hms:9083","servicePrincipal":"","db":"sales","table":")" +
      TableName(table) + R"(","tableType":"EXTERNAL_TABLE",)" + fields +
      R"(,"timestamp":1717200000})";
  row.message = options_.gzip ? Base64(Gzip(json)) : json;
  templates_.push_back(std::move(row));
}

// 60 events per table: 24 ALTER_TABLE, 8 ADD_PARTITION, 8 ALTER_PARTITION, 8 DROP_PARTITION,
// 8 INSERT, 4 of transactions.
void HotLog::MakeTemplates(int table) {
  const std::string image = "\"tableObjJson\":" + Quote(TableJson(table, "1717200000"));
  int time = 1717200000;
  const auto alter = [&] {
    const std::string before = std::to_string(time);
    ++time;
    AddTemplate("ALTER_TABLE", table,
                "\"tableObjBeforeJson\":" + Quote(TableJson(table, before)) +
                    ",\"tableObjAfterJson\":" + Quote(TableJson(table, std::to_string(time))) +
                    R"(,"isTruncateOp":"false","writeId":-1)");
  };
  for (int partition = 0; partition < kPartitions; ++partition) {
    const std::string map = R"({"dt":")" + Day(partition) + R"("})";
    AddTemplate("ADD_PARTITION", table,
                image + ",\"partitions\":[" + map + "],\"partitionListJson\":[" +
                    Quote(PartitionJson(table, partition, "1717200000")) +
                    "],\"partitionFiles\":[]");
    alter();
    AddTemplate("INSERT", table,
                image + ",\"ptnObjJson\":" + Quote(PartitionJson(table, partition, "1717200000")) +
                    R"(,"replace":"false","files":[])");
    AddTemplate(
        "ALTER_PARTITION", table,
        image + ",\"isTruncateOp\":\"false\",\"writeId\":-1,\"keyValues\":" + map +
            ",\"partitionObjBeforeJson\":" + Quote(PartitionJson(table, partition, "1717200000")) +
            ",\"partitionObjAfterJson\":" + Quote(PartitionJson(table, partition, "1717200009")));
    alter();
    if (partition % 2 == 0) {
      AddTemplate("OPEN_TXN", table, R"("txnIds":null,"fromTxnId":7,"toTxnId":7)");
    }
  }
  for (int partition = 0; partition < kPartitions; ++partition) {
    AddTemplate("DROP_PARTITION", table,
                image + ",\"partitions\":[{\"dt\":\"" + Day(partition) + "\"}]");
    alter();
  }
}

void HotLog::Grow(int64_t count) {
  const MutexLock lock(mutex_);
  const size_t cycle = cycle_end_ - cycle_begin_;
  for (int64_t i = 0; i < count; ++i) {
    rows_.push_back(static_cast<uint32_t>(cycle_begin_ + next_in_cycle_));
    next_in_cycle_ = (next_in_cycle_ + 1) % cycle;
  }
}

EventId HotLog::AppendAlterOfDdlTable() {
  const MutexLock lock(mutex_);
  rows_.push_back(static_cast<uint32_t>(cycle_end_ + rows_.size() % 2));
  return EventId(static_cast<int64_t>(rows_.size()));
}

ObjectName HotLog::ddl_table() const {
  return ObjectName::Table("hive", kDb, TableName(options_.tables));
}

EventId HotLog::current() const {
  const MutexLock lock(mutex_);
  return EventId(static_cast<int64_t>(rows_.size()));
}

double HotLog::mean_message_bytes() const {
  double total = 0;
  for (size_t i = cycle_begin_; i < cycle_end_; ++i) {
    total += static_cast<double>(templates_[i].message.size());
  }
  return total / static_cast<double>(cycle_end_ - cycle_begin_);
}

Result<EventId> HotLog::CurrentEventId(TimePoint) { return current(); }

Result<std::vector<hms::NotificationEvent>> HotLog::NextEvents(EventId after, int max, TimePoint) {
  std::vector<uint32_t> which;
  {
    const MutexLock lock(mutex_);
    const auto begin = std::min(static_cast<size_t>(after.value()), rows_.size());
    const auto end =
        max <= 0 ? rows_.size() : std::min(begin + static_cast<size_t>(max), rows_.size());
    which.assign(rows_.begin() + static_cast<std::ptrdiff_t>(begin),
                 rows_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  std::vector<hms::NotificationEvent> rows;
  rows.reserve(which.size());
  EventId id = after;
  for (const uint32_t at : which) {
    rows.push_back(templates_[at]);
    id = id.Next();
    rows.back().id = id;
  }
  return rows;
}

Result<std::vector<std::string>> HotLog::ListCatalogs(TimePoint) {
  return std::vector<std::string>{"hive"};
}

// As at the very beginning, before the first event.
Result<std::vector<std::string>> HotLog::ListDatabases(const std::string&, TimePoint) {
  return std::vector<std::string>{};
}

Result<std::vector<std::string>> HotLog::ListTables(const ObjectName&, TimePoint) {
  return std::vector<std::string>{};
}

Result<std::string> HotLog::ReadDatabase(const ObjectName&, TimePoint) { return Unreadable(); }

Result<std::string> HotLog::ReadTable(const ObjectName&, TimePoint) { return Unreadable(); }

Result<std::vector<std::string>> HotLog::ReadPartitions(const ObjectName&, TimePoint) {
  return Unreadable();
}

Result<std::vector<std::string>> HotLog::ReadPartitionsByNames(const ObjectName&,
                                                               const std::vector<std::string>&,
                                                               TimePoint) {
  return Unreadable();
}

Result<std::string> HotLog::ConfigValue(const std::string& key, const std::string& default_value,
                                        TimePoint) {
  if (key == "hive.metastore.transactional.event.listeners") {
    return std::string("org.apache.hive.hcatalog.listener.DbNotificationListener");
  }
  return default_value;
}

Result<hms::ServerFacts> HotLog::Facts(TimePoint) {
  hms::ServerFacts facts;
  facts.generation = hms::Generation::kHive4;
  facts.version = "4.1.0";
  facts.uuid = "00000000-0000-0000-0000-000000000001";
  return facts;
}

Result<std::string> HotLog::Forward(std::string_view, const hms::Identity&, TimePoint) {
  AppendAlterOfDdlTable();
  // A reply without an exception: version 1, type reply, name "alter_table", sequence 1, no field.
  return std::string(
      "\x80\x01\x00\x02\x00\x00\x00\x0b"
      "alter_table"
      "\x00\x00\x00\x01\x00",
      24);
}

}  // namespace catalogd::bench
