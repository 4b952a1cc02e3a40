#pragma once

#include <cstdint>
#include <string_view>

#include "thrift/wire/types.h"

// The scanner behind tjson.h. Internal to thrift/wire.
namespace catalogd::wire::internal {

enum class TJsonFault : uint8_t {
  kNone,
  kSyntax,
  kTag,       // Unknown type tag.
  kNumber,    // Malformed or out of range.
  kEscape,    // Malformed, or one that only a full unescaping understands.
  kCount,     // Declared count and elements differ.
  kTrailing,  // Bytes behind the struct.
  kTooDeep,
  kStringTooLong,
  kTooManyElements,
};

// One pass over TJSON text whose quotes and escapes are still escaped kDepth (0 or 1) times.
// Understands what JSON encoders write at that depth; escapes of the outer string that no encoder
// needs (\/ or \u0022) end in kEscape or kSyntax although they are legal: unescape and scan at
// depth 0 then.
//
// Writes without bounds checks: no value is longer in binary than kGrowth times its text, and
// kSlack covers copies in blocks. REQUIRES: `out` has room for kGrowth * text.size() + kSlack.
// Thread safety: none.
template <int kDepth>
class TJsonScanner {
 public:
  static constexpr size_t kGrowth = 4;
  static constexpr size_t kSlack = 64;

  TJsonScanner(std::string_view text, const Limits& limits, char* out);

  // True when the text is one struct. The output ends at out().
  bool Run();

  [[nodiscard]] char* out() const { return out_; }
  [[nodiscard]] TJsonFault fault() const { return fault_; }
  [[nodiscard]] size_t fault_offset() const { return static_cast<size_t>(p_ - begin_); }

 private:
  bool Fail(TJsonFault fault);
  bool Expect(char c);
  bool Quote();
  [[nodiscard]] bool AtQuote() const;
  bool Enter(int depth);

  bool Struct(int depth);
  bool StructField(int depth);
  bool Value(TType type, int depth);
  bool List(int depth);
  bool Map(int depth);
  bool Tag(TType* type);
  bool Count(size_t* count);
  bool String();
  bool StringEscape();
  bool Number(int64_t low, int64_t high, int64_t* value);
  bool Digits(int64_t low, int64_t high, int64_t* value);
  bool Integer(TType type);
  bool Double();
  const char* CopyPlain(const char* p);

  void Put8(uint8_t value) { *out_++ = static_cast<char>(value); }
  void PutBigEndian(uint64_t value, int bytes);

  const char* const begin_;
  const char* const end_;
  const char* p_;
  char* out_;
  const Limits& limits_;
  const int max_depth_;
  TJsonFault fault_ = TJsonFault::kNone;
};

extern template class TJsonScanner<0>;
extern template class TJsonScanner<1>;

}  // namespace catalogd::wire::internal
