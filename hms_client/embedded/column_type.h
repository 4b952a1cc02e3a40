#pragma once

#include <string_view>

// Hive's column types, as far as a metastore looks at them.
namespace catalogd::hms {

// Whether the text is a type: a primitive, or array<..>, map<..>, struct<..>, uniontype<..> of
// types. Parameters of decimal, char and varchar are not looked into.
bool IsColumnType(std::string_view type);

// Whether a column may change from one type to the other under
// hive.metastore.disallow.incompatible.col.type.changes: the same type, a wider number, or
// anything primitive that can be read as text.
bool ColumnTypeMayBecome(std::string_view from, std::string_view to);

}  // namespace catalogd::hms
