#include "tests/replay/recording.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "events/message_text.h"
#include "tests/replay/json_lines.h"
#include "tests/replay/struct_diff.h"
#include "thrift/idl/object_field_ids.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

namespace catalogd::replay {
namespace {

using Json = nlohmann::json;

std::optional<std::string> TextOf(const Json& line, const char* key) {
  const auto at = line.find(key);
  if (at == line.end() || !at->is_string()) return std::nullopt;
  return at->get<std::string>();
}

Result<std::string> Text(const Json& line, const char* key) {
  std::optional<std::string> text = TextOf(line, key);
  if (!text) return MakeError(ErrorCode::kCorrupt, std::string("no text '") + key + "'");
  return std::move(*text);
}

Result<int64_t> Number(const Json& line, const char* key) {
  const auto at = line.find(key);
  if (at == line.end() || !at->is_number_integer()) {
    return MakeError(ErrorCode::kCorrupt, std::string("no number '") + key + "'");
  }
  return at->get<int64_t>();
}

Result<hms::NotificationEvent> ReadRow(const Json& line) {
  hms::NotificationEvent row;
  ASSIGN_OR_RETURN(const int64_t id, Number(line, "eventId"));
  ASSIGN_OR_RETURN(const int64_t time, Number(line, "eventTime"));
  row.id = EventId(id);
  row.time = static_cast<int32_t>(time);
  ASSIGN_OR_RETURN(row.type, Text(line, "eventType"));
  ASSIGN_OR_RETURN(row.message, Text(line, "message"));
  row.catalog = TextOf(line, "catName");
  row.db = TextOf(line, "dbName");
  row.table = TextOf(line, "tableName");
  row.format = TextOf(line, "messageFormat");
  return row;
}

Result<ObjectKey> ReadKey(const Json& line) {
  ASSIGN_OR_RETURN(const std::string kind, Text(line, "kind"));
  std::vector<std::string> parts;
  if (const auto name = line.find("name"); name != line.end() && name->is_array()) {
    for (const Json& part : *name) {
      if (part.is_string()) parts.push_back(part.get<std::string>());
    }
  }
  ObjectKey key;
  size_t expected = 2;
  if (kind == "database") {
    expected = 1;
  } else if (kind == "table") {
    key.kind = ObjectKind::kTable;
  } else if (kind == "function") {
    key.kind = ObjectKind::kFunction;
  } else if (kind == "partition") {
    key.kind = ObjectKind::kPartition;
    expected = 3;
  } else {
    return MakeError(ErrorCode::kCorrupt, "kind '" + kind + "' is not known");
  }
  if (parts.size() != expected) return MakeError(ErrorCode::kCorrupt, "name with other parts");
  const bool in_table = key.kind == ObjectKind::kTable || key.kind == ObjectKind::kPartition;
  key.name = in_table ? ObjectName::Table(kDefaultCatalog, parts[0], parts[1])
                      : ObjectName::Database(kDefaultCatalog, parts[0]);
  if (!in_table && parts.size() > 1) key.part = parts[1];
  if (key.kind == ObjectKind::kPartition) key.part = parts[2];
  return key;
}

Result<std::string> ReadStruct(const Json& line) {
  ASSIGN_OR_RETURN(const std::string text, Text(line, "thrift"));
  ASSIGN_OR_RETURN(std::string bytes, events::DecodeBase64(text));
  const auto length = wire::ValueLength(wire::TType::kStruct, bytes);
  if (!length || *length != bytes.size()) {
    return MakeError(ErrorCode::kCorrupt, "'thrift' is not one struct");
  }
  return bytes;
}

struct Call {
  std::string label;
  EventId before;
  EventId after;
  bool failed = false;
  std::set<std::string> texts;  // Every string in its arguments, lower case.
};

void CollectTexts(const Json& value, std::set<std::string>* texts) {
  if (value.is_string()) {
    texts->insert(value.get<std::string>());
    texts->insert(NormalizeName(value.get<std::string>()));
  }
  if (!value.is_structured()) return;
  for (const Json& part : value) CollectTexts(part, texts);
}

Result<Call> ReadCall(const Json& line) {
  Call call;
  ASSIGN_OR_RETURN(call.label, Text(line, "label"));
  ASSIGN_OR_RETURN(const int64_t before, Number(line, "last_event_before"));
  ASSIGN_OR_RETURN(const int64_t after, Number(line, "last_event_after"));
  call.before = EventId(before);
  call.after = EventId(after);
  call.failed = line.contains("error") && !line["error"].is_null();
  if (const auto args = line.find("args"); args != line.end()) CollectTexts(*args, &call.texts);
  return call;
}

// A line of checkpoints.jsonl with what the object was before it.
struct Checkpoint {
  EventId id;
  ObjectState state;
  std::optional<std::string> before;
};

// Could this call, which wrote no event, have made this change? Only objects that its arguments
// name, and only fields that are known to change without an event.
bool Explains(const Call& call, const Checkpoint& line) {
  if (call.failed || !line.state.thrift || !line.before) return false;
  const ObjectKey& key = line.state.key;
  const auto names = [&](const std::string& text) {
    return text.empty() || call.texts.count(text) > 0;
  };
  if (!names(key.name.db()) || !names(key.name.table()) || !names(key.part)) return false;
  const auto changes = DiffStructs(key.kind, *line.before, *line.state.thrift);
  if (changes.empty()) return false;
  if (key.kind == ObjectKind::kDatabase || key.kind == ObjectKind::kFunction) return true;
  return std::all_of(changes.begin(), changes.end(), [](const Difference& change) {
    return change.path == "parameters{COLUMN_STATS_ACCURATE}";
  });
}

// Events that concern an object without bringing anything of it.
bool BringsContent(const hms::NotificationEvent& row) {
  constexpr std::string_view kNone[] = {"INSERT", "_TXN", "ALLOC_WRITE_ID_EVENT",
                                        "DROP_CONSTRAINT"};
  const std::string_view type = row.type;
  if (type.starts_with("DELETE_")) return false;
  if (type.starts_with("ADD_") && type != "ADD_PARTITION") return false;  // Constraints.
  return std::none_of(std::begin(kNone), std::end(kNone),
                      [type](std::string_view end) { return type.ends_with(end); });
}

// Puts lines of checkpoints.jsonl to the calls that they belong to: the lines are in the order of
// the calls but do not say whose they are.
class StepBuilder {
 public:
  StepBuilder(const std::vector<hms::NotificationEvent>* log, std::vector<Checkpoint> lines)
      : log_(log), lines_(std::move(lines)) {}

