#include "tests/scenario/calls.h"

#include <functional>
#include <map>
#include <utility>

#include "catalog/base/names.h"
#include "tests/scenario/methods.h"
#include "tests/scenario/objects.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::scenario {
namespace {

using Strings = std::vector<std::string>;

// A command's words and what they are about.
struct Request {
  const Strings& words;
  hms::Metastore& truth;
  ObjectName name;

  [[nodiscard]] Strings From(size_t index) const {
    return index >= words.size()
               ? Strings()
               : Strings(words.begin() + static_cast<int64_t>(index), words.end());
  }
  [[nodiscard]] std::string Word(size_t index) const {
    return index < words.size() ? words[index] : "";
  }
  [[nodiscard]] bool Has(const std::string& word) const {
    for (const std::string& each : words) {
      if (each == word) return true;
    }
    return false;
  }
  // What exists now; empty when nothing does.
  [[nodiscard]] std::string Object() const {
    const auto read = name.is_database() ? truth.ReadDatabase(name, TimePoint::max())
                                         : truth.ReadTable(name, TimePoint::max());
    return read ? *read : "";
  }
  // As the client wrote it, with capitals.
  [[nodiscard]] std::string DbText() const { return words[1].substr(0, words[1].find('.')); }
  [[nodiscard]] std::string TableText() const {
    const size_t dot = words[1].find('.');
    return dot == std::string::npos ? "" : words[1].substr(dot + 1);
  }
};

using Arguments = std::function<Status(const Request&, wire::Writer*)>;

void Names(const Request& request, wire::Writer* out) {
  out->StringField(1, request.DbText());
  out->StringField(2, request.TableText());
}

Status OnlyDatabase(const Request& request, wire::Writer* out) {
  out->StringField(1, request.DbText());
  return Ok();
}

Status OnlyTable(const Request& request, wire::Writer* out) {
  Names(request, out);
  return Ok();
}

Status NoArguments(const Request&, wire::Writer*) { return Ok(); }

Status CreateDatabase(const Request& request, wire::Writer* out) {
  ASSIGN_OR_RETURN(const std::string object, ChangeDatabase("", request.name, request.From(2)));
  out->RawField(wire::TType::kStruct, 1, object);
  return Ok();
}

Status AlterDatabase(const Request& request, wire::Writer* out) {
  ASSIGN_OR_RETURN(const std::string object,
                   ChangeDatabase(request.Object(), request.name, request.From(2)));
  out->StringField(1, request.DbText());
  out->RawField(wire::TType::kStruct, 2, object);
  return Ok();
}

Status DropDatabase(const Request& request, wire::Writer* out) {
  out->StringField(1, request.DbText());
  out->BoolField(2, false);
  out->BoolField(3, request.Has("cascade"));
  return Ok();
}

Status CreateTable(const Request& request, wire::Writer* out) {
  ASSIGN_OR_RETURN(const std::string object, ChangeTable("", request.name, request.From(2)));
  out->RawField(wire::TType::kStruct, 1, object);
  return Ok();
}

Status AlterTable(const Request& request, wire::Writer* out) {
  ASSIGN_OR_RETURN(const std::string object,
                   ChangeTable(request.Object(), request.name, request.From(2)));
  Names(request, out);
  out->RawField(wire::TType::kStruct, 3, object);
  return Ok();
}

Status RenameTable(const Request& request, wire::Writer* out) {
  const std::string to = request.Word(2);
  const size_t dot = to.find('.');
  if (dot == std::string::npos) return MakeError(ErrorCode::kInvalidArgument, "rename to what?");
  ASSIGN_OR_RETURN(const std::string object, ChangeTable(request.Object(), request.name, {}));
  Names(request, out);
  const auto target = ObjectName::Table("hive", to.substr(0, dot), to.substr(dot + 1));
  out->RawField(wire::TType::kStruct, 3, RenamedTable(object, target));
  return Ok();
}

Status DropTable(const Request& request, wire::Writer* out) {
  Names(request, out);
  out->BoolField(3, false);
  return Ok();
}

Status TruncateTable(const Request& request, wire::Writer* out) {
  Names(request, out);
  Strings names = request.From(2);
  if (!names.empty()) out->StringListField(3, names);
  return Ok();
}

Status PartitionList(const Request& request, int16_t field, wire::Writer* out) {
  const std::string table = request.Object();
  const Strings specs = request.From(2);
  out->Field(wire::TType::kList, field);
  out->ListBegin(wire::TType::kStruct, specs.size());
  for (const std::string& spec : specs) {
    ASSIGN_OR_RETURN(const std::string partition, MakePartition(table, spec));
    out->Raw(partition);
  }
  return Ok();
}

Status AddPartitions(const Request& request, wire::Writer* out) {
  return PartitionList(request, 1, out);
}

Status AlterPartition(const Request& request, wire::Writer* out) {
  Names(request, out);
  ASSIGN_OR_RETURN(const std::string partition, MakePartition(request.Object(), request.Word(2)));
  out->RawField(wire::TType::kStruct, 3, partition);
  return Ok();
}

Status AlterPartitions(const Request& request, wire::Writer* out) {
  Names(request, out);
  return PartitionList(request, 3, out);
}

Status RenamePartition(const Request& request, wire::Writer* out) {
  Names(request, out);
  out->StringListField(3, ValuesOf(request.Word(2)));
  ASSIGN_OR_RETURN(const std::string partition, MakePartition(request.Object(), request.Word(3)));
  out->RawField(wire::TType::kStruct, 4, partition);
  return Ok();
}

Status DropPartition(const Request& request, wire::Writer* out) {
  Names(request, out);
  out->StringListField(3, ValuesOf(request.Word(2)));
  out->BoolField(4, false);
  return Ok();
}

Status GetPartition(const Request& request, wire::Writer* out) {
  Names(request, out);
  out->StringListField(3, ValuesOf(request.Word(2)));
  return Ok();
}

Status ListPartitions(const Request& request, wire::Writer* out) {
  Names(request, out);
  out->I16Field(3, -1);
  return Ok();
}

Status SetLevel(const Request& request, wire::Writer* out) {
  std::string level;
  for (const std::string& word : request.From(1)) level += (level.empty() ? "" : " ") + word;
  out->StringField(1, "catalogd.read");
  out->StringField(2, level);
  return Ok();
}

enum class Shape { kVoid, kTable, kDatabase, kPartition, kPartitions, kStrings };

struct Method {
  std::string name;
  Arguments arguments;
  Shape shape = Shape::kVoid;
};

const std::map<std::string, Method>& Methods() {
  static const std::map<std::string, Method> all = {
      {"create-database", {"create_database", CreateDatabase}},
      {"alter-database", {"alter_database", AlterDatabase}},
      {"drop-database", {"drop_database", DropDatabase}},
      {"create-table", {"create_table", CreateTable}},
      {"alter-table", {"alter_table", AlterTable}},
      {"rename-table", {"alter_table", RenameTable}},
      {"drop-table", {"drop_table", DropTable}},
      {"truncate-table", {"truncate_table", TruncateTable}},
      {"add-partitions", {"add_partitions", AddPartitions}},
      {"alter-partition", {"alter_partition", AlterPartition}},
      {"alter-partitions", {"alter_partitions", AlterPartitions}},
      {"rename-partition", {"rename_partition", RenamePartition}},
      {"drop-partition", {"drop_partition", DropPartition}},
      {"unheard-of", {"unheard_of", OnlyTable}},
      {"level", {"setMetaConf", SetLevel}},
      {"databases", {"get_all_databases", NoArguments, Shape::kStrings}},
      {"tables", {"get_all_tables", OnlyDatabase, Shape::kStrings}},
      {"database", {"get_database", OnlyDatabase, Shape::kDatabase}},
      {"table", {"get_table", OnlyTable, Shape::kTable}},
      {"partition", {"get_partition", GetPartition, Shape::kPartition}},
      {"partitions", {"get_partitions", ListPartitions, Shape::kPartitions}},
      {"partition-names", {"get_partition_names", ListPartitions, Shape::kStrings}},
  };
  return all;
}

std::string Join(const Strings& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "none" : text;
}

std::string DescribeValue(Shape shape, const wire::Field& field) {
  switch (shape) {
    case Shape::kVoid:
      return "ok";
    case Shape::kTable:
      return DescribeTable(field.value);
    case Shape::kDatabase:
      return DescribeDatabase(field.value);
    case Shape::kPartition:
      return DescribePartition(field.value);
    case Shape::kStrings:
      return Join(wire::ListView(field.value).Strings());
    case Shape::kPartitions:
      break;
  }
  Strings all;
  for (const std::string_view partition : wire::ListView(field.value).Elements()) {
    all.push_back(DescribePartition(partition));
  }
  return Join(all);
}

Shape ShapeOf(const std::string& method) {
  for (const auto& [command, known] : Methods()) {
    if (known.name == method) return known.shape;
  }
  return Shape::kVoid;
}

}  // namespace

