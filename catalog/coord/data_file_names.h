#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "catalog/coord/ids.h"
#include "catalog/coord/instant.h"

// Names of data files, and the order in which logs apply.
// Thread safety: pure functions.
// Source: files that Hudi 0.x and 1.x wrote.
namespace catalogd::coord {

// <file id>_<write token>_<instant>.<format>
struct BaseName {
  std::string file_id;
  std::string write_token;
  Instant instant;
  std::string format;

  friend bool operator==(const BaseName&, const BaseName&) = default;
};

// .<file id>_<instant>.log.<version>[_<write token>][.cdc]. The instant is that of the delta
// commit; in tables up to version 6 that of the base file below it.
struct LogName {
  std::string file_id;
  Instant instant;
  int64_t version = 1;
  std::string write_token;  // Empty in very old tables.
  std::string suffix;       // "cdc", or empty.

  friend bool operator==(const LogName&, const LogName&) = default;
};

using DataFileName = std::variant<BaseName, LogName>;

// The order in which the logs of a slice apply: instant, version (as a number), write token,
// suffix. Not by completion: who began earlier is applied earlier.
std::strong_ordering CompareLogs(const LogName& a, const LogName& b);

// None: no data file (folders, markers, checksums, whatever else lies there).
// Errors: kInvalidArgument for what has the ending of a data file and not its form; kUnsupported
// for logs in the formats of base files. The message has the name.
Result<std::optional<DataFileName>> ParseDataFileName(std::string_view name);
std::string ToFileName(const DataFileName& name);

// The write token of an executor: with its fence in it, two attempts never write one name.
std::string FencedToken(int64_t task, Fence fence, int64_t attempt);

}  // namespace catalogd::coord
