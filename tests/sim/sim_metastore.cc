#include "tests/sim/sim_metastore.h"

#include <algorithm>
#include <utility>

#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::sim {
namespace {

using wire::TType;

constexpr std::string_view kListener = "org.apache.hive.hcatalog.listener.DbNotificationListener";
constexpr int kLostLateRow = 3;  // Fetches that do not see a late row.

std::string Unknown(std::string_view method, int32_t sequence_id) {
  return wire::EncodeApplicationError(method, sequence_id, wire::ApplicationError::kUnknownMethod,
                                      "Invalid method name: '" + std::string(method) + "'");
}

std::string Encoded(std::string_view text) {
  std::string out;
  wire::Writer(&out).String(text);
  return out;
}

std::string NamesReply(std::string_view method, int32_t sequence_id,
                       const std::vector<std::string>& names) {
  std::string out;
  wire::Writer writer(&out);
  writer.ListBegin(TType::kString, names.size());
  for (const std::string& name : names) writer.String(name);
  return wire::EncodeReply(method, sequence_id, TType::kList, 0, out);
}

void WriteRow(const hms::NotificationEvent& row, wire::Writer* out) {
  out->I64Field(1, row.id.value());
  out->I32Field(2, row.time);
  out->StringField(3, row.type);
  if (row.db) out->StringField(4, *row.db);
  if (row.table) out->StringField(5, *row.table);
  out->StringField(6, row.message);
  if (row.format) out->StringField(7, *row.format);
  if (row.catalog) out->StringField(8, *row.catalog);
  out->Stop();
}

}  // namespace

class SimMetastore::SimChannel final : public hms::Channel {
 public:
  explicit SimChannel(SimMetastore* server) : server_(server) {}

  Result<std::string> Call(std::string_view message, TimePoint) override {
    Result<std::string> reply = server_->Call(message);
    usable_ = reply.has_value();
    return reply;
  }
  Status Send(std::string_view, TimePoint) override { return Ok(); }
  [[nodiscard]] bool usable() const override { return usable_; }
  [[nodiscard]] const std::string& endpoint() const override { return endpoint_; }

 private:
  SimMetastore* const server_;
  const std::string endpoint_ = "sim";
  bool usable_ = true;
};

Result<std::unique_ptr<hms::Channel>> SimMetastore::Open(const hms::Identity&, TimePoint) {
  return std::unique_ptr<hms::Channel>(std::make_unique<SimChannel>(this));
}

std::string SimMetastore::WriteMessage(const Op& op, size_t number) {
  std::string args;
  wire::Writer out(&args);
  out.I64Field(1, static_cast<int64_t>(number));
  out.StringField(2, "write");
  out.Stop();
  return wire::EncodeCall(OpKindName(op.kind), 1, args);
}

size_t SimMetastore::AddOp(Op op) {
  ops_.push_back(std::move(op));
  return ops_.size() - 1;
}

const OpResult* SimMetastore::ResultOf(size_t number) const {
  const auto it = results_.find(number);
  return it == results_.end() ? nullptr : &it->second;
}

OpResult SimMetastore::ApplyForeign(const Op& op) {
  OpResult result = model_->Apply(op);
  AfterWrite();
  return result;
}

void SimMetastore::AfterWrite() {
  if (options_->late_rows && faults_ && scheduler_->random().OneIn(4)) {
    model_->HideLast(kLostLateRow);
  }
}

void SimMetastore::Perform(size_t number) {
  OpResult result = model_->Apply(ops_[number]);
  scheduler_->Note((result.done ? "did " : "refused ") + ops_[number].ToString() + " at " +
                   std::to_string(model_->current().value()));
  results_[number] = std::move(result);
  AfterWrite();
}

bool SimMetastore::FinishLateWrite() {
  if (late_writes_.empty()) return false;
  const size_t number = late_writes_.front();
  late_writes_.erase(late_writes_.begin());
  Perform(number);
  return true;
}

