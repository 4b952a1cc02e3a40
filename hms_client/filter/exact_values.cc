#include "hms_client/filter/exact_values.h"

#include <algorithm>

#include "hms_client/filter/parser.h"

namespace catalogd::hms {

namespace {

// The years in which java.sql.Date and every database count alike.
constexpr std::string_view kFirstYear = "1600";

enum class Group { kDigit, kLower, kUpper, kOther };

Group GroupOf(char c) {
  if (c >= '0' && c <= '9') return Group::kDigit;
  if (c >= 'a' && c <= 'z') return Group::kLower;
  return c >= 'A' && c <= 'Z' ? Group::kUpper : Group::kOther;
}

bool IsPrintable(char c) { return c >= ' ' && c <= '~'; }

}  // namespace

bool IsPlainText(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsPrintable(c) && c != '\\'; }) &&
         !text.ends_with(' ');
}

bool HasOneSpelling(std::string_view text) {
  return !text.ends_with(' ') && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
}

bool IsPlainInteger(std::string_view text) {
  constexpr size_t kMaxDigits = 18;
  if (text == "0") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= kMaxDigits && text.front() != '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return GroupOf(c) == Group::kDigit; });
}

bool IsPlainDay(std::string_view text) {
  return ParseDay(text).has_value() && text.substr(0, kFirstYear.size()) >= kFirstYear;
}

bool IsPlainValue(std::string_view text, KeyKind kind) {
  return kind == KeyKind::kInteger ? IsPlainInteger(text) : IsPlainDay(text);
}

bool AreOrderedAnyhow(std::string_view a, std::string_view b) {
  if (!IsPlainText(a) || !IsPlainText(b)) return false;
  const size_t shorter = std::min(a.size(), b.size());
  const auto [in_a, in_b] =
      std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(shorter), b.begin());
  if (in_a == a.begin() + static_cast<ptrdiff_t>(shorter)) return true;
  const Group first = GroupOf(*in_a);
  const Group second = GroupOf(*in_b);
  if (first == Group::kOther || second == Group::kOther) return false;
  return first == second || first == Group::kDigit || second == Group::kDigit;
}

}  // namespace catalogd::hms
