#include "events/json_slices.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstdint>

#include "thrift/wire/json_text.h"

namespace catalogd::events {
namespace {

using Kind = JsonSlice::Kind;

constexpr size_t kMaxNesting = 64;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool IsLiteral(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' ||
         c == 'E';
}

#ifdef __SSE2__
// Bit i is set where block[i] == c.
uint64_t EqualMask(const char* block, char c) {
  const __m128i wanted = _mm_set1_epi8(c);
  uint64_t mask = 0;
  for (unsigned part = 0; part < 4; ++part) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + size_t{part} * 16));
    const auto bits = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)));
    mask |= uint64_t{bits} << (part * 16);
  }
  return mask;
}

// Finds unescaped quotes 64 bytes at a time. A quote is escaped when an odd run of backslashes ends
// right before it. Adding the first bit of a run to the run carries into the position behind it;
// whether the run is odd then shows in the parity of first and end position.
class QuoteFinder {
 public:
  // Unescaped quotes of the next block.
  uint64_t Next(const char* block) {
    constexpr uint64_t kEven = 0x5555555555555555U;
    const uint64_t quotes = EqualMask(block, '"');
    // A byte that the previous block escapes does not start an escape itself.
    const uint64_t slashes = EqualMask(block, '\\') & ~escaped_first_;
    const uint64_t first = slashes & ~(slashes << 1U);
    const uint64_t even_ends = (slashes + (first & kEven)) & ~slashes;
    const uint64_t odd_first = first & ~kEven;
    const uint64_t odd_sum = slashes + odd_first;
    const uint64_t odd_ends = odd_sum & ~slashes;
    const uint64_t escaped = (even_ends & ~kEven) | (odd_ends & kEven) | escaped_first_;
    escaped_first_ = odd_sum < slashes ? 1 : 0;
    return quotes & ~escaped;
  }
  [[nodiscard]] bool first_is_escaped() const { return escaped_first_ != 0; }

 private:
  uint64_t escaped_first_ = 0;
};
#endif

// The closing quote of a string whose content starts at `p`; null when there is none.
const char* StringEnd(const char* p, const char* end) {
#ifdef __SSE2__
  // Most keys and names end within a few bytes.
  constexpr ptrdiff_t kShort = 24;
  const char* const short_end = end - p > kShort ? p + kShort : end;
  while (p < short_end && *p != '"' && *p != '\\') ++p;
  if (p < end && *p == '"') return p;
  QuoteFinder finder;
  for (; end - p >= 64; p += 64) {
    if (const uint64_t quotes = finder.Next(p)) return p + std::countr_zero(quotes);
  }
  if (finder.first_is_escaped() && p < end) ++p;
#endif
  for (; p < end; ++p) {
    if (*p == '"') return p;
    if (*p == '\\' && ++p == end) break;
  }
  return nullptr;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text)
      : start_(text.data()), p_(text.data()), end_(text.data() + text.size()) {}

  void SkipSpace() {
    while (p_ < end_ && IsSpace(*p_)) ++p_;
  }
  bool Take(char c) {
    SkipSpace();
    if (p_ >= end_ || *p_ != c) return false;
    ++p_;
    return true;
  }
  bool AtEnd() {
    SkipSpace();
    return p_ >= end_;
  }

  // False on malformed text.
  bool TakeString(std::string_view* content) {
    if (!Take('"')) return false;
    const char* const close = StringEnd(p_, end_);
    if (close == nullptr) return false;
    *content = std::string_view(p_, static_cast<size_t>(close - p_));
    p_ = close + 1;
    return true;
  }

  bool TakeValue(JsonSlice* slice) {
    SkipSpace();
    if (p_ >= end_) return false;
    if (*p_ == '"') {
      slice->kind = Kind::kString;
      return TakeString(&slice->text);
    }
    const char* const first = p_;
    if (*p_ == '{' || *p_ == '[') {
      slice->kind = *p_ == '{' ? Kind::kObject : Kind::kArray;
      if (!SkipContainer()) return false;
    } else {
      while (p_ < end_ && IsLiteral(*p_)) ++p_;
      if (p_ == first) return false;
      slice->kind = Kind::kOther;
    }
    slice->text = std::string_view(first, static_cast<size_t>(p_ - first));
    if (slice->text == "null") slice->kind = Kind::kNull;
    return true;
  }

  [[nodiscard]] Error Fault(std::string_view what) const {
    return Error{ErrorCode::kCorrupt, "message is not the JSON " + std::string(what) +
                                          " it should be (byte " + std::to_string(p_ - start_) +
                                          ")"};
  }

 private:
  // Brackets are matched, what stands between them is not looked at.
  bool SkipContainer() {
    std::array<char, kMaxNesting> open;
    size_t depth = 0;
    while (p_ < end_) {
      const char c = *p_++;
      if (c == '"') {
        p_ = StringEnd(p_, end_);
        if (p_ == nullptr) {
          p_ = end_;
          return false;
        }
        ++p_;
      } else if (c == '{' || c == '[') {
        if (depth == kMaxNesting) return false;
        open[depth++] = c == '{' ? '}' : ']';
      } else if (c == '}' || c == ']') {
        if (open[--depth] != c) return false;
        if (depth == 0) return true;
      }
    }
    return false;
  }

  const char* const start_;
  const char* p_;
  const char* const end_;
};

}  // namespace

