#include "thrift/wire/tjson_scanner.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "thrift/wire/json_text.h"
#include "thrift/wire/skip.h"

namespace catalogd::wire::internal {
namespace {

bool IsNumberCharacter(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

}  // namespace

template <int kDepth>
TJsonScanner<kDepth>::TJsonScanner(std::string_view text, const Limits& limits, char* out)
    : begin_(text.data()),
      end_(text.data() + text.size()),
      p_(begin_),
      out_(out),
      limits_(limits),
      max_depth_(std::min(limits.max_depth, kHardMaxDepth)) {}

template <int kDepth>
bool TJsonScanner<kDepth>::Run() {
  if (!Struct(0)) return false;
  return p_ == end_ || Fail(TJsonFault::kTrailing);
}

template <int kDepth>
bool TJsonScanner<kDepth>::Fail(TJsonFault fault) {
  fault_ = fault;
  return false;
}

template <int kDepth>
inline void TJsonScanner<kDepth>::PutBigEndian(uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    Put8(static_cast<uint8_t>(value >> static_cast<unsigned>(shift)));
  }
}

template <int kDepth>
inline bool TJsonScanner<kDepth>::Expect(char c) {
  if (p_ == end_ || *p_ != c) return Fail(TJsonFault::kSyntax);
  ++p_;
  return true;
}

template <int kDepth>
inline bool TJsonScanner<kDepth>::AtQuote() const {
  if constexpr (kDepth == 0) return p_ != end_ && *p_ == '"';
  return end_ - p_ >= 2 && p_[0] == '\\' && p_[1] == '"';
}

template <int kDepth>
inline bool TJsonScanner<kDepth>::Quote() {
  if (!AtQuote()) return Fail(TJsonFault::kSyntax);
  p_ += 1 + kDepth;
  return true;
}

template <int kDepth>
bool TJsonScanner<kDepth>::Enter(int depth) {
  return depth < max_depth_ || Fail(TJsonFault::kTooDeep);
}

template <int kDepth>
bool TJsonScanner<kDepth>::Struct(int depth) {
  if (!Enter(depth) || !Expect('{')) return false;
  if (p_ != end_ && *p_ != '}') {
    for (;;) {
      if (!StructField(depth)) return false;
      if (p_ == end_ || *p_ != ',') break;
      ++p_;
    }
  }
  if (!Expect('}')) return false;
  Put8(0);
  return true;
}

// "id":{"tag":value}
template <int kDepth>
bool TJsonScanner<kDepth>::StructField(int depth) {
  int64_t id = 0;
  TType type = TType::kStop;
  if (!Quote() || !Digits(INT16_MIN, INT16_MAX, &id) || !Quote()) return false;
  if (!Expect(':') || !Expect('{') || !Tag(&type) || !Expect(':')) return false;
  Put8(static_cast<uint8_t>(type));
  PutBigEndian(static_cast<uint64_t>(id), 2);
  return Value(type, depth + 1) && Expect('}');
}

template <int kDepth>
bool TJsonScanner<kDepth>::Value(TType type, int depth) {
  switch (type) {
    case TType::kString:
      return String();
    case TType::kStruct:
      return Struct(depth);
    case TType::kList:
    case TType::kSet:
      return List(depth);
    case TType::kMap:
      return Map(depth);
    case TType::kDouble:
      return Double();
    default:
      return Integer(type);
  }
}

template <int kDepth>
bool TJsonScanner<kDepth>::Tag(TType* type) {
  if (!Quote()) return false;
  const char* const tag = p_;
  while (p_ != end_ && p_ - tag < 3 && *p_ != '"' && *p_ != '\\') ++p_;
  const std::string_view name(tag, static_cast<size_t>(p_ - tag));
  if (name == "str") {
    *type = TType::kString;
  } else if (name == "i32") {
    *type = TType::kI32;
  } else if (name == "rec") {
    *type = TType::kStruct;
  } else if (name == "lst") {
    *type = TType::kList;
  } else if (name == "map") {
    *type = TType::kMap;
  } else if (name == "tf") {
    *type = TType::kBool;
  } else if (name == "i64") {
    *type = TType::kI64;
  } else if (name == "i16") {
    *type = TType::kI16;
  } else if (name == "i8") {
    *type = TType::kByte;
  } else if (name == "dbl") {
    *type = TType::kDouble;
  } else if (name == "set") {
    *type = TType::kSet;
  } else {
    return Fail(TJsonFault::kTag);
  }
  return Quote();
}

template <int kDepth>
bool TJsonScanner<kDepth>::Count(size_t* count) {
  int64_t value = 0;
  if (!Digits(0, INT32_MAX, &value)) return false;
  *count = static_cast<size_t>(value);
  return *count <= limits_.max_container || Fail(TJsonFault::kTooManyElements);
}

// ["tag",count,e1,e2]
template <int kDepth>
bool TJsonScanner<kDepth>::List(int depth) {
  TType type = TType::kStop;
  size_t count = 0;
  if (!Enter(depth) || !Expect('[') || !Tag(&type) || !Expect(',') || !Count(&count)) return false;
  Put8(static_cast<uint8_t>(type));
  PutBigEndian(count, 4);
  for (size_t i = 0; i < count; ++i) {
    if (p_ == end_ || *p_ != ',') return Fail(TJsonFault::kCount);
    ++p_;
    if (!Value(type, depth + 1)) return false;
  }
  if (p_ == end_ || *p_ != ']') return Fail(TJsonFault::kCount);
  ++p_;
  return true;
}

// ["tag","tag",count,{key:value}]; a key that is a container stands there without quotes.
template <int kDepth>
bool TJsonScanner<kDepth>::Map(int depth) {
  TType key = TType::kStop;
  TType value = TType::kStop;
  size_t count = 0;
  if (!Enter(depth) || !Expect('[') || !Tag(&key) || !Expect(',') || !Tag(&value)) return false;
  if (!Expect(',') || !Count(&count) || !Expect(',') || !Expect('{')) return false;
  Put8(static_cast<uint8_t>(key));
  Put8(static_cast<uint8_t>(value));
  PutBigEndian(count, 4);
  for (size_t i = 0; i < count; ++i) {
    if (i != 0 && (p_ == end_ || *p_++ != ',')) return Fail(TJsonFault::kCount);
    if (!Value(key, depth + 1) || !Expect(':') || !Value(value, depth + 1)) return false;
  }
  if (p_ == end_ || *p_ != '}') return Fail(TJsonFault::kCount);
  ++p_;
  return Expect(']');
}

// Copies up to the next quote or backslash; returns where that is (or the end of the text).
template <int kDepth>
inline const char* TJsonScanner<kDepth>::CopyPlain(const char* p) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  while (end_ - p >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out_), block);
    const __m128i special =
        _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(special));
    if (mask != 0) {
      const int plain = std::countr_zero(mask);
      out_ += plain;
      return p + plain;
    }
    p += 16;
    out_ += 16;
  }
