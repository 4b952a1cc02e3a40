#include "catalog/coord/service/slice_token.h"

#include <charconv>
#include <optional>
#include <vector>

namespace catalogd::coord {
namespace {

constexpr std::string_view kForm = "s1";  // Of the token; another one when it changes.
constexpr std::string_view kDigits = "0123456789abcdef";

std::string ToHex(std::string_view text) {
  std::string hex;
  hex.reserve(2 * text.size());
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

std::optional<std::string> FromHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string text;
  text.reserve(hex.size() / 2);
  for (size_t i = 0; i < hex.size(); i += 2) {
    const size_t high = kDigits.find(hex[i]);
    const size_t low = kDigits.find(hex[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    text += static_cast<char>(high << 4U | low);
  }
  return text;
}

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    parts.push_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

std::string ToPageToken(const SlicePlace& place) {
  std::string token(kForm);
  for (const std::string& part :
       {ToHex(place.table_id), std::to_string(place.position.version.value()),
        std::string(place.position.at.text()), ToHex(place.from.partition),
        ToHex(place.from.file_id)}) {
    token += '.';
    token += part;
  }
  return token;
}

CoordResult<SlicePlace> ParsePageToken(std::string_view token) {
  const std::vector<std::string_view> parts = Split(token);
  const auto refused = [] {
    return Fail(CoordCode::kInvalidArgument,
                "the page token is not one of this service; begin again without one");
  };
  if (parts.size() != 6 || parts[0] != kForm) return refused();
  SlicePlace place;
  int64_t version = 0;
  const char* const end = parts[2].data() + parts[2].size();
  const auto [stop, error] = std::from_chars(parts[2].data(), end, version);
  const auto at = Instant::Parse(parts[3]);
  const auto table_id = FromHex(parts[1]);
  const auto partition = FromHex(parts[4]);
  const auto file_id = FromHex(parts[5]);
  if (error != std::errc() || stop != end || !at || !table_id || !partition || !file_id) {
    return refused();
  }
  place.table_id = *table_id;
  place.position = {IdVersion(version), *at};
  place.from = {*partition, *file_id};
  return place;
}

}  // namespace catalogd::coord
