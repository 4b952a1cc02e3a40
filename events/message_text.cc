#include "events/message_text.h"

#include <libdeflate.h>

#include <array>
#include <cstdint>
#include <memory>

namespace catalogd::events {
namespace {

constexpr uint8_t kInvalid = 0xFF;

constexpr std::array<uint8_t, 256> MakeBase64Table() {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<uint8_t, 256> table{};
  for (auto& entry : table) entry = kInvalid;
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return table;
}
constexpr std::array<uint8_t, 256> kBase64 = MakeBase64Table();

uint32_t Sextet(char c) { return kBase64[static_cast<uint8_t>(c)]; }

tl::unexpected<Error> NotBase64() {
  return MakeError(ErrorCode::kCorrupt, "message is neither JSON nor base64");
}

// Adds the 1 or 2 bytes that 2 or 3 last characters hold.
Status DecodeBase64Rest(std::string_view rest, std::string* out) {
  if (rest.empty()) return Ok();
  if (rest.size() == 1) return NotBase64();
  const uint32_t a = Sextet(rest[0]);
  const uint32_t b = Sextet(rest[1]);
  const uint32_t c = rest.size() == 3 ? Sextet(rest[2]) : 0;
  if (((a | b | c) & 0xC0U) != 0) return NotBase64();
  out->push_back(static_cast<char>((a << 2U) | (b >> 4U)));
  if (rest.size() == 3) out->push_back(static_cast<char>(((b & 0xFU) << 4U) | (c >> 2U)));
  return Ok();
}

uint32_t ReadLittleEndian32(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value |= uint32_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  }
  return value;
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

// Its tables are 11 KiB and hold nothing between calls.
libdeflate_decompressor* ThreadDecompressor() {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  return decompressor.get();
}

tl::unexpected<Error> TooLong(size_t length, size_t max) {
  return MakeError(ErrorCode::kResourceExhausted,
                   "message of " + std::to_string(length) + " bytes is over the limit of " +
                       std::to_string(max) + "; what it names is read from the metastore instead");
}

}  // namespace

Result<std::string> DecodeBase64(std::string_view text) {
  for (int padding = 0; padding < 2 && !text.empty() && text.back() == '='; ++padding) {
    text.remove_suffix(1);
  }
  std::string out;
  out.resize(text.size() / 4 * 3);
  const char* p = text.data();
  const char* const end = p + text.size() / 4 * 4;
  char* to = out.data();
  for (; p < end; p += 4, to += 3) {
    const uint32_t a = Sextet(p[0]);
    const uint32_t b = Sextet(p[1]);
    const uint32_t c = Sextet(p[2]);
    const uint32_t d = Sextet(p[3]);
    if (((a | b | c | d) & 0xC0U) != 0) return NotBase64();
    const uint32_t three = (a << 18U) | (b << 12U) | (c << 6U) | d;
    to[0] = static_cast<char>(three >> 16U);
    to[1] = static_cast<char>((three >> 8U) & 0xFFU);
    to[2] = static_cast<char>(three & 0xFFU);
  }
  RETURN_IF_ERROR(DecodeBase64Rest(text.substr(text.size() / 4 * 4), &out));
  return out;
}

Status DecodeGzip(std::string_view bytes, size_t max, std::string* out) {
  constexpr size_t kSmallest = 18;  // Header and trailer.
  // Deflate cannot do better; a trailer that says so is made up and must not cost memory.
  constexpr size_t kMaxRatio = 1040;
  if (bytes.size() < kSmallest) return MakeError(ErrorCode::kCorrupt, "gzip message is cut off");
  const size_t length = ReadLittleEndian32(bytes, bytes.size() - 4);
  if (length / kMaxRatio > bytes.size()) {
    return MakeError(ErrorCode::kCorrupt, "gzip message declares an impossible length");
  }
  if (length > max) return TooLong(length, max);
  libdeflate_decompressor* const decompressor = ThreadDecompressor();
  if (decompressor == nullptr) {
    return MakeError(ErrorCode::kResourceExhausted, "no memory to decompress a message");
  }
  out->resize(length);
  size_t consumed = 0;
  size_t produced = 0;
  const libdeflate_result result = libdeflate_gzip_decompress_ex(
      decompressor, bytes.data(), bytes.size(), out->data(), length, &consumed, &produced);
  // The length is that of the trailer, so "too long for the buffer" is a damaged message as well.
  if (result != LIBDEFLATE_SUCCESS || produced != length || consumed != bytes.size()) {
    out->clear();
    return MakeError(ErrorCode::kCorrupt, "gzip message is damaged");
  }
  return Ok();
}

Result<std::string_view> MessageView(const hms::NotificationEvent& row, const DecoderLimits& limits,
                                     std::string* storage) {
  std::string_view text = row.message;
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return MakeError(ErrorCode::kCorrupt, "message is empty");
  text = text.substr(first, text.find_last_not_of(kSpace) - first + 1);
  if (text.front() == '{') {
    if (text.size() > limits.max_message) return TooLong(text.size(), limits.max_message);
    return text;
  }
  ASSIGN_OR_RETURN(const std::string packed, DecodeBase64(text));
  RETURN_IF_ERROR(DecodeGzip(packed, limits.max_message, storage));
  return std::string_view(*storage);
}

Result<std::string> MessageText(const hms::NotificationEvent& row, const DecoderLimits& limits) {
  std::string storage;
  ASSIGN_OR_RETURN(const std::string_view view, MessageView(row, limits, &storage));
  return std::string(view);
}

}  // namespace catalogd::events