#endif
  while (p != end_ && *p != '"' && *p != '\\') *out_++ = *p++;
  return p;
}

template <int kDepth>
bool TJsonScanner<kDepth>::String() {
  if (!Quote()) return false;
  char* const length_at = out_;
  out_ += 4;
  for (;;) {
    p_ = CopyPlain(p_);
    if (AtQuote()) break;
    if (!StringEscape()) return false;
  }
  p_ += 1 + kDepth;
  const auto length = static_cast<size_t>(out_ - length_at) - 4;
  if (length > std::min(limits_.max_string, size_t{INT32_MAX})) {
    return Fail(TJsonFault::kStringTooLong);
  }
  char* const resume = out_;
  out_ = length_at;
  PutBigEndian(length, 4);
  out_ = resume;
  return true;
}

// An escape of the TJSON string itself: `\x`, which stands as `\\x` at depth 1, and there the
// escaped quote and backslash carry a backslash of their own (`\\\"`, `\\\\`).
template <int kDepth>
bool TJsonScanner<kDepth>::StringEscape() {
  constexpr int kSlashes = 1 + kDepth;
  if (end_ - p_ < kSlashes + 1) return Fail(TJsonFault::kEscape);
  if (p_[0] != '\\' || p_[kSlashes - 1] != '\\') return Fail(TJsonFault::kEscape);
  const char* p = p_ + kSlashes;
  if (*p == 'u') {
    p = TakeUnicodeEscape(p + 1, end_, kSlashes, &out_);
    if (p == nullptr) return Fail(TJsonFault::kEscape);
    p_ = p;
    return true;
  }
  if constexpr (kDepth == 1) {
    if (*p == '\\') {
      if (end_ - p < 2 || (p[1] != '\\' && p[1] != '"')) return Fail(TJsonFault::kEscape);
      *out_++ = p[1];
      p_ = p + 2;
      return true;
    }
    if (*p == '"') return Fail(TJsonFault::kSyntax);  // A bare quote ends the outer string.
  }
  const char simple = SimpleEscape(*p);
  if (simple == 0) return Fail(TJsonFault::kEscape);
  *out_++ = simple;
  p_ = p + 1;
  return true;
}

