#pragma once

#include <string>
#include <string_view>

#include "catalog/base/result.h"

namespace catalogd::thrift::hms {
class Database;
class Table;
class Partition;
}  // namespace catalogd::thrift::hms

// Between metastore objects and their bytes. The door for exceptions of the Thrift library.
// For Database, Table and Partition. Thread safety: pure functions.
namespace catalogd::hms {

// Thrift binary, as stored.
template <class Object>
std::string EncodeObject(const Object& object);
// kCorrupt when the bytes are not such an object.
template <class Object>
Result<Object> DecodeObject(std::string_view bytes);
// TJSON, as notification messages carry it.
template <class Object>
std::string ObjectToJson(const Object& object);

}  // namespace catalogd::hms
