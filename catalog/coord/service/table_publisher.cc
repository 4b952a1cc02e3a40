#include "catalog/coord/service/table_publisher.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace catalogd::coord {
namespace {

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::optional<PublishedState> PublishedState::Parse(std::string_view text) {
  std::array<std::string_view, 4> parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t colon = text.find(':');
    if ((colon == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
    parts[i] = text.substr(0, colon);
    text = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  }
  const auto epoch = NumberOf(parts[1]);
  const auto version = NumberOf(parts[2]);
  if (parts[0].empty() || !epoch || !version || parts[3].empty()) return std::nullopt;
  return PublishedState{std::string(parts[0]), *epoch, IdVersion(*version), std::string(parts[3])};
}

std::string PublishedState::Text() const {
  return fmt::format("{}:{}:{}:{}", table_id, epoch, version.value(), nonce);
}

}  // namespace catalogd::coord
