#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd::hms {

inline constexpr uint16_t kDefaultMetastorePort = 9083;

// Where one metastore listens. Plain value.
struct Address {
  std::string host;  // IPv6 without brackets.
  uint16_t port = kDefaultMetastorePort;
  // "thrift://host:9083", IPv6 in brackets.
  [[nodiscard]] std::string ToString() const;
  friend bool operator==(const Address&, const Address&) = default;
};

// "thrift://a:9083,thrift://b" as hive.metastore.uris has it; white space around commas is allowed.
// kInvalidArgument names the part that is wrong. A repeated address is kept once.
Result<std::vector<Address>> ParseMetastoreUris(std::string_view text);

}  // namespace catalogd::hms
