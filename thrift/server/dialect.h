#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "thrift/wire/types.h"

// What the first bytes of a message say about how the peer talks.
// Source: the first-byte table of the Thrift transports as real metastores and clients use them.
// Thread safety: pure functions.
namespace catalogd::server {

enum class Dialect {
  kUndecided,     // Too few bytes.
  kStrict,        // 80 01: strict binary, no frame.
  kFramedStrict,  // Four length bytes, then strict binary.
  kOld,           // Binary without a version: length of the name, name, type, sequence id.
  kFramedOld,
  // From here on: recognised and refused.
  kCompact,
  kFramedCompact,
  kTls,
  kSasl,
  kHttp,
  kGarbage,
};

// Eight bytes always suffice.
Dialect TellDialect(std::string_view first_bytes);

constexpr bool IsRefused(Dialect dialect) { return dialect >= Dialect::kCompact; }
constexpr bool IsFramed(Dialect dialect) {
  return dialect == Dialect::kFramedStrict || dialect == Dialect::kFramedOld ||
         dialect == Dialect::kFramedCompact;
}
constexpr bool IsOld(Dialect dialect) {
  return dialect == Dialect::kOld || dialect == Dialect::kFramedOld;
}

// Why a refused dialect is refused and what the peer should set instead.
std::string RefusalText(Dialect dialect);
// The refusal in words that a peer of that dialect can read: an HTTP answer, a SASL status, a TLS
// alert, a compact exception, else a binary TApplicationException.
std::string RefusalBytes(Dialect dialect);

// Old headers. `message` may be longer than its header; kNeedMore bytes: 0.
// The length of an old header at the start of `bytes`, 0 when it is not all there yet.
size_t OldHeaderLength(std::string_view bytes);
// The strict header that says the same as the old one. REQUIRES: OldHeaderLength(bytes) > 0.
std::string StrictFromOldHeader(std::string_view bytes);
// Turns a whole strict message into an old one.
void MakeOld(std::string* strict_message);

// Four bytes, big endian.
std::string FramePrefix(size_t length);
uint32_t FrameLength(std::string_view first_four_bytes);

}  // namespace catalogd::server