Result<JsonMembers> JsonMembers::Parse(std::string_view text) {
  Scanner scanner(text);
  JsonMembers object;
  object.members_.reserve(16);
  if (!scanner.Take('{')) return AsError(scanner.Fault("object"));
  if (!scanner.Take('}')) {
    do {
      std::pair<std::string_view, JsonSlice> member;
      if (!scanner.TakeString(&member.first) || !scanner.Take(':') ||
          !scanner.TakeValue(&member.second)) {
        return AsError(scanner.Fault("object"));
      }
      object.members_.push_back(member);
    } while (scanner.Take(','));
    if (!scanner.Take('}')) return AsError(scanner.Fault("object"));
  }
  if (!scanner.AtEnd()) return AsError(scanner.Fault("object"));
  return object;
}

JsonSlice JsonMembers::Find(std::string_view key) const {
  for (const auto& [name, value] : members_) {
    if (name == key) return value;
  }
  return {};
}

Result<std::vector<JsonSlice>> JsonElements(std::string_view array) {
  Scanner scanner(array);
  std::vector<JsonSlice> elements;
  if (!scanner.Take('[')) return AsError(scanner.Fault("array"));
  if (!scanner.Take(']')) {
    do {
      JsonSlice& element = elements.emplace_back();
      if (!scanner.TakeValue(&element)) return AsError(scanner.Fault("array"));
    } while (scanner.Take(','));
    if (!scanner.Take(']')) return AsError(scanner.Fault("array"));
  }
  if (!scanner.AtEnd()) return AsError(scanner.Fault("array"));
  return elements;
}

Result<std::string> JsonText(const JsonSlice& slice) {
  if (slice.kind != Kind::kString) {
    return MakeError(ErrorCode::kCorrupt, "message has another value where a string belongs");
  }
  if (slice.text.find('\\') == std::string_view::npos) return std::string(slice.text);
  return wire::internal::UnescapeJson(slice.text);
}

Result<std::vector<std::pair<std::string, std::string>>> JsonStringMap(const JsonSlice& slice) {
  ASSIGN_OR_RETURN(const JsonMembers members, JsonMembers::Parse(slice.text));
  std::vector<std::pair<std::string, std::string>> map;
  map.reserve(members.all().size());
  for (const auto& [key, value] : members.all()) {
    ASSIGN_OR_RETURN(std::string name, JsonText({Kind::kString, key}));
    ASSIGN_OR_RETURN(std::string text, JsonText(value));
    map.emplace_back(std::move(name), std::move(text));
  }
  return map;
}

Result<std::vector<std::string>> JsonStringList(const JsonSlice& slice) {
  ASSIGN_OR_RETURN(const std::vector<JsonSlice> elements, JsonElements(slice.text));
  std::vector<std::string> list;
  list.reserve(elements.size());
  for (const JsonSlice& element : elements) {
    ASSIGN_OR_RETURN(std::string text, JsonText(element));
    list.push_back(std::move(text));
  }
  return list;
}

}  // namespace catalogd::events
