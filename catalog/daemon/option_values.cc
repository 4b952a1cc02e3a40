#include "catalog/daemon/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <optional>

namespace catalogd::daemon {
namespace {

template <class Unit>
struct Suffix {
  std::string_view text;
  Unit unit;
};

// A whole number and the rest behind it.
struct Amount {
  int64_t number = 0;
  std::string_view unit;
};
std::optional<Amount> SplitAmount(std::string_view text) {
  Amount amount;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount.number);
  if (error != std::errc() || amount.number < 0) return std::nullopt;
  amount.unit = Trim(text.substr(static_cast<size_t>(end - text.data())));
  return amount;
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  using std::chrono::milliseconds;
  static constexpr std::array<Suffix<milliseconds>, 5> kUnits = {{
      {"ms", milliseconds(1)},
      {"s", milliseconds(1000)},
      {"m", milliseconds(60 * 1000)},
      {"min", milliseconds(60 * 1000)},
      {"h", milliseconds(3600 * 1000)},
  }};
  const auto amount = SplitAmount(text);
  if (amount && amount->unit.empty() && amount->number == 0) return Duration::zero();
  if (amount) {
    for (const auto& [suffix, unit] : kUnits) {
      if (amount->unit != suffix) continue;
      // Ten years are more than anybody means, and far from overflow.
      if (amount->number > std::chrono::hours(24 * 3650) / unit) break;
      return Duration(amount->number * unit);
    }
  }
  return MakeError(ErrorCode::kInvalidArgument,
                   "expected a length of time such as 500ms, 2s, 5m or 1h");
}

Result<size_t> ParseSize(std::string_view text) {
  static constexpr std::array<Suffix<int64_t>, 7> kUnits = {{
      {"", 1},
      {"B", 1},
      {"KiB", int64_t{1} << 10U},
      {"MiB", int64_t{1} << 20U},
      {"GiB", int64_t{1} << 30U},
      {"K", int64_t{1} << 10U},
      {"M", int64_t{1} << 20U},
  }};
  const auto amount = SplitAmount(text);
  if (amount) {
    for (const auto& [suffix, unit] : kUnits) {
      if (amount->unit != suffix) continue;
      if (amount->number > std::numeric_limits<int64_t>::max() / unit) break;
      return static_cast<size_t>(amount->number * unit);
    }
  }
  return MakeError(ErrorCode::kInvalidArgument,
                   "expected a number of bytes such as 4096, 64KiB, 100MiB or 1GiB");
}

Result<int64_t> ParseNumber(std::string_view text, int64_t least, int64_t most) {
  const auto amount = SplitAmount(text);
  if (!amount || !amount->unit.empty() || amount->number < least || amount->number > most) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("expected a whole number from {} to {}", least, most));
  }
  return amount->number;
}

Result<bool> ParseSwitch(std::string_view text) {
  for (const std::string_view yes : {"", "true", "yes", "on", "1"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"false", "no", "off", "0"}) {
    if (text == no) return false;
  }
  return MakeError(ErrorCode::kInvalidArgument, "expected true or false");
}

std::string OneOf(const std::vector<std::string_view>& choices) {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += choices[i];
  }
  return text;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string Nearest(std::string_view typed, const std::vector<std::string>& candidates) {
  // Edit distance, one row at a time.
  const auto distance = [typed](std::string_view word) {
    std::vector<size_t> row(word.size() + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= typed.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j < row.size(); ++j) {
        const size_t replaced = diagonal + (typed[i - 1] == word[j - 1] ? 0U : 1U);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
      }
    }
    return row.back();
  };
  std::string best;
  size_t best_distance = std::max<size_t>(2, typed.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t found = distance(candidate);
    if (found >= best_distance) continue;
    best_distance = found;
    best = candidate;
  }
  return best;
}

}  // namespace catalogd::daemon
