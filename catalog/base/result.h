#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "catalog/base/error.h"

namespace catalogd {

// A value or an Error. Nodiscard, unlike tl::expected itself: an ignored result does not compile.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

using Status = Result<void>;

inline Status Ok() { return {}; }

inline tl::unexpected<Error> MakeError(ErrorCode code, std::string message) {
  return tl::make_unexpected(Error{code, std::move(message)});
}

inline tl::unexpected<Error> AsError(Error error) { return tl::make_unexpected(std::move(error)); }

}  // namespace catalogd

#define CATALOGD_CONCAT_INNER(a, b) a##b
#define CATALOGD_CONCAT(a, b) CATALOGD_CONCAT_INNER(a, b)

// Leaves the current function with the error of `expr`, if it has one.
#define RETURN_IF_ERROR(expr)                                             \
  do {                                                                    \
    auto status_ = (expr);                                                \
    if (!status_) return ::catalogd::AsError(std::move(status_).error()); \
  } while (false)

// ASSIGN_OR_RETURN(auto table, ReadTable(name));
#define ASSIGN_OR_RETURN(lhs, expr) \
  ASSIGN_OR_RETURN_IMPL(CATALOGD_CONCAT(result_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_IMPL(result, lhs, expr)                      \
  auto result = (expr);                                               \
  if (!result) return ::catalogd::AsError(std::move(result).error()); \
  lhs = std::move(*result)