Result<ClientCall> MakeClientCall(const Strings& words, hms::Metastore& truth) {
  static int32_t sequence = 0;
  const auto it = words.empty() ? Methods().end() : Methods().find(words[0]);
  if (it == Methods().end()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "no call of a client: " + (words.empty() ? "(nothing)" : words[0]));
  }
  ObjectName name;
  if (words.size() > 1) {
    ASSIGN_OR_RETURN(name, ParseObjectName(words[1]));
  } else if (words[0] != "databases") {
    return MakeError(ErrorCode::kInvalidArgument, words[0] + " of what?");
  }
  const Request request{words, truth, name};
  std::string arguments;
  wire::Writer out(&arguments);
  RETURN_IF_ERROR(it->second.arguments(request, &out));
  out.Stop();
  ClientCall call;
  call.method = it->second.name;
  call.sequence_id = ++sequence;
  call.message = wire::EncodeCall(call.method, call.sequence_id, arguments);
  return call;
}

std::string DescribeReply(const ClientCall& call, std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header) return "(no reply: " + header.error().message + ")";
  const wire::StructView result(reply.substr(header->body));
  if (header->type == wire::MessageType::kException) {
    return "TApplicationException: " + std::string(result.String(1).value_or(""));
  }
  const auto first = result.Begin().Next();
  if (!first) return "ok";
  if (first->id == 0) return DescribeValue(ShapeOf(call.method), *first);
  return ExceptionName(call.method, first->id) + ": " +
         std::string(wire::StructView(first->value).String(1).value_or(""));
}

}  // namespace catalogd::scenario
