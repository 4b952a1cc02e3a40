#include "catalog/endpoint/side_read.h"

#include <algorithm>
#include <string>
#include <utility>

#include "catalog/endpoint/read_request.h"
#include "thrift/wire/scan.h"

namespace catalogd::endpoint {
namespace {

using sync::SideKind;
using wire::TType;

// ForeignKeysRequest: the table that is referred to. Absent fields mean any.
constexpr int16_t kParentDb = 1;
constexpr int16_t kParentTable = 2;
// SQLForeignKey: both tables.
constexpr int16_t kReferredDb = 1;
constexpr int16_t kReferredTable = 2;
constexpr int16_t kReferringDb = 4;
constexpr int16_t kReferringTable = 5;

void AppendSorted(const wire::StructView& fields, std::string* out) {
  std::vector<wire::Field> sorted = fields.Fields();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const wire::Field& a, const wire::Field& b) { return a.id < b.id; });
  for (const wire::Field& field : sorted) out->append(field.encoded);
}

std::optional<ObjectName> TableOf(const std::string& catalog, std::optional<std::string_view> db,
                                  std::optional<std::string_view> table) {
  if (!db || !table || db->empty() || db->front() == '@') return std::nullopt;
  ObjectName name = ObjectName::Table(catalog, *db, *table);
  if (name.db().empty() || name.is_database()) return std::nullopt;
  return name;
}

// False when the request names half a table.
bool AddParent(const ObjectName& target, const wire::StructView& request,
               std::vector<ObjectName>* owners) {
  if (!request.Find(kParentDb) && !request.Find(kParentTable)) return true;
  auto parent = TableOf(target.catalog(), request.String(kParentDb), request.String(kParentTable));
  if (!parent) return false;
  owners->push_back(std::move(*parent));
  return true;
}

bool IsPlainName(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// The list of SQLForeignKey in a result; absent: there is none where one should be.
std::optional<wire::ListView> ForeignKeys(const MethodRow& row, const wire::StructView& success) {
  constexpr int16_t kAllConstraints = 1;
  constexpr int16_t kKeysOfAll = 2;
  constexpr int16_t kKeys = 1;
  std::optional<wire::Field> list;
  if (row.side.keys_among_others) {
    const auto all = success.Struct(kAllConstraints);
    if (!all) return std::nullopt;
    list = all->Find(kKeysOfAll);
    if (!list) return wire::ListView("");
  } else {
    list = success.Find(kKeys);
  }
  if (!list || list->type != TType::kList) return std::nullopt;
  return wire::ListView(list->value);
}

}  // namespace

std::optional<SideRequest> ParseSideRead(const MethodRow& row, const wire::StructView& arguments,
                                         hms::Generation generation) {
  const auto read = ParseRead(row.read, arguments, generation);
  if (!read) return std::nullopt;
  SideRequest request;
  request.target = read->target;
  auto& [kind, owners, call, silent] = request.question;
  kind = row.side.kind;
  silent = row.AnnouncedOn(generation) == ddl::Announced::kSometimes;
  // The metastore tells the schema of what stands before a dot in the name of the table.
  const bool cut =
      kind == SideKind::kSchema && request.target.table().find('.') != std::string::npos;
  if (cut) return std::nullopt;
  // A pattern of databases may be one name; any other may mean any of them.
  const bool of_any = row.side.db_is_pattern && !IsPlainName(read->target.db());
  if (row.read.db != 0 && !of_any) owners.push_back(read->target);
  const auto fields = row.read.request ? arguments.Struct(1) : arguments;
  if (!fields) return std::nullopt;
  if (row.side.names_parent && !AddParent(read->target, *fields, &owners)) {
    return std::nullopt;
  }
  call = row.name;
  call += ' ';
  AppendSorted(*fields, &call);
  return request;
}

std::optional<std::vector<ObjectName>> OwnersInReply(const MethodRow& row, const ObjectName& target,
                                                     std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header || header->type != wire::MessageType::kReply) return std::nullopt;
  const wire::StructView result(reply.substr(header->body));
  const auto first = result.Begin().Next();
  if (!first || first->id != 0) return std::nullopt;  // An exception.
  std::vector<ObjectName> owners;
  if (row.side.kind != SideKind::kForeignKeys) return owners;
  if (first->type != TType::kStruct) return std::nullopt;
  const auto keys = ForeignKeys(row, wire::StructView(first->value));
  if (!keys) return std::nullopt;
  for (const std::string_view element : keys->Elements()) {
    const wire::StructView key(element);
    auto referred = TableOf(target.catalog(), key.String(kReferredDb), key.String(kReferredTable));
    auto referring =
        TableOf(target.catalog(), key.String(kReferringDb), key.String(kReferringTable));
    if (!referred || !referring) return std::nullopt;
    owners.push_back(std::move(*referred));
    owners.push_back(std::move(*referring));
  }
  return owners;
}

}  // namespace catalogd::endpoint
