#pragma once

#include <string_view>

// Hive's column types, as far as a metastore looks at them.
namespace catalogd::hms {

// Whether the metastore takes the text for a type. It looks at the first word only, whose letters
// must be small; what follows is the engines' affair. Source: measured against 3.1 and 4.2.
bool IsColumnType(std::string_view type);

// Whether a column may change from one type to the other under
// hive.metastore.disallow.incompatible.col.type.changes: the same type, a wider number, or
// anything primitive that can be read as text.
bool ColumnTypeMayBecome(std::string_view from, std::string_view to);

}  // namespace catalogd::hms
