#pragma once

#include <string_view>

#include "catalog/base/names.h"
#include "events/event.h"
#include "thrift/idl/field_ids.h"
#include "thrift/wire/view.h"

// Hive 4 stores a database under a name with blanks around it as it was sent, lists it so, and cuts
// the blanks off every name it is asked for: such a database is listed and cannot be reached. Of a
// name that begins with '@' it takes the beginning for a catalog, so asking for its tables is an
// error or shows those of another database. No ObjectName stands for either. Pure.
namespace catalogd::sync {

inline bool IsOddDatabase(std::string_view name) {
  return NormalizeName(name).size() != name.size() || name.starts_with('@');
}

inline bool MakesOddDatabase(const events::Event& event) {
  if (event.kind != events::EventKind::kCreateDatabase || !event.database_image) return false;
  const auto name = wire::StructView(*event.database_image).String(ids::database::kName);
  return name && IsOddDatabase(*name);
}

}  // namespace catalogd::sync
