#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "catalog/base/result.h"
#include "catalog/base/utf8.h"
#include "hms_idl/hive_metastore_types.h"

// From Result to the exceptions of the metastore's IDL.
namespace catalogd::hms {

// For a method that does not declare any exception that fits. The reply becomes an application
// error of type INTERNAL_ERROR with this text, as a Java metastore answers; what is wrong with the
// file is added, because nobody else can tell it.
class UndeclaredError : public std::exception {
 public:
  UndeclaredError(const std::string& method, const std::string& reason)
      : text_(ValidUtf8("Internal error processing " + method +
                        (reason.empty() ? "" : ": " + reason))) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

namespace internal {

// Neither the request nor the objects it names are at fault.
inline bool IsOfTheFile(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotEmpty:
    case ErrorCode::kInvalidState:
      return false;
    default:
      return true;
  }
}

template <class Exception, class... Declared>
void ThrowIfDeclared(const std::string& message) {
  if constexpr ((std::is_same_v<Exception, Declared> || ...)) {
    Exception exception;
    // Names of the call stand in it, whatever their bytes.
    exception.__set_message(ValidUtf8(message));
    throw exception;
  }
}

// What an error is where the method declares nothing better.
template <class... Declared>
[[noreturn]] void RaiseOther(const char* method, const Error& error) {
  ThrowIfDeclared<thrift::hms::MetaException, Declared...>(error.message);
  throw UndeclaredError(method, IsOfTheFile(error.code) ? error.message : "");
}

}  // namespace internal

// Throws what fits the error best among the exceptions that the method declares.
template <class... Declared>
[[noreturn]] void Raise(const char* method, const Error& error) {
  namespace api = thrift::hms;
  switch (error.code) {
    case ErrorCode::kNotFound:
      internal::ThrowIfDeclared<api::NoSuchObjectException, Declared...>(error.message);
      internal::ThrowIfDeclared<api::UnknownTableException, Declared...>(error.message);
      internal::ThrowIfDeclared<api::UnknownDBException, Declared...>(error.message);
      break;
    case ErrorCode::kAlreadyExists:
      internal::ThrowIfDeclared<api::AlreadyExistsException, Declared...>(error.message);
      break;
    case ErrorCode::kInvalidArgument:
      internal::ThrowIfDeclared<api::InvalidObjectException, Declared...>(error.message);
      break;
    case ErrorCode::kNotEmpty:
    case ErrorCode::kInvalidState:
      internal::ThrowIfDeclared<api::InvalidOperationException, Declared...>(error.message);
      break;
    case ErrorCode::kPermission:
      internal::ThrowIfDeclared<api::ConfigValSecurityException, Declared...>(error.message);
      break;
    default:
      break;
  }
  internal::RaiseOther<Declared...>(method, error);
}

// The value, or the exception for its error.
template <class... Declared, class T>
T Unwrap(const char* method, Result<T> result) {
  if (!result) Raise<Declared...>(method, result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace catalogd::hms
