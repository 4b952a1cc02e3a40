#include "tests/replay/calls_replayer.h"

#include <algorithm>
#include <functional>
#include <set>

#include "events/message_text.h"
#include "tests/replay/json_lines.h"
#include "tests/replay/struct_diff.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/tjson.h"
#include "thrift/wire/view.h"

namespace catalogd::replay {

namespace {

// What an answer that is an exception says.
std::string ExceptionText(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header) return "";
  const wire::StructView body(reply.substr(header->body));
  if (header->type == wire::MessageType::kException)
    return std::string(body.String(1).value_or(""));
  const std::vector<wire::Field> fields = body.Fields();
  if (fields.empty() || fields.front().type != wire::TType::kStruct) return "";
  return std::string(wire::StructView(fields.front().value).String(1).value_or(""));
}

using Json = nlohmann::json;

std::string TextAt(const Json& line, const char* key) {
  const auto at = line.find(key);
  return at != line.end() && at->is_string() ? at->get<std::string>() : "";
}

// What every server and every run says differently.
bool IsNoise(const std::string& path) {
  static const std::set<std::string> kNoise = {"createTime",
                                               "lastAccessTime",
                                               "parameters{transient_lastDdlTime}",
                                               "lastModifiedTime",
                                               "id",
                                               "parameters{last_modified_time}",
                                               "#1.#5",  // When statistics were made.
                                               "#6",     // When a function was made.
                                               "creationMetadata.materializationTime"};
  return kNoise.contains(path);
}

std::string TypesOf(const std::vector<hms::NotificationEvent>& events) {
  std::string types;
  for (const hms::NotificationEvent& one : events) {
    types += (types.empty() ? "" : " ") + one.type;
  }
  return types.empty() ? "none" : types;
}

void SortByTable(std::vector<hms::NotificationEvent>* events) {
  std::stable_sort(events->begin(), events->end(),
                   [](const hms::NotificationEvent& a, const hms::NotificationEvent& b) {
                     return a.table.value_or("") < b.table.value_or("");
                   });
}

std::string Shown(const std::optional<std::string>& text) { return text.value_or("absent"); }

Result<Json> MessageOf(const hms::NotificationEvent& event) {
  std::string storage;
  ASSIGN_OR_RETURN(const std::string_view text,
                   events::MessageView(event, events::DecoderLimits(), &storage));
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return MakeError(ErrorCode::kCorrupt, "the message is not an object");
  return json;
}

// What sort of struct a key of a message holds.
ObjectKind KindOfKey(const std::string& key) {
  if (key.starts_with("db")) return ObjectKind::kDatabase;
  if (key.starts_with("tableObj")) return ObjectKind::kTable;
  if (key.starts_with("partition") || key.starts_with("ptnObj")) return ObjectKind::kPartition;
  return ObjectKind::kFunction;
}

class MessageDiff {
 public:
  // Calls `found(path, recorded, made)` for each difference.
  using Found = std::function<void(const std::string&, const std::string&, const std::string&)>;
  explicit MessageDiff(Found found) : found_(std::move(found)) {}

  void Compare(const std::string& key, const Json& recorded, const Json& made) {
    if (key == "timestamp" || key == "server" || key == "servicePrincipal") return;
    if (recorded.type() != made.type()) {
      found_(key, recorded.dump().substr(0, 60), made.dump().substr(0, 60));
    } else if (recorded.is_array() && key.ends_with("Json")) {
      if (recorded.size() != made.size()) {
        found_(key + ".size", std::to_string(recorded.size()), std::to_string(made.size()));
      }
      for (size_t i = 0; i < std::min(recorded.size(), made.size()); ++i) {
        Structs(key, recorded[i].get<std::string>(), made[i].get<std::string>());
      }
    } else if (recorded.is_string() && key.ends_with("Json")) {
      Structs(key, recorded.get<std::string>(), made.get<std::string>());
    } else if (key == "parameters") {
      Parameters(recorded, made);
    } else if (recorded != made) {
      found_(key, recorded.dump().substr(0, 200), made.dump().substr(0, 200));
    }
  }

 private:
  void Structs(const std::string& key, const std::string& recorded, const std::string& made) {
    const auto left = wire::TJsonStructToBinary(recorded);
    const auto right = wire::TJsonStructToBinary(made);
    if (!left || !right) {
      found_(key, left ? "readable" : "unreadable", right ? "readable" : "unreadable");
      return;
    }
    for (const Difference& one : DiffStructs(KindOfKey(key), *left, *right)) {
      if (!IsNoise(one.path)) found_(key + " " + one.path, one.left, one.right);
    }
  }

  void Parameters(const Json& recorded, const Json& made) {
    std::set<std::string> keys;
    for (const auto& item : recorded.items()) keys.insert(item.key());
    for (const auto& item : made.items()) keys.insert(item.key());
    for (const std::string& key : keys) {
      const std::string path = "parameters{" + key + "}";
      const std::string left = recorded.contains(key) ? recorded[key].dump() : "absent";
      const std::string right = made.contains(key) ? made[key].dump() : "absent";
      if (left != right && !IsNoise(path)) found_("message " + path, left, right);
    }
  }

