#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"
#include "thrift/wire/types.h"

// Finding ends: everything that walks bytes nobody has checked yet. All functions fail with
// kCorrupt (malformed or truncated) or kResourceExhausted (over a limit); none reads past its input.
// Thread safety: pure functions.
namespace catalogd::wire {

struct MessageHeader {
  MessageType type = MessageType::kCall;
  std::string_view method;
  int32_t sequence_id = 0;
  size_t body = 0;  // Offset of the argument or result struct.
};

// Strict binary (0x8001) and old non-strict headers. `message` must hold the whole header.
Result<MessageHeader> ParseMessageHeader(std::string_view message);

// Length of the value of that type at the start of `bytes`; a struct ends with its stop byte.
Result<size_t> ValueLength(TType type, std::string_view bytes, const Limits& limits = {});

// Checks a whole message: header, one struct, nothing behind it.
Result<MessageHeader> CheckMessage(std::string_view message, const Limits& limits = {});

// Finds the end of one unframed message that arrives in pieces. Resumable: bytes that were walked
// are not walked again, whatever the sizes of the pieces.
// Thread safety: none.
class MessageScanner {
 public:
  explicit MessageScanner(const Limits& limits) : limits_(limits) {}

  enum class State { kNeedMore, kComplete };
  // `buffer`: all bytes since the start of the message (the same ones as last time, and more).
  // kComplete: length() bytes of it are the message; the rest belongs to the next.
  Result<State> Scan(std::string_view buffer);
  [[nodiscard]] size_t length() const { return position_; }
  void Reset();

 private:
  // One open container: how many elements (or fields until a stop) are still to come.
  struct Frame {
    enum class Kind : uint8_t { kStruct, kElements, kMapEntries } kind = Kind::kStruct;
    TType first = TType::kStop;   // Element or key type.
    TType second = TType::kStop;  // Map value type.
    bool at_value = false;        // Map: the key has been read.
    uint32_t left = 0;
  };
  Result<bool> Step(std::string_view buffer);

  const Limits limits_;
  size_t position_ = 0;
  bool header_done_ = false;
  std::vector<Frame> open_;
};

}  // namespace catalogd::wire