  Result<std::vector<Step>> Build(const std::vector<Call>& calls) {
    auto line = lines_.begin();
    for (auto call = calls.begin(); call != calls.end();) {
      const auto later = [call](const auto& other) { return other.after != call->after; };
      const auto end = std::find_if(call, calls.end(), later);
      const auto last = std::find_if(line, lines_.end(),
                                     [call](const auto& other) { return other.id != call->after; });
      AddSteps(call, end, line, last);
      line = last;
      call = end;
    }
    if (line == lines_.end()) return std::move(steps_);
    return MakeError(ErrorCode::kCorrupt, "checkpoints.jsonl: no call ended at event " +
                                              std::to_string(line->id.value()));
  }

 private:
  using CallIterator = std::vector<Call>::const_iterator;
  using LineIterator = std::vector<Checkpoint>::iterator;

  // Calls that ended at the same id: the one that wrote the events, then some that wrote none.
  void AddSteps(CallIterator call, CallIterator calls_end, LineIterator line, LineIterator end) {
    std::vector<Step> reversed;
    while (calls_end != call) {
      --calls_end;
      Step step;
      step.label = calls_end->label;
      step.id = calls_end->after;
      std::set<ObjectKey> taken;
      // What no call without events explains belongs to the first one.
      const bool takes_all = calls_end == call;
      while (line != end) {
        Checkpoint& at = *std::prev(end);
        if (!takes_all && (!Explains(*calls_end, at) || taken.count(at.state.key) > 0)) break;
        taken.insert(at.state.key);
        at.state.told = Tells(*calls_end, at);
        step.objects.push_back(std::move(at.state));
        --end;
      }
      std::reverse(step.objects.begin(), step.objects.end());
      const bool silent = calls_end->before == calls_end->after;
      if (!silent || !step.objects.empty()) reversed.push_back(std::move(step));
    }
    std::move(reversed.rbegin(), reversed.rend(), std::back_inserter(steps_));
  }

