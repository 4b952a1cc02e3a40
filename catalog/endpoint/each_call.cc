#include "catalog/endpoint/each_call.h"

#include <array>

#include "catalog/endpoint/other_call.h"
#include "thrift/wire/write.h"

namespace catalogd::endpoint {
namespace {

using wire::StructView;
using wire::TType;

// All older methods declare these two in one order or the other, the newer ones only the first.
constexpr int16_t kMetaException = 1;

}  // namespace

struct EachCall::Row {
  std::string_view method;
  std::string_view list;
  std::string_view one;
  // Of the request.
  int16_t catalog = 0;
  int16_t db = 0;  // 0: the names are those of databases.
  int16_t pattern = 0;
  int16_t names_only = 0;  // A flag that must be there and false.
  int16_t result = 0;      // Of the answer: the list of objects.
  int16_t not_found = 0;   // Of `one`: NoSuchObjectException.
};

const EachCall::Row* EachCall::RowOf(std::string_view method) {
  static constexpr std::array<Row, 2> kRows = {
      Row{"get_databases_req", "get_databases", "get_database", 1, 0, 2, 0, 1, 1},
      Row{"get_functions_req", "get_functions", "get_function", 2, 1, 3, 4, 2, 2}};
  for (const Row& row : kRows) {
    if (row.method == method) return &row;
  }
  return nullptr;
}

std::optional<EachCall> EachCall::Of(const wire::MessageHeader& header, const StructView& arguments,
                                     hms::Generation generation) {
  const Row* const row = RowOf(header.method);
  const auto request = row == nullptr ? std::nullopt : arguments.Struct(1);
  if (!request) return std::nullopt;
  if (row->names_only != 0 && request->Bool(row->names_only).value_or(true)) return std::nullopt;
  EachCall call;
  call.row_ = row;
  call.header_ = header;
  call.generation_ = generation;
  call.catalog_ = request->String(row->catalog).value_or("");
  if (!HasCatalog(call.catalog_, generation)) return std::nullopt;
  const auto pattern = request->String(row->pattern);
  // To Hive 4 an empty pattern matches nothing, to others perhaps all.
  if (pattern && pattern->empty()) return std::nullopt;
  std::string arguments_of_list;
  wire::Writer out(&arguments_of_list);
  if (row->db == 0) {
    out.StringField(1, OldStyleName(call.catalog_, pattern.value_or("*"), generation));
  } else {
    const auto db = request->String(row->db);
    if (!db) return std::nullopt;
    call.db_ = *db;
    out.StringField(1, OldStyleName(call.catalog_, *db, generation));
    out.StringField(2, pattern.value_or("*"));
  }
  out.Stop();
  call.list_ = OlderMessage(row->list, header, arguments_of_list, generation);
  return call;
}

std::optional<std::vector<std::string>> EachCall::Names(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header || header->type != wire::MessageType::kReply) return std::nullopt;
  const auto names = StructView(reply.substr(header->body)).Find(0);
  if (!names || names->type != TType::kList) return std::nullopt;
  return wire::ListView(names->value).Strings();
}

std::string EachCall::One(std::string_view name) const {
  std::string arguments;
  wire::Writer out(&arguments);
  out.StringField(1, OldStyleName(catalog_, row_->db == 0 ? name : db_, generation_));
  if (row_->db != 0) out.StringField(2, name);
  out.Stop();
  return OlderMessage(row_->one, header_, arguments, generation_);
}

bool EachCall::Add(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header || header->type != wire::MessageType::kReply) return false;
  const auto first = StructView(reply.substr(header->body)).Begin().Next();
  if (!first || first->type != TType::kStruct) return false;
  if (first->id == row_->not_found) return true;
  if (first->id != 0) return false;
  objects_.append(first->value);
  ++count_;
  return true;
}

std::string EachCall::Failed(std::string_view reply) const {
  const auto header = wire::ParseMessageHeader(reply);
  const auto first = header ? StructView(reply.substr(header->body)).Begin().Next() : std::nullopt;
  std::string out;
  if (first && header->type == wire::MessageType::kException) {
    wire::Writer writer(&out);
    writer.MessageBegin(header->type, header_.method, header_.sequence_id);
    writer.Raw(reply.substr(header->body));
    return out;
  }
  if (first && first->id != 0 && first->type == TType::kStruct) {
    return wire::EncodeReply(header_.method, header_.sequence_id, TType::kStruct, kMetaException,
                             first->value);
  }
  return wire::EncodeApplicationError(header_.method, header_.sequence_id,
                                      wire::ApplicationError::kInternalError,
                                      "Internal error processing " + std::string(header_.method));
}

std::string EachCall::Answer() const {
  std::string result;
  wire::Writer out(&result);
  out.Field(TType::kList, row_->result);
  out.ListBegin(TType::kStruct, count_);
  out.Raw(objects_);
  out.Stop();
  return wire::EncodeReply(header_.method, header_.sequence_id, TType::kStruct, 0, result);
}

}  // namespace catalogd::endpoint
