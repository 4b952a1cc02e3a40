#include "thrift/wire/scan.h"

#include <algorithm>
#include <optional>

#include "thrift/wire/skip.h"

namespace catalogd::wire {
namespace {

using internal::CheckLength;
using internal::Fault;
using internal::FaultError;
using internal::FixedSize;
using internal::MinSize;
using internal::ReadU32;
using internal::ReadU8;

constexpr uint32_t kVersionMask = 0xFFFF0000U;
constexpr uint32_t kVersion1 = 0x80010000U;

tl::unexpected<Error> NotThrift(const std::string& what) {
  return MakeError(ErrorCode::kCorrupt,
                   what + "; the peer may speak another protocol or transport");
}

Result<MessageType> ParseType(uint32_t code) {
  if (code < 1 || code > 4) return NotThrift("unknown Thrift message type " + std::to_string(code));
  return static_cast<MessageType>(code);
}

// Absent: more bytes are needed.
Result<std::optional<MessageHeader>> TryHeader(std::string_view message) {
  MessageHeader header;
  if (message.size() < 4) return std::nullopt;
  const uint32_t first = ReadU32(message.data());
  const bool strict = (first & 0x80000000U) != 0;
  if (strict) {
    if ((first & kVersionMask) != kVersion1) return NotThrift("bad Thrift binary version");
    ASSIGN_OR_RETURN(header.type, ParseType(first & 0xFFU));
    if (message.size() < 8) return std::nullopt;
  }
  const size_t name_at = strict ? 8 : 4;
  const uint32_t name_length = strict ? ReadU32(message.data() + 4) : first;
  if (name_length > kMaxMethodName) {
    return NotThrift("Thrift method name of " + std::to_string(name_length) + " bytes");
  }
  header.body = name_at + name_length + (strict ? 4 : 5);
  if (message.size() < header.body) return std::nullopt;
  header.method = message.substr(name_at, name_length);
  if (!strict) {
    ASSIGN_OR_RETURN(header.type, ParseType(ReadU8(&message[name_at + name_length])));
  }
  header.sequence_id = static_cast<int32_t>(ReadU32(message.data() + header.body - 4));
  return header;
}

}  // namespace

Result<MessageHeader> ParseMessageHeader(std::string_view message) {
  ASSIGN_OR_RETURN(const std::optional<MessageHeader> header, TryHeader(message));
  if (!header) {
    return MakeError(ErrorCode::kCorrupt, "Thrift message ends within its header (" +
                                              std::to_string(message.size()) + " bytes)");
  }
  return *header;
}

Result<size_t> ValueLength(TType type, std::string_view bytes, const Limits& limits) {
  const char* const begin = bytes.data();
  internal::Skipper skipper(begin + bytes.size(), limits);
  const char* const end = skipper.Value(static_cast<uint8_t>(type), begin, 0);
  if (end == nullptr) {
    return AsError(
        FaultError(skipper.fault(), static_cast<size_t>(skipper.fault_at() - begin), limits));
  }
  return static_cast<size_t>(end - begin);
}

Status CheckElements(std::string_view encoded_struct) {
  constexpr size_t kAlways = 100'000;
  constexpr size_t kBytesEach = 16;  // The smallest columns of a table take 19.
  const Limits limits;
  const char* const begin = encoded_struct.data();
  internal::Skipper skipper(begin + encoded_struct.size(), limits);
  if (skipper.Value(static_cast<uint8_t>(TType::kStruct), begin, 0) == nullptr) {
    return AsError(
        FaultError(skipper.fault(), static_cast<size_t>(skipper.fault_at() - begin), limits));
  }
  if (skipper.elements() <= kAlways + encoded_struct.size() / kBytesEach) return Ok();
  return MakeError(ErrorCode::kResourceExhausted,
                   std::to_string(skipper.elements()) + " elements in " +
                       std::to_string(encoded_struct.size()) +
                       " bytes of Thrift data are more than real objects have; send fewer at once");
}

Result<MessageHeader> CheckMessage(std::string_view message, const Limits& limits) {
  if (message.size() > limits.max_message) {
    return AsError(FaultError(Fault::kMessageTooLong, message.size(), limits));
  }
  ASSIGN_OR_RETURN(const MessageHeader header, ParseMessageHeader(message));
  const std::string_view body = message.substr(header.body);
  auto length = ValueLength(TType::kStruct, body, limits);
  if (!length) return AsError(std::move(length).error().WithContext(header.method));
  if (*length != body.size()) {
    return MakeError(ErrorCode::kCorrupt, std::string(header.method) + ": " +
                                              std::to_string(body.size() - *length) +
                                              " bytes behind the end of the Thrift message");
  }
  return header;
}

void MessageScanner::Reset() {
  position_ = 0;
  header_done_ = false;
  complete_ = false;
  value_ = TType::kStop;
  open_.clear();
  failed_ = false;
}

Result<MessageScanner::State> MessageScanner::Scan(std::string_view buffer) {
  Move move = failed_ ? Move::kFailed : Move::kOn;
  while (move == Move::kOn && !complete_) move = Step(buffer);
  if (move == Move::kFailed) return AsError(error_);
  return complete_ ? State::kComplete : State::kNeedMore;
}

MessageScanner::Move MessageScanner::Fail(Error error) {
  failed_ = true;
  error_ = std::move(error);
  return Move::kFailed;
}

MessageScanner::Move MessageScanner::Advance(size_t bytes) {
  if (bytes > limits_.max_message || position_ > limits_.max_message - bytes) {
    return Fail(FaultError(Fault::kMessageTooLong, position_, limits_));
  }
  position_ += bytes;
  return Move::kOn;
}

MessageScanner::Move MessageScanner::Header(std::string_view buffer) {
  auto header = TryHeader(buffer);
  if (!header) return Fail(std::move(header).error());
  if (!*header) return Move::kStarved;
  header_done_ = true;
  return WholeBody(buffer, (*header)->body);
}

// Most messages come in one piece: walks the body without frames. A body that is not all there is
// walked again from its start, this once, with frames.
MessageScanner::Move MessageScanner::WholeBody(std::string_view buffer, size_t body) {
  internal::Skipper skipper(buffer.data() + buffer.size(), limits_);
  const char* const end =
      skipper.Value(static_cast<uint8_t>(TType::kStruct), buffer.data() + body, 0);
  if (end != nullptr) {
    complete_ = true;
    return Advance(static_cast<size_t>(end - buffer.data()));
  }
  if (skipper.fault() != Fault::kTruncated) {
    return Fail(FaultError(skipper.fault(), static_cast<size_t>(skipper.fault_at() - buffer.data()),
                           limits_));
  }
  value_ = TType::kStruct;
  return Advance(body);
}

MessageScanner::Move MessageScanner::Step(std::string_view buffer) {
  if (!header_done_) return Header(buffer);
  if (value_ != TType::kStop) return BeginValue(buffer);
  if (open_.back().kind != Frame::Kind::kStruct) return NextInContainer(&open_.back());
  if (!Has(buffer, 1)) return Move::kStarved;
  const uint8_t type = ReadU8(&buffer[position_]);
  if (type == 0) {
    open_.pop_back();
    complete_ = open_.empty();
    return Advance(1);
  }
  if (MinSize(type) == 0) return Fail(FaultError(Fault::kBadType, position_, limits_));
  if (!Has(buffer, 3)) return Move::kStarved;
  value_ = static_cast<TType>(type);
  return Advance(3);
}

MessageScanner::Move MessageScanner::NextInContainer(Frame* frame) {
  if (frame->left == 0 && !frame->at_value) {
    open_.pop_back();
    return Move::kOn;
  }
  if (frame->at_value) {
    value_ = frame->second;
    frame->at_value = false;
    return Move::kOn;
  }
  value_ = frame->first;
  frame->at_value = frame->kind == Frame::Kind::kMapEntries;
  --frame->left;
  return Move::kOn;
}

// Leaves value_ unchanged while the bytes that say how long the value is are missing.
MessageScanner::Move MessageScanner::BeginValue(std::string_view buffer) {
  if (const size_t fixed = FixedSize(static_cast<uint8_t>(value_)); fixed != 0) {
    value_ = TType::kStop;
    return Advance(fixed);
  }
  if (value_ != TType::kString) return BeginContainer(buffer);
  if (!Has(buffer, 4)) return Move::kStarved;
  const uint32_t length = ReadU32(&buffer[position_]);
  const Fault fault = CheckLength(length, limits_.max_string, Fault::kStringTooLong);
  if (fault != Fault::kNone) return Fail(FaultError(fault, position_, limits_));
  value_ = TType::kStop;
  return Advance(4 + size_t{length});
}

MessageScanner::Move MessageScanner::BeginContainer(std::string_view buffer) {
  if (static_cast<int>(open_.size()) >= std::min(limits_.max_depth, internal::kHardMaxDepth)) {
    return Fail(FaultError(Fault::kTooDeep, position_, limits_));
  }
  if (value_ != TType::kStruct) return BeginElements(buffer);
  value_ = TType::kStop;
  open_.emplace_back();
  return Move::kOn;
}

MessageScanner::Move MessageScanner::BeginElements(std::string_view buffer) {
  const bool map = value_ == TType::kMap;
  const size_t head = map ? 6 : 5;
  if (!Has(buffer, head)) return Move::kStarved;
  const char* const p = &buffer[position_];
  const uint8_t first = ReadU8(p);
  const uint8_t second = map ? ReadU8(p + 1) : 0;
  const uint32_t count = ReadU32(p + head - 4);
  const Fault fault = CheckLength(count, limits_.max_container, Fault::kTooManyElements);
  if (fault != Fault::kNone) return Fail(FaultError(fault, position_, limits_));
  if (!internal::ElementTypeAllowed(first, count) ||
      (map && !internal::ElementTypeAllowed(second, count))) {
    return Fail(FaultError(Fault::kBadType, position_, limits_));
  }
  value_ = TType::kStop;
  if (count == 0) return Advance(head);
  if (FixedSize(first) != 0 && (!map || FixedSize(second) != 0)) {
    return Advance(head + (FixedSize(first) + FixedSize(second)) * count);
  }
  const size_t least = (MinSize(first) + MinSize(second)) * count;
  if (least > limits_.max_message || position_ > limits_.max_message - least) {
    return Fail(FaultError(Fault::kMessageTooLong, position_, limits_));
  }
  open_.push_back({map ? Frame::Kind::kMapEntries : Frame::Kind::kElements,
                   static_cast<TType>(first), static_cast<TType>(second), false, count});
  return Advance(head);
}

}  // namespace catalogd::wire