  Found found_;
};

Result<hms::NotificationEvent> EventFrom(wire::StructView event) {
  hms::NotificationEvent row;
  const auto text = [&](int16_t id) -> std::optional<std::string> {
    const auto value = event.String(id);
    if (!value) return std::nullopt;
    return std::string(*value);
  };
  const auto id = event.I64(1);
  if (!id) return MakeError(ErrorCode::kCorrupt, "an event without an id");
  row.id = EventId(*id);
  row.type = text(3).value_or("");
  row.db = text(4);
  row.table = text(5);
  row.message = text(6).value_or("");
  row.format = text(7);
  row.catalog = text(8);
  return row;
}

}  // namespace

void CallsReplayer::Found(const std::string& difference) {
  if (wanted_.Wants(difference)) return;
  report_.differences.push_back(difference);
}

Status CallsReplayer::Open(const std::string& version) {
  hms::EmbeddedOptions options;
  options.path = ":memory:";
  // Where the recorded server had it; directories are not touched.
  options.warehouse = "file:/tmp/recorded/" + version + "/warehouse";
  options.manage_directories = false;
  ASSIGN_OR_RETURN(metastore_, hms::EmbeddedMetastore::Open(options, clock_));
  ASSIGN_OR_RETURN(channel_, metastore_->Open({}, TimePoint::max()));
  return Ok();
}

Status CallsReplayer::ReadCalls(const std::string& folder) {
  return ForEachLine(folder, "calls", [&](const Json& line) -> Status {
    Call call;
    call.label = TextAt(line, "label");
    call.method = TextAt(line, "method");
    call.arguments = line.value("args", Json::object());
    if (line.contains("error") && line["error"].is_object()) {
      call.error = TextAt(line["error"], "class");
    }
    call.before = EventId(line.value("last_event_before", int64_t{0}));
    call.after = EventId(line.value("last_event_after", int64_t{0}));
    calls_.push_back(std::move(call));
    return Ok();
  });
}

std::string CallsReplayer::ErrorOf(const std::string& method, std::string_view reply) const {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header) return "no answer";
  const wire::StructView body(reply.substr(header->body));
  if (header->type == wire::MessageType::kException) {
    // An unknown method is told apart: nothing but the embedded metastore is at fault then.
    return body.I32(2) == 1 ? "UnknownMethod" : "TApplicationException";
  }
  const std::vector<wire::Field> fields = body.Fields();
  if (fields.empty() || fields.front().id == 0) return "";
  return facts_.ExceptionClass(method, fields.front().id);
}

Result<std::string> CallsReplayer::Ask(const std::string& method, const Json& arguments) {
  ASSIGN_OR_RETURN(const std::string message, EncodeCallFromJson(facts_, method, arguments));
  ASSIGN_OR_RETURN(const std::string reply, channel_->Call(message, TimePoint::max()));
  if (!ErrorOf(method, reply).empty()) return std::string();
  const auto header = wire::ParseMessageHeader(reply);
  const auto field = wire::StructView(std::string_view(reply).substr(header->body)).Find(0);
  return field ? std::string(field->value) : std::string();
}

void CallsReplayer::Translate(Call* call) const {
  if (!recording_.name.starts_with("3.1")) return;
  // What that server does not look at must not be looked at here either.
  const Json::json_pointer key("/environment_context/properties/expected_parameter_key");
  if (call->arguments.contains(key)) {
    call->arguments["environment_context"]["properties"].erase("expected_parameter_key");
  }
  // That server asks for no capabilities where a transactional table is made.
  const Json::json_pointer transactional("/tbl/parameters/transactional");
  if (call->method == "create_table" && call->arguments.contains(transactional)) {
    call->method = "create_table_req";
    call->arguments = {{"request",
                        {{"table", call->arguments["tbl"]},
                         {"processorCapabilities", {"HIVEMANAGEDINSERTWRITE"}}}}};
  }
}

Status CallsReplayer::Make(Call call) {
  const std::string told = "call " + call.method + " (" + call.label + ") recorded " +
                           (call.error.empty() ? "success" : call.error);
  if (wanted_.Wants(told)) return Ok();
  ++report_.calls;
  Translate(&call);
  ASSIGN_OR_RETURN(const std::string message,
                   EncodeCallFromJson(facts_, call.method, call.arguments));
  ASSIGN_OR_RETURN(const std::string reply, channel_->Call(message, TimePoint::max()));
  const std::string error = ErrorOf(call.method, reply);
  if (error != call.error) {
    Found("error " + call.method + " (" + call.label + "): recorded " +
          (call.error.empty() ? "success" : call.error) + ", embedded " +
          (error.empty() ? "success" : error + ": " + ExceptionText(reply)));
  }
  CompareEvents(call);
  return Ok();
}

