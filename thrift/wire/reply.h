#pragma once

#include <string_view>

// What an answer is, told from its bytes. Pure functions; for bytes that are no answer both are
// false.
namespace catalogd::wire {

// The TApplicationException with which a server says that it has no such method. It has done
// nothing then.
bool IsUnknownMethod(std::string_view reply);
// The declared success: a result without an exception.
bool IsSuccess(std::string_view reply);

}  // namespace catalogd::wire
