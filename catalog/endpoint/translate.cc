#include "catalog/endpoint/translate.h"

#include "catalog/endpoint/names_in.h"
#include "thrift/idl/field_ids.h"
#include "thrift/wire/write.h"

namespace catalogd::endpoint {
namespace {

using wire::TType;

constexpr std::string_view kGetTable = "get_table";
constexpr std::string_view kGetTables = "get_table_objects_by_name";

std::optional<wire::StructView> BodyOf(std::string_view reply, wire::MessageType type) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header || header->type != type) return std::nullopt;
  return wire::StructView(reply.substr(header->body));
}

std::string InternalErrorOf(const wire::MessageHeader& header) {
  return wire::EncodeApplicationError(header.method, header.sequence_id,
                                      wire::ApplicationError::kInternalError,
                                      "Internal error processing " + std::string(header.method));
}

}  // namespace

bool IsDropped(std::string_view method) { return method == kGetTable || method == kGetTables; }

std::optional<std::string> TranslateCall(const wire::MessageHeader& header,
                                         const wire::StructView& arguments) {
  const auto db = arguments.String(1);
  if (!db) return std::nullopt;
  const DatabaseArgument database = ParseDatabaseArgument(*db);
  if (!database.db) return std::nullopt;
  std::string request;
  wire::Writer out(&request);
  out.Field(TType::kStruct, 1);
  // As the client wrote it: error texts repeat it.
  std::string_view plain = *db;
  if (!plain.empty() && plain.front() == '@') plain.remove_prefix(plain.find('#') + 1);
  if (plain == "!") plain = "";
  out.StringField(ids::get_table_request::kDbName, plain);
  if (header.method == kGetTable) {
    const auto table = arguments.String(2);
    if (!table) return std::nullopt;
    out.StringField(ids::get_table_request::kTblName, *table);
    out.StringField(ids::get_table_request::kCatName, database.catalog);
  } else {
    const auto tables = arguments.Find(2);
    if (!tables || tables->type != TType::kList) return std::nullopt;
    out.RawField(TType::kList, ids::get_tables_request::kTblNames, tables->value);
    out.StringField(ids::get_tables_request::kCatName, database.catalog);
  }
  out.Stop();
  out.Stop();
  return wire::EncodeCall(
      header.method == kGetTable ? "get_table_req" : "get_table_objects_by_name_req",
      header.sequence_id, request);
}

std::string TranslateReply(const wire::MessageHeader& header, std::string_view reply) {
  const auto error = BodyOf(reply, wire::MessageType::kException);
  if (error) {
    std::string out;
    wire::Writer writer(&out);
    writer.MessageBegin(wire::MessageType::kException, header.method, header.sequence_id);
    writer.Raw(error->bytes());
    return out;
  }
  const auto result = BodyOf(reply, wire::MessageType::kReply);
  if (!result) return InternalErrorOf(header);
  const bool one = header.method == kGetTable;
  const auto success = result->Struct(0);
  if (success) {
    const TType type = one ? TType::kStruct : TType::kList;
    const auto value = success->Find(ids::get_table_result::kTable);
    if (!value || value->type != type) return InternalErrorOf(header);
    return wire::EncodeReply(header.method, header.sequence_id, type, 0, value->value);
  }
  auto fields = result->Begin();
  const auto exception = fields.Next();
  // MetaException and NoSuchObjectException sit at the same ids in both; the method for many tables
  // declares nothing at all.
  if (!one || !exception || exception->type != TType::kStruct) return InternalErrorOf(header);
  return wire::EncodeReply(header.method, header.sequence_id, TType::kStruct, exception->id,
                           exception->value);
}

bool IsUnknownMethod(std::string_view reply) {
  const auto error = BodyOf(reply, wire::MessageType::kException);
  return error && error->I32(2) == static_cast<int32_t>(wire::ApplicationError::kUnknownMethod);
}

bool IsSuccess(std::string_view reply) {
  const auto result = BodyOf(reply, wire::MessageType::kReply);
  if (!result) return false;
  auto fields = result->Begin();
  const auto first = fields.Next();
  return !first || first->id == 0;
}

}  // namespace catalogd::endpoint
