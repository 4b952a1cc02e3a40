#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace catalogd::coord {

// A text that never changes, as one pointer to one allocation: tables have millions of names, and a
// std::string is four times that before its first character.
// Thread safety: plain value.
class PackedText {
 public:
  explicit PackedText(std::string_view text) {
    const bool is_short = text.size() < kLong;
    const size_t before = is_short ? 1 : 1 + sizeof(uint32_t);
    bytes_.reset(new char[before + text.size()]);
    bytes_[0] = static_cast<char>(is_short ? text.size() : kLong);
    const auto size = static_cast<uint32_t>(text.size());
    if (!is_short) std::memcpy(bytes_.get() + 1, &size, sizeof(size));
    std::memcpy(bytes_.get() + before, text.data(), text.size());
  }

  [[nodiscard]] std::string_view view() const {
    const auto first = static_cast<unsigned char>(bytes_[0]);
    if (first < kLong) return {bytes_.get() + 1, first};
    uint32_t size = 0;
    std::memcpy(&size, bytes_.get() + 1, sizeof(size));
    return {bytes_.get() + 1 + sizeof(size), size};
  }

  struct Less {
    using is_transparent = void;
    bool operator()(const PackedText& a, const PackedText& b) const { return a.view() < b.view(); }
    bool operator()(const PackedText& a, std::string_view b) const { return a.view() < b; }
    bool operator()(std::string_view a, const PackedText& b) const { return a < b.view(); }
  };

 private:
  static constexpr unsigned char kLong = 255;
  // A byte with the length, or kLong and four bytes with it; then the characters.
  std::unique_ptr<char[]> bytes_;
};

}  // namespace catalogd::coord