void CallsReplayer::CompareEvents(const Call& call) {
  std::vector<hms::NotificationEvent> recorded;
  for (const hms::NotificationEvent& one : recording_.log) {
    if (one.id > call.before && one.id <= call.after) recorded.push_back(one);
  }
  std::vector<hms::NotificationEvent> made;
  const auto answer =
      Ask("get_next_notification", {{"rqst", {{"lastEvent", seen_.value()}, {"maxEvents", -1}}}});
  if (answer && !answer->empty()) {
    const auto list = wire::StructView(*answer).Find(1);
    if (list) {
      for (const std::string_view element : wire::ListView(list->value).Elements()) {
        auto event = EventFrom(wire::StructView(element));
        if (!event) continue;
        seen_ = event->id;
        made.push_back(std::move(*event));
      }
    }
  }
  const std::string context = call.method + " (" + call.label + ")";
  if (call.method.starts_with("drop_database")) {
    // In which order its tables go is nobody's promise.
    SortByTable(&recorded);
    SortByTable(&made);
  }
  if (TypesOf(recorded) != TypesOf(made)) {
    Found("events " + context + ": recorded " + TypesOf(recorded) + ", embedded " + TypesOf(made));
    return;
  }
  for (size_t i = 0; i < made.size(); ++i) {
    ++report_.events;
    CompareEvent(made[i].type + " of " + context, recorded[i], made[i]);
  }
}

void CallsReplayer::CompareEvent(const std::string& context, const hms::NotificationEvent& recorded,
                                 const hms::NotificationEvent& made) {
  const auto compare = [&](const char* what, const std::optional<std::string>& left,
                           const std::optional<std::string>& right) {
    if (left != right) {
      Found("row " + context + ": " + what + " recorded " + Shown(left) + ", embedded " +
            Shown(right));
    }
  };
  compare("catalog", recorded.catalog, made.catalog);
  compare("database", recorded.db, made.db);
  compare("table", recorded.table, made.table);
  const Result<Json> left = MessageOf(recorded);
  const Result<Json> right = MessageOf(made);
  if (!left || !right) {
    Found("message " + context + ": cannot be read");
    return;
  }
  MessageDiff diff([&](const std::string& path, const std::string& a, const std::string& b) {
    Found("image " + context + ": " + path + " recorded " + a + ", embedded " + b);
  });
  std::set<std::string> keys;
  for (const auto& item : left->items()) keys.insert(item.key());
  for (const auto& item : right->items()) keys.insert(item.key());
  for (const std::string& key : keys) {
    if (left->contains(key) && right->contains(key)) {
      diff.Compare(key, (*left)[key], (*right)[key]);
    } else {
      Found("image " + context + ": " + key + " recorded " +
            (left->contains(key) ? "present" : "absent") + ", embedded " +
            (right->contains(key) ? "present" : "absent"));
    }
  }
}

void CallsReplayer::CompareState() {
  for (const EndObject& object : recording_.end) {
    ++report_.objects;
    const ObjectName& name = object.key.name;
    Result<std::string> now = std::string();
    switch (object.key.kind) {
      case ObjectKind::kDatabase:
        now = Ask("get_database", {{"name", name.db()}});
        break;
      case ObjectKind::kTable:
        now = Ask("get_table", {{"dbname", name.db()}, {"tbl_name", name.table()}});
        break;
      case ObjectKind::kFunction:
        now = Ask("get_function", {{"dbName", name.db()}, {"funcName", object.key.part}});
        break;
      case ObjectKind::kPartition:
        now = Ask(
            "get_partition_by_name",
            {{"db_name", name.db()}, {"tbl_name", name.table()}, {"part_name", object.key.part}});
        break;
    }
    if (!now || now->empty()) {
      Found("state " + object.key.ToString() + ": recorded present, embedded absent");
      continue;
    }
    for (const Difference& one : DiffStructs(object.key.kind, object.thrift, *now)) {
      if (IsNoise(one.path)) continue;
      Found("state " + object.key.ToString() + ": " + one.path + " recorded " + one.left +
            ", embedded " + one.right);
    }
  }
}

Status CallsReplayer::Run(const Files& files) {
  ASSIGN_OR_RETURN(recording_, ReadRecording(files.folder));
  ASSIGN_OR_RETURN(facts_, IdlFacts::Read(files.facts));
  ASSIGN_OR_RETURN(wanted_, WantedDifferences::Read(files.wanted, recording_.name));
  RETURN_IF_ERROR(ReadCalls(files.folder));
  const std::string version = recording_.name.substr(0, recording_.name.find('-'));
  RETURN_IF_ERROR(Open(version));
  for (const Call& call : calls_) RETURN_IF_ERROR(Make(call));
  CompareState();
  report_.unused = wanted_.Unused();
  report_.wanted = wanted_.wanted();
  return Ok();
}

}  // namespace catalogd::replay
