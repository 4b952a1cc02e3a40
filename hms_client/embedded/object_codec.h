#pragma once

#include <string>
#include <string_view>

#include "catalog/base/result.h"

// Between metastore objects and their bytes. The door for exceptions of the Thrift library.
// For what the file holds and messages carry; the list is at the end of object_codec.cc. Thread
// safety: pure functions.
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
