#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace catalogd::wire {

// Type codes of the Thrift binary protocol.
enum class TType : uint8_t {
  kStop = 0,
  kBool = 2,
  kByte = 3,
  kDouble = 4,
  kI16 = 6,
  kI32 = 8,
  kI64 = 10,
  kString = 11,  // Also binary.
  kStruct = 12,
  kMap = 13,
  kSet = 14,
  kList = 15,
};

enum class MessageType : uint8_t { kCall = 1, kReply = 2, kException = 3, kOneway = 4 };

// TApplicationException types, as every Thrift library numbers them.
enum class ApplicationError : int32_t {
  kUnknown = 0,
  kUnknownMethod = 1,
  kInvalidMessageType = 2,
  kWrongMethodName = 3,
  kBadSequenceId = 4,
  kMissingResult = 5,
  kInternalError = 6,
  kProtocolError = 7,
};

// What foreign bytes may ask of us. Checked before memory is taken.
struct Limits {
  size_t max_message = 100U << 20U;  // Bytes; the default of a Java metastore.
  size_t max_string = 100U << 20U;
  size_t max_container = 16U << 20U;  // Elements.
  int max_depth = 64;
};

}  // namespace catalogd::wire
