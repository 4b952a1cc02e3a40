#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "catalog/base/result.h"
#include "thrift/wire/types.h"

// The one walk over encoded values that scan.cc and view.cc share; not for use outside thrift/wire.
// Reports failures as plain values: views ignore them, scan.cc turns them into errors.
// Thread safety: pure functions.
namespace catalogd::wire::internal {

// Nesting that recursive code accepts whatever the limits say; bounds the machine stack.
inline constexpr int kHardMaxDepth = 256;

// Encoded size of types that have one, by type code; 0 for the others.
inline constexpr std::array<uint8_t, 16> kFixedSize = {0, 0, 1, 1, 8, 0, 2, 0,
                                                       4, 0, 8, 0, 0, 0, 0, 0};
// The fewest bytes a value of the type takes, by type code; 0 for codes that are no value type.
inline constexpr std::array<uint8_t, 16> kMinSize = {0, 0, 1, 1, 8, 0, 2, 0,
                                                     4, 0, 8, 4, 1, 6, 5, 5};

inline size_t FixedSize(uint8_t type) { return type < 16 ? kFixedSize[type] : 0; }
inline size_t MinSize(uint8_t type) { return type < 16 ? kMinSize[type] : 0; }

// Some libraries write type 0 for the elements of an empty container.
inline bool ElementTypeAllowed(uint8_t type, uint32_t count) {
  return MinSize(type) != 0 || (type == 0 && count == 0);
}

inline uint8_t ReadU8(const char* p) { return static_cast<uint8_t>(*p); }
inline uint16_t ReadU16(const char* p) {
  return static_cast<uint16_t>((ReadU8(p) << 8U) | ReadU8(p + 1));
}
inline uint32_t ReadU32(const char* p) {
  return (static_cast<uint32_t>(ReadU16(p)) << 16U) | ReadU16(p + 2);
}
inline uint64_t ReadU64(const char* p) {
  return (static_cast<uint64_t>(ReadU32(p)) << 32U) | ReadU32(p + 4);
}

enum class Fault : uint8_t {
  kNone,
  kTruncated,
  kBadType,
  kBadLength,  // Negative length or count.
  kTooDeep,
  kStringTooLong,
  kTooManyElements,
  kMessageTooLong,
};

// kResourceExhausted for limits, kCorrupt for the rest. `offset`: where in the input.
Error FaultError(Fault fault, size_t offset, const Limits& limits);

// What is wrong with a length or count as read from the wire, if anything.
inline Fault CheckLength(uint32_t length, size_t limit, Fault over) {
  if (length > 0x7FFFFFFFU) return Fault::kBadLength;
  return length > limit ? over : Fault::kNone;
}

// Walks over values in [p, end). After a failure fault() and fault_at() say what and where.
class Skipper {
 public:
  Skipper(const char* end, const Limits& limits) : end_(end), limits_(limits) {}

  // The end of the value at `p`, or null. `depth`: containers that are already open around it.
  const char* Value(uint8_t type, const char* p, int depth);

  // Of all containers so far, nested ones too; a map's entry counts as one.
  [[nodiscard]] size_t elements() const { return elements_; }
  [[nodiscard]] Fault fault() const { return fault_; }
  [[nodiscard]] const char* fault_at() const { return fault_at_; }

 private:
  [[nodiscard]] size_t Left(const char* p) const { return static_cast<size_t>(end_ - p); }
  const char* Fail(Fault fault, const char* at);
  const char* String(const char* p);
  const char* Struct(const char* p, int depth);
  const char* List(const char* p, int depth);
  const char* Map(const char* p, int depth);
  bool Enter(const char* p, int depth);

  const char* const end_;
  const Limits& limits_;
  size_t elements_ = 0;
  Fault fault_ = Fault::kNone;
  const char* fault_at_ = nullptr;
};

}  // namespace catalogd::wire::internal
