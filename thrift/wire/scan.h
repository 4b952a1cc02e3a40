#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"
#include "thrift/wire/types.h"

// Finding ends: everything that walks bytes nobody has checked yet. All functions fail with
// kCorrupt (malformed or truncated) or kResourceExhausted (over a limit); none reads past its
// input. Work is linear in the bytes present, whatever counts and lengths the bytes declare. Thread
// safety: pure functions.
namespace catalogd::wire {

// Longer method names are taken as bytes of some other protocol.
inline constexpr size_t kMaxMethodName = 1024;

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

// Whether a struct may be given to generated code, which makes room for all elements of a container
// before it reads the first, by their declared type: two kilobytes for a large struct, be it one
// byte here, or a list of numbers where structs belong. 100,000 elements, and one for each 16
// bytes: columns take more, but it also limits 8-byte ids to 200,000 in one call.
// kResourceExhausted: too many elements for so few bytes.
Status CheckElements(std::string_view encoded_struct);

// Checks a whole message: header, one struct, nothing behind it.
Result<MessageHeader> CheckMessage(std::string_view message, const Limits& limits = {});

// Finds the end of one unframed message that arrives in pieces. Resumable: a message that is there
// at once is walked in one go; otherwise what was walked after the first try is not walked again,
// whatever the sizes of the pieces.
// Thread safety: none. Invariants: accepts the same messages as CheckMessage and finds the same
// length, however the message is cut. Memory is bounded by limits.max_depth.
class MessageScanner {
 public:
  explicit MessageScanner(const Limits& limits) : limits_(limits) {}

  enum class State { kNeedMore, kComplete };
  // `buffer`: all bytes since the start of the message (the same ones as last time, and more).
  // kComplete: length() bytes of it are the message; the rest belongs to the next. After an error
  // the scanner stays failed until Reset.
  Result<State> Scan(std::string_view buffer);
  // Bytes of the message known so far; before kComplete it may lie behind the end of the buffer
  // (inside a long string), so at least that many bytes will be needed.
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
  enum class Move : uint8_t { kOn, kStarved, kFailed };
  Move Step(std::string_view buffer);
  Move Header(std::string_view buffer);
  Move WholeBody(std::string_view buffer, size_t body);
  Move NextInContainer(Frame* frame);
  Move BeginValue(std::string_view buffer);
  Move BeginContainer(std::string_view buffer);
  Move BeginElements(std::string_view buffer);
  Move Advance(size_t bytes);
  Move Fail(Error error);
  [[nodiscard]] bool Has(std::string_view buffer, size_t bytes) const {
    return buffer.size() >= position_ && buffer.size() - position_ >= bytes;
  }

  const Limits limits_;
  size_t position_ = 0;
  bool header_done_ = false;
  bool complete_ = false;
  TType value_ = TType::kStop;  // Type of the value that begins at position_; kStop: none.
  std::vector<Frame> open_;
  bool failed_ = false;
  Error error_;  // Meaningful when failed_.
};

}  // namespace catalogd::wire
