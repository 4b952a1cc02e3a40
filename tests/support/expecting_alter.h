#pragma once

#include <map>
#include <string>

#include "tests/support/objects.h"
#include "thrift/wire/write.h"

namespace catalogd::testing {

// A call of alter_table_with_environment_context that makes `table` of what is there.
inline std::string ExpectingAlter(const TestTable& table,
                                  const std::map<std::string, std::string>& environment) {
  std::string arguments;
  wire::Writer out(&arguments);
  out.StringField(1, table.db);
  out.StringField(2, table.name);
  out.RawField(wire::TType::kStruct, 3, TableBytes(table));
  out.Field(wire::TType::kStruct, 4);
  out.StringMapField(1, environment);
  out.Stop();
  out.Stop();
  return wire::EncodeCall("alter_table_with_environment_context", 7, arguments);
}

}  // namespace catalogd::testing