  [[nodiscard]] bool Tells(const Call& call, const Checkpoint& line) const {
    if (call.before == call.after) return false;
    bool content = false;
    bool named = false;
    for (const hms::NotificationEvent& row : *log_) {
      if (row.id <= call.before || row.id > call.after) continue;
      content = content || BringsContent(row);
      named =
          named || (row.db && row.table &&
                    ObjectName::Table(kDefaultCatalog, *row.db, *row.table) == line.state.key.name);
    }
    if (!line.before || !line.state.thrift) return true;
    const auto changes = DiffStructs(line.state.key.kind, *line.before, *line.state.thrift);
    if (changes.empty()) return content;
    // What a materialized view holds of its sources changed at some time before, unseen.
    const bool sources_only = std::all_of(
        changes.begin(), changes.end(),
        [](const Difference& change) { return change.path.starts_with("creationMetadata."); });
    return named || !sources_only;
  }

  const std::vector<hms::NotificationEvent>* const log_;
  std::vector<Checkpoint> lines_;
  std::vector<Step> steps_;
};

Result<std::vector<Checkpoint>> ReadCheckpoints(const std::string& folder) {
  std::vector<Checkpoint> lines;
  std::map<ObjectKey, std::optional<std::string>> newest;
  RETURN_IF_ERROR(ForEachLine(folder, "checkpoints", [&](const Json& json) -> Status {
    Checkpoint line;
    ASSIGN_OR_RETURN(const int64_t id, Number(json, "event_id"));
    line.id = EventId(id);
    ASSIGN_OR_RETURN(line.state.key, ReadKey(json));
    if (json.contains("thrift") && !json["thrift"].is_null()) {
      ASSIGN_OR_RETURN(line.state.thrift, ReadStruct(json));
    }
    std::optional<std::string>& before = newest[line.state.key];
    line.before = std::exchange(before, line.state.thrift);
    lines.push_back(std::move(line));
    return Ok();
  }));
  return lines;
}

// Told by what only that generation writes.
hms::Generation GenerationOf(const Recording& recording) {
  for (const EndObject& object : recording.end) {
    const wire::StructView view(object.thrift);
    if (object.key.kind == ObjectKind::kTable && view.Find(ids::table::kWriteId)) {
      return hms::Generation::kHive4;
    }
  }
  const auto any = [&recording](const auto& holds) {
    return std::any_of(recording.log.begin(), recording.log.end(), holds);
  };
  if (any([](const auto& row) { return row.format == "gzip(json-2.0)"; })) {
    return hms::Generation::kHive4;
  }
  const bool catalogs = any([](const auto& row) { return row.catalog.has_value(); });
  return catalogs ? hms::Generation::kHive3 : hms::Generation::kHive2;
}

}  // namespace

Result<Recording> ReadRecording(const std::string& folder) {
  Recording recording;
  recording.name = std::filesystem::path(folder + "/").parent_path().filename();
  RETURN_IF_ERROR(ForEachLine(folder, "log", [&](const Json& line) -> Status {
    ASSIGN_OR_RETURN(recording.log.emplace_back(), ReadRow(line));
    return Ok();
  }));
  std::vector<Call> calls;
  RETURN_IF_ERROR(ForEachLine(folder, "calls", [&](const Json& line) -> Status {
    ASSIGN_OR_RETURN(calls.emplace_back(), ReadCall(line));
    return Ok();
  }));
  RETURN_IF_ERROR(ForEachLine(folder, "state", [&](const Json& line) -> Status {
    EndObject& object = recording.end.emplace_back();
    ASSIGN_OR_RETURN(object.key, ReadKey(line));
    ASSIGN_OR_RETURN(object.thrift, ReadStruct(line));
    if (const auto paths = line.find("unannounced"); paths != line.end() && paths->is_array()) {
      for (const Json& path : *paths) {
        if (path.is_string()) object.unannounced.push_back(path.get<std::string>());
      }
    }
    return Ok();
  }));
  ASSIGN_OR_RETURN(std::vector<Checkpoint> lines, ReadCheckpoints(folder));
  ASSIGN_OR_RETURN(recording.steps, StepBuilder(&recording.log, std::move(lines)).Build(calls));
  recording.generation = GenerationOf(recording);
  return recording;
}

}  // namespace catalogd::replay
