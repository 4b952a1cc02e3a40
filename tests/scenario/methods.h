#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace catalogd::scenario {

// The exception that a method declares at a field of its result, "AlreadyExistsException"; empty:
// none. Source: hive_metastore.thrift.
std::string ExceptionName(std::string_view method, int16_t field);
// Where a method's result has its MetaException. REQUIRES: it has one.
int16_t MetaExceptionField(std::string_view method);

}  // namespace catalogd::scenario
