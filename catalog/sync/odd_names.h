#pragma once

#include <string_view>

#include "catalog/base/names.h"
#include "events/event.h"
#include "thrift/idl/field_ids.h"
#include "thrift/wire/view.h"

// Hive 4 stores a database under a name with blanks around it as it was sent, lists it so, and cuts
// the blanks off every name it is asked for: such a database is listed and cannot be reached. No
// ObjectName stands for it. Pure.
namespace catalogd::sync {

inline bool HasOuterBlanks(std::string_view name) {
  return NormalizeName(name).size() != name.size();
}

inline bool MakesOddDatabase(const events::Event& event) {
  if (event.kind != events::EventKind::kCreateDatabase || !event.database_image) return false;
  const auto name = wire::StructView(*event.database_image).String(ids::database::kName);
  return name && HasOuterBlanks(*name);
}

}  // namespace catalogd::sync