template <int kDepth>
bool TJsonScanner<kDepth>::Digits(int64_t low, int64_t high, int64_t* value) {
  const auto [end, error] = std::from_chars(p_, end_, *value);
  if (error != std::errc() || *value < low || *value > high) return Fail(TJsonFault::kNumber);
  p_ = end;
  return true;
}

// Plain or quoted: map keys are quoted, and encoders differ elsewhere.
template <int kDepth>
bool TJsonScanner<kDepth>::Number(int64_t low, int64_t high, int64_t* value) {
  if (!AtQuote()) return Digits(low, high, value);
  return Quote() && Digits(low, high, value) && Quote();
}

template <int kDepth>
bool TJsonScanner<kDepth>::Integer(TType type) {
  int64_t value = 0;
  switch (type) {
    case TType::kBool:
      if (!Number(0, 1, &value)) return false;
      break;
    case TType::kByte:
      if (!Number(INT8_MIN, INT8_MAX, &value)) return false;
      break;
    case TType::kI16:
      if (!Number(INT16_MIN, INT16_MAX, &value)) return false;
      break;
    case TType::kI32:
      if (!Number(INT32_MIN, INT32_MAX, &value)) return false;
      break;
    default:
      if (!Number(INT64_MIN, INT64_MAX, &value)) return false;
      break;
  }
  PutBigEndian(static_cast<uint64_t>(value),
               static_cast<int>(FixedSize(static_cast<uint8_t>(type))));
  return true;
}

template <int kDepth>
bool TJsonScanner<kDepth>::Double() {
  const bool quoted = AtQuote();
  if (quoted) p_ += 1 + kDepth;
  const char* const start = p_;
  while (p_ != end_ && *p_ != '"' && *p_ != '\\' && *p_ != ',' && *p_ != '}' && *p_ != ']' &&
         *p_ != ':') {
    ++p_;
  }
  const std::string_view text(start, static_cast<size_t>(p_ - start));
  double value = 0;
  if (quoted && text == "NaN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (quoted && text == "Infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (quoted && text == "-Infinity") {
    value = -std::numeric_limits<double>::infinity();
  } else {
    // from_chars also takes "inf" and "nan", which no TJSON has.
    const bool number = std::all_of(text.begin(), text.end(), IsNumberCharacter);
    const auto [end, error] = std::from_chars(start, p_, value);
    if (!number || error != std::errc() || end != p_) return Fail(TJsonFault::kNumber);
  }
  PutBigEndian(std::bit_cast<uint64_t>(value), 8);
  return !quoted || Quote();
}

template class TJsonScanner<0>;
template class TJsonScanner<1>;

}  // namespace catalogd::wire::internal
