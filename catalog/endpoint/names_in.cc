#include "catalog/endpoint/names_in.h"

#include <algorithm>
#include <string>

namespace catalogd::endpoint {
namespace {

bool Used(const NamePath& path) { return path.db != 0; }

// One struct at the end of a way. False when it holds no whole name.
bool TakeName(const NamePath& path, const wire::StructView& at, const std::string& base_catalog,
              std::vector<ObjectName>* names) {
  std::optional<std::string_view> catalog;
  if (path.catalog != 0) catalog = at.String(path.catalog);
  if (path.db == NamePath::kDefaultDatabase) {
    if (!catalog || catalog->empty()) return false;
    names->push_back(ObjectName::Database(*catalog, "default"));
    return true;
  }
  const auto db = at.String(path.db);
  if (!db || db->empty()) return false;
  if (!catalog && !base_catalog.empty()) catalog = base_catalog;
  const DatabaseArgument database = DatabaseOf(catalog, *db);
  if (!database.db || database.db->empty()) return false;
  if (path.table == 0) {
    names->push_back(ObjectName::Database(database.catalog, *database.db));
    return true;
  }
  const auto table = at.String(path.table);
  if (!table) return false;
  ObjectName name = ObjectName::Table(database.catalog, *database.db, *table);
  if (name.is_database()) return false;  // A table name of blanks.
  names->push_back(std::move(name));
  return true;
}

// Follows `way` from its element `step` on. False when something on it is missing.
bool Walk(const NamePath& path, size_t step, const wire::StructView& at,
          const std::string& base_catalog, std::vector<ObjectName>* names) {
  if (step == path.way.size() || path.way[step] == 0) {
    return TakeName(path, at, base_catalog, names);
  }
  const auto field = at.Find(path.way[step]);
  if (!field) return false;
  if (field->type == wire::TType::kStruct) {
    return Walk(path, step + 1, wire::StructView(field->value), base_catalog, names);
  }
  if (field->type != wire::TType::kList) return false;
  const wire::ListView list(field->value);
  if (list.element_type() != wire::TType::kStruct || list.size() == 0) return false;
  const auto elements = list.Elements();
  return std::all_of(elements.begin(), elements.end(), [&](std::string_view element) {
    return Walk(path, step + 1, wire::StructView(element), base_catalog, names);
  });
}

void SortUnique(std::vector<ObjectName>* names) {
  std::sort(names->begin(), names->end());
  names->erase(std::unique(names->begin(), names->end()), names->end());
}

}  // namespace

DatabaseArgument DatabaseOf(std::optional<std::string_view> catalog, std::string_view db) {
  if (!catalog || (!db.empty() && db.front() == '@')) return ParseDatabaseArgument(db);
  DatabaseArgument argument;
  argument.catalog = NormalizeName(*catalog);
  if (argument.catalog.empty()) argument.catalog = kDefaultCatalog;
  argument.db = NormalizeName(db);
  return argument;
}

std::vector<ObjectName> NamesAt(const NamePath& path, const wire::StructView& arguments) {
  std::vector<ObjectName> names;
  if (!Used(path) || !Walk(path, 0, arguments, "", &names)) return {};
  SortUnique(&names);
  return names;
}

std::vector<ObjectName> NamesIn(const MethodRow& row, const wire::StructView& arguments) {
  std::vector<ObjectName> names = NamesAt(row.names[0], arguments);
  if (names.empty() || !Used(row.names[1])) return names;
  // The new Table of an alter often says neither catalog nor, when broken, names: the server takes
  // the catalog of the old one and refuses the rest.
  const std::string catalog = names.front().catalog();
  std::vector<ObjectName> more;
  if (Walk(row.names[1], 0, arguments, catalog, &more)) {
    names.insert(names.end(), more.begin(), more.end());
    SortUnique(&names);
  }
  return names;
}

}  // namespace catalogd::endpoint
