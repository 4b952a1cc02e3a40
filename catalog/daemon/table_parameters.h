#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/names.h"

// The messages with which the daemon alters parameters of a table, made from the metastore's own
// bytes: what it does not know in them stays. Pure functions.
namespace catalogd::daemon {

// Of an encoded Table; empty where it has none.
std::map<std::string, std::string> ParametersOf(std::string_view table);
std::string LocationOf(std::string_view table);
bool IsPartitioned(std::string_view table);
// Which object it is: "TIME" of its creation, "TIME/ID" where the metastore gives ids. Empty: not
// told.
std::string IncarnationOf(std::string_view table);
// False when they are certainly two. An image of an event has no id where an answer has one.
bool MayBeSame(std::string_view incarnation, std::string_view other);

// The encoded Table with these parameters set and those taken away; every other byte is kept.
std::string WithParameters(std::string_view table, const std::map<std::string, std::string>& set,
                           const std::vector<std::string>& remove);

// What an alter expects of the table before it.
struct ExpectedValue {
  std::string key;
  std::string value;
};
// alter_table_with_environment_context that leaves statistics alone.
std::string AlterTableCall(const ObjectName& name, std::string_view table,
                           const std::optional<ExpectedValue>& expected);

// A view that selects nothing from no table, and what takes it away again.
std::string CreateViewCall(const ObjectName& name,
                           const std::map<std::string, std::string>& parameters);
std::string DropTableCall(const ObjectName& name);

// The text of the exception that is the answer; absent for anything else.
std::optional<std::string> ExceptionText(std::string_view reply);
// An answer of a metastore that has compared and found another value.
bool SaysModified(std::string_view exception_text);

}  // namespace catalogd::daemon
