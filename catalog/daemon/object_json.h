#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

// Objects of the metastore as JSON, for people: from the raw struct, field by field. Fields that
// this build does not know appear as "field_42"; nothing is left out. Thread safety: pure
// functions.
namespace catalogd::daemon {

nlohmann::json TableToJson(std::string_view table_struct);
nlohmann::json DatabaseToJson(std::string_view database_struct);

}  // namespace catalogd::daemon
