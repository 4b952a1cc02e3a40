#pragma once

#include <fmt/format.h>

#include <string>

#include "catalog/coord/instant.h"

namespace catalogd::coord::testing {

// Small numbers as instants, and back: At(20) is 00000000000000020.
inline Instant At(int64_t number) { return Instant::Parse(fmt::format("{:017}", number)).value(); }

inline std::string Short(const Instant& instant) {
  if (instant.empty()) return "-";
  const std::string text(instant.text());
  const size_t first = text.find_first_not_of('0');
  return first == std::string::npos ? "0" : text.substr(first);
}

}  // namespace catalogd::coord::testing
