#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

// Calls that Hive 4.0.1 and later do not know, made from those that took their place. Pure.
namespace catalogd::endpoint {

bool IsDropped(std::string_view method);

// The successor's call for an old one; absent when its arguments are broken.
std::optional<std::string> TranslateCall(const wire::MessageHeader& header,
                                         const wire::StructView& arguments);
// The old call's answer out of its successor's. Exceptions that the old call declares keep their
// class; the others become what old servers make of them.
std::string TranslateReply(const wire::MessageHeader& header, std::string_view reply);

// True for the TApplicationException with which a server says that it has no such method.
bool IsUnknownMethod(std::string_view reply);
// True when a reply is the declared success.
bool IsSuccess(std::string_view reply);

}  // namespace catalogd::endpoint
