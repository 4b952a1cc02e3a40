#pragma once

#include <string>
#include <string_view>

#include "catalog/base/result.h"
#include "thrift/wire/types.h"

// From TJSONProtocol, as it sits in notification messages, to Thrift binary, in one pass and
// without a schema. The grammar is TJSON's own, not JSON's: a map whose keys are containers
// (SkewedInfo.skewedColValueLocationMaps) is not valid JSON and is understood all the same. White
// space between tokens is refused, as Hive's own reader does.
//
// Not for base64 binary fields: they carry the tag of strings, and without a schema their text is
// kept as it is. Struct paths with such fields (column statistics) must be read again instead.
// Errors: kCorrupt, kResourceExhausted (depth, string length, elements).
// Thread safety: pure functions.
// Invariants: what comes out satisfies ValueLength(kStruct) under the same limits.
namespace catalogd::wire {

// Enough for every message known; deeper is kCorrupt.
inline constexpr int kMaxEscapeDepth = 8;

// `text` is TJSON of one struct ({"1":{"str":"x"},...}). `escape_depth`: how many JSON strings it
// still sits in (0: plain; 1: the raw content of a JSON string, quotes still escaped), so that an
// event's image needs no unescaped copy.
Result<std::string> TJsonStructToBinary(std::string_view text, int escape_depth = 0,
                                        const Limits& limits = {});
// The same, appended to `out`, which keeps its capacity across calls and is unchanged on errors.
Status AppendTJsonStruct(std::string_view text, int escape_depth, const Limits& limits,
                         std::string* out);

}  // namespace catalogd::wire
