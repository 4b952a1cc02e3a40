#include <algorithm>

#include "catalog/endpoint/call_rows.h"
#include "catalog/endpoint/names_in.h"
#include "catalog/endpoint/other_call.h"
#include "thrift/wire/write.h"

// Older calls that are gone, made of those that took their place.
namespace catalogd::endpoint {
namespace {

using wire::StructView;
using wire::TType;

const CallRow* RowOf(std::string_view method) {
  const auto rows = CallRows();
  const auto it = std::find_if(rows.begin(), rows.end(), [method](const CallRow& row) {
    return row.older == method && row.direction != Direction::kToOlder;
  });
  return it == rows.end() ? nullptr : &*it;
}

// As the client wrote it: error texts repeat it.
std::string_view PlainName(std::string_view db) {
  if (!db.empty() && db.front() == '@') db.remove_prefix(db.find('#') + 1);
  return db == "!" ? "" : db;
}

}  // namespace

bool MayBeDropped(std::string_view method) { return RowOf(method) != nullptr; }

std::optional<OtherCall> ToNewer(const wire::MessageHeader& header, const StructView& arguments) {
  const CallRow* const row = RowOf(header.method);
  if (row == nullptr) return std::nullopt;
  std::string request;
  wire::Writer out(&request);
  out.Field(TType::kStruct, 1);
  int16_t from = 1;
  std::string catalog;
  if (row->db != 0) {
    const auto db = arguments.String(from++);
    if (!db) return std::nullopt;
    const DatabaseArgument database = ParseDatabaseArgument(*db);
    if (!database.db) return std::nullopt;
    out.StringField(row->db, PlainName(*db));
    catalog = database.catalog;
  }
  for (const CallArgument& argument : row->arguments) {
    if (argument.source == ArgumentSource::kNone) break;
    const auto field = arguments.Find(from++);
    if (!field) return std::nullopt;
    out.RawField(field->type, argument.from, field->value);
  }
  if (row->catalog != 0) out.StringField(row->catalog, catalog);
  out.Stop();
  out.Stop();
  return OtherCall{row->newer, wire::EncodeCall(row->newer, header.sequence_id, request), row};
}

}  // namespace catalogd::endpoint