SimMetastore::Fault SimMetastore::DrawFault(bool write) {
  if (!faults_) return Fault::kNone;
  uint64_t draw = scheduler_->random().Below(1000);
  const auto hit = [&draw](uint64_t rate) {
    if (draw < rate) return true;
    draw -= rate;
    return false;
  };
  if (hit(options_->not_sent)) return Fault::kNotSent;
  if (hit(options_->lost_before)) return Fault::kLostBefore;
  if (hit(options_->lost_after)) return Fault::kLostAfter;
  if (write && hit(options_->late_writes)) return Fault::kLate;
  return Fault::kNone;
}

Result<std::string> SimMetastore::Call(std::string_view message) {
  const auto header = wire::ParseMessageHeader(message);
  if (!header) return AsError(header.error());
  const std::string method(header->method);
  const std::string_view args = message.substr(header->body);
  const bool write = wire::StructView(args).String(2) == "write";
  const Fault fault = DrawFault(write);
  AssertNoMutexHeld("call");
  if (fault == Fault::kNotSent) {
    return MakeError(ErrorCode::kUnavailable, method + ": nothing was sent");
  }
  const Error lost{ErrorCode::kUnknownOutcome, method + ": the connection died"};
  if (fault == Fault::kLostBefore) return AsError(lost);
  std::string reply;
  if (write) {
    const auto number = static_cast<size_t>(*wire::StructView(args).I64(1));
    if (fault == Fault::kLate) {
      late_writes_.push_back(number);
      return AsError(lost);
    }
    reply = Write(method, header->sequence_id, number);
  } else {
    reply = Answer(method, header->sequence_id, args);
  }
  if (faults_ && options_->slow > 0 && scheduler_->random().Below(1000) < options_->slow) {
    scheduler_->Sleep(std::chrono::seconds(1) +
                      std::chrono::seconds(scheduler_->random().Below(20)));
  }
  scheduler_->Yield("answer");
  if (fault == Fault::kLostAfter) return AsError(lost);
  return reply;
}

std::string SimMetastore::Answer(std::string_view method, int32_t sequence_id,
                                 std::string_view args) {
  const bool hive2 = model_->generation() == hms::Generation::kHive2;
  const bool hive4 = model_->generation() == hms::Generation::kHive4;
  const auto text = [&](std::string_view value) {
    return wire::EncodeReply(method, sequence_id, TType::kString, 0, Encoded(value));
  };
  if (method == "getVersion") return text(hive4 ? "4.1.0" : "3.0");
  if (method == "get_metastore_db_uuid") {
    return hive2 ? Unknown(method, sequence_id) : text(model_->uuid());
  }
  if (method == "get_config_value") {
    const wire::StructView view(args);
    if (view.String(1) == "hive.metastore.transactional.event.listeners") return text(kListener);
    return text(view.String(2).value_or(""));
  }
  if (method == "get_current_notificationEventId") {
    std::string body;
    wire::Writer out(&body);
    out.I64Field(1, model_->current().value());
    out.Stop();
    return wire::EncodeReply(method, sequence_id, TType::kStruct, 0, body);
  }
  if (method == "get_next_notification") return NextNotification(method, sequence_id, args);
  if (method == "get_partitions") return ReadPartitions(method, sequence_id, args);
  const bool old_read = method == "get_table" && !hive4;
  if (old_read || method == "get_table_req" || method == "get_database") {
    return ReadObject(method, sequence_id, args);
  }
  return ListNames(method, sequence_id, args);
}

std::string SimMetastore::ListNames(std::string_view method, int32_t sequence_id,
                                    std::string_view args) {
  std::vector<std::string> names;
  if (method == "get_all_databases") {
    for (const ObjectName& name : model_->Databases()) names.push_back(name.db());
    return NamesReply(method, sequence_id, names);
  }
  if (method == "get_all_tables") {
    const auto db = wire::StructView(args).String(1).value_or("");
    for (const ObjectName& name : model_->Tables(ObjectName::Database(kDefaultCatalog, db))) {
      names.push_back(name.table());
    }
    return NamesReply(method, sequence_id, names);
  }
  const bool has_catalogs = model_->generation() != hms::Generation::kHive2;
  if (method != "get_catalogs" || !has_catalogs) return Unknown(method, sequence_id);
  std::string body;
  wire::Writer out(&body);
  out.StringListField(1, {std::string(kDefaultCatalog)});
  out.Stop();
  return wire::EncodeReply(method, sequence_id, TType::kStruct, 0, body);
}

