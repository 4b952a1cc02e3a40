#include "thrift/wire/skip.h"

#include <algorithm>
#include <string>

namespace catalogd::wire::internal {

Error FaultError(Fault fault, size_t offset, const Limits& limits) {
  const std::string at = " at byte " + std::to_string(offset);
  switch (fault) {
    case Fault::kTruncated:
      return {ErrorCode::kCorrupt, "Thrift data ends in the middle of a value" + at};
    case Fault::kBadType:
      return {ErrorCode::kCorrupt, "unknown Thrift type code" + at};
    case Fault::kBadLength:
      return {ErrorCode::kCorrupt, "negative Thrift length or count" + at};
    case Fault::kTooDeep:
      return {ErrorCode::kResourceExhausted,
              "Thrift data" + at + " is nested deeper than the limit of " +
                  std::to_string(std::min(limits.max_depth, kHardMaxDepth)) + " levels"};
    case Fault::kStringTooLong:
      return {ErrorCode::kResourceExhausted, "Thrift string" + at + " is over the limit of " +
                                                 std::to_string(limits.max_string) + " bytes"};
    case Fault::kTooManyElements:
      return {ErrorCode::kResourceExhausted, "Thrift container" + at + " is over the limit of " +
                                                 std::to_string(limits.max_container) +
                                                 " elements"};
    case Fault::kMessageTooLong:
      return {ErrorCode::kResourceExhausted, "Thrift message is over the limit of " +
                                                 std::to_string(limits.max_message) +
                                                 " bytes (known" + at + ")"};
    case Fault::kNone:
      break;
  }
  return {ErrorCode::kInternal, "no Thrift fault" + at};
}

const char* Skipper::Fail(Fault fault, const char* at) {
  fault_ = fault;
  fault_at_ = at;
  return nullptr;
}

bool Skipper::Enter(const char* p, int depth) {
  if (depth < std::min(limits_.max_depth, kHardMaxDepth)) return true;
  Fail(Fault::kTooDeep, p);
  return false;
}

const char* Skipper::Value(uint8_t type, const char* p, int depth) {
  if (const size_t fixed = FixedSize(type); fixed != 0) {
    return Left(p) < fixed ? Fail(Fault::kTruncated, p) : p + fixed;
  }
  switch (static_cast<TType>(type)) {
    case TType::kString:
      return String(p);
    case TType::kStruct:
      return Struct(p, depth);
    case TType::kList:
    case TType::kSet:
      return List(p, depth);
    case TType::kMap:
      return Map(p, depth);
    default:
      return Fail(Fault::kBadType, p);
  }
}

const char* Skipper::String(const char* p) {
  if (Left(p) < 4) return Fail(Fault::kTruncated, p);
  const uint32_t length = ReadU32(p);
  const Fault fault = CheckLength(length, limits_.max_string, Fault::kStringTooLong);
  if (fault != Fault::kNone) return Fail(fault, p);
  if (Left(p) - 4 < length) return Fail(Fault::kTruncated, p);
  return p + 4 + length;
}

const char* Skipper::Struct(const char* p, int depth) {
  if (!Enter(p, depth)) return nullptr;
  for (;;) {
    if (p == end_) return Fail(Fault::kTruncated, p);
    const uint8_t type = ReadU8(p);
    if (type == 0) return p + 1;
    if (Left(p) < 3) return Fail(MinSize(type) == 0 ? Fault::kBadType : Fault::kTruncated, p);
    if (MinSize(type) == 0) return Fail(Fault::kBadType, p);
    p = Value(type, p + 3, depth + 1);
    if (p == nullptr) return nullptr;
  }
}

const char* Skipper::List(const char* p, int depth) {
  if (!Enter(p, depth)) return nullptr;
  if (Left(p) < 5) return Fail(Fault::kTruncated, p);
  const uint8_t element = ReadU8(p);
  const uint32_t count = ReadU32(p + 1);
  const Fault fault = CheckLength(count, limits_.max_container, Fault::kTooManyElements);
  if (fault != Fault::kNone) return Fail(fault, p);
  if (!ElementTypeAllowed(element, count)) return Fail(Fault::kBadType, p);
  p += 5;
  elements_ += count;
  if (count == 0) return p;
  // Never 0 here; the analyzer does not see it.
  const size_t least = std::max<size_t>(MinSize(element), 1);
  if (Left(p) / least < count) return Fail(Fault::kTruncated, p);
  if (const size_t fixed = FixedSize(element); fixed != 0) return p + fixed * count;
  for (uint32_t i = 0; i < count; ++i) {
    p = Value(element, p, depth + 1);
    if (p == nullptr) return nullptr;
  }
  return p;
}

const char* Skipper::Map(const char* p, int depth) {
  if (!Enter(p, depth)) return nullptr;
  if (Left(p) < 6) return Fail(Fault::kTruncated, p);
  const uint8_t key = ReadU8(p);
  const uint8_t value = ReadU8(p + 1);
  const uint32_t count = ReadU32(p + 2);
  const Fault fault = CheckLength(count, limits_.max_container, Fault::kTooManyElements);
  if (fault != Fault::kNone) return Fail(fault, p);
  if (!ElementTypeAllowed(key, count) || !ElementTypeAllowed(value, count)) {
    return Fail(Fault::kBadType, p);
  }
  p += 6;
  elements_ += count;
  if (count == 0) return p;
  const size_t least = std::max<size_t>(MinSize(key) + MinSize(value), 1);
  if (Left(p) / least < count) return Fail(Fault::kTruncated, p);
  if (FixedSize(key) != 0 && FixedSize(value) != 0) {
    return p + (FixedSize(key) + FixedSize(value)) * count;
  }
  for (uint32_t i = 0; i < count; ++i) {
    p = Value(key, p, depth + 1);
    if (p == nullptr) return nullptr;
    p = Value(value, p, depth + 1);
    if (p == nullptr) return nullptr;
  }
  return p;
}

}  // namespace catalogd::wire::internal