std::string SimMetastore::ReadObject(std::string_view method, int32_t sequence_id,
                                     std::string_view args) {
  const bool database = method == "get_database";
  const bool by_request = method == "get_table_req";
  const auto request = by_request ? wire::StructView(args).Struct(1) : wire::StructView(args);
  const std::string db(request->String(1).value_or(""));
  const std::string table(request->String(2).value_or(""));
  const ObjectName name = database ? ObjectName::Database(kDefaultCatalog, db)
                                   : ObjectName::Table(kDefaultCatalog, db, table);
  StatePtr state = model_->Now(name);
  if (state == nullptr) {
    const int16_t no_such_object = database ? 1 : 2;
    return wire::EncodeExceptionReply(method, sequence_id, no_such_object,
                                      name.ToString() + " not found");
  }
  std::string bytes = state->bytes;
  if (options_->torn_reads && faults_ && !database) {
    // Half of it is read now, the rest when others have been at work.
    scheduler_->Yield("half of a read");
    const StatePtr later = model_->Now(name);
    if (later != nullptr) {
      TestTable torn = later->table;
      torn.parameters = state->table.parameters;
      bytes = TableStruct(torn, model_->generation());
    }
  }
  if (by_request) {
    std::string body;
    wire::Writer out(&body);
    out.RawField(TType::kStruct, 1, bytes);
    out.Stop();
    bytes = std::move(body);
  }
  return wire::EncodeReply(method, sequence_id, TType::kStruct, 0, bytes);
}

std::string SimMetastore::ReadPartitions(std::string_view method, int32_t sequence_id,
                                         std::string_view args) {
  const wire::StructView request(args);
  const ObjectName name = ObjectName::Table(kDefaultCatalog, request.String(1).value_or(""),
                                            request.String(2).value_or(""));
  const StatePtr state = model_->Now(name);
  if (state == nullptr) {
    return wire::EncodeExceptionReply(method, sequence_id, 1, name.ToString() + " not found");
  }
  std::string list;
  wire::Writer out(&list);
  out.ListBegin(TType::kStruct, state->partition_bytes.size());
  for (const auto& [partition, bytes] : state->partition_bytes) out.Raw(bytes);
  return wire::EncodeReply(method, sequence_id, TType::kList, 0, list);
}

std::string SimMetastore::NextNotification(std::string_view method, int32_t sequence_id,
                                           std::string_view args) {
  const auto request = wire::StructView(args).Struct(1);
  const EventId after(request->I64(1).value_or(0));
  const auto max = static_cast<size_t>(request->I32(2).value_or(1 << 20));
  std::vector<const hms::NotificationEvent*> rows;
  for (Model::Row& row : model_->rows()) {
    if (row.event.id <= after) continue;
    // Later than the daemon's window no real server was seen to show them.
    const int64_t newer = model_->current().value() - row.event.id.value();
    if (row.hidden > 0 && faults_ && newer < options_->reread_window) {
      --row.hidden;
      continue;
    }
    if (rows.size() >= max) break;
    rows.push_back(&row.event);
    const bool twice = options_->duplicate_rows && faults_ && scheduler_->random().OneIn(4);
    if (twice && rows.size() < max) rows.push_back(&row.event);
  }
  std::string body;
  wire::Writer out(&body);
  out.Field(TType::kList, 1);
  out.ListBegin(TType::kStruct, rows.size());
  for (const hms::NotificationEvent* row : rows) WriteRow(*row, &out);
  out.Stop();
  return wire::EncodeReply(method, sequence_id, TType::kStruct, 0, body);
}

std::string SimMetastore::Write(std::string_view method, int32_t sequence_id, size_t number) {
  Perform(number);
  const OpResult& result = results_[number];
  if (result.done) return wire::EncodeVoidReply(method, sequence_id);
  return wire::EncodeExceptionReply(method, sequence_id, 1, result.problem);
}

}  // namespace catalogd::sim
