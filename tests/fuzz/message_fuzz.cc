#include <string>
#include <string_view>

#include "events/message_text.h"
#include "tests/fuzz/fuzz_target.h"

// What a log calls a message: JSON, or gzip of it in base64, or neither. Whatever it is, the text
// that comes of it is within its limit, and a lie about its length or format changes nothing.
namespace catalogd::fuzz {

void MessageTarget(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr size_t kMax = 1U << 16U;
  std::string inflated;
  const Status status = events::DecodeGzip(bytes, kMax, &inflated);
  Require(inflated.size() <= kMax);
  if (status) {
    // A limit that just suffices suffices; one less does not.
    std::string again;
    Require(events::DecodeGzip(bytes, inflated.size(), &again).has_value() && again == inflated);
    if (!inflated.empty()) Require(!events::DecodeGzip(bytes, inflated.size() - 1, &again));
  }
  const auto decoded = events::DecodeBase64(bytes);
  if (decoded) Require(decoded->size() <= (size + 3) / 4 * 3);

  hms::NotificationEvent row;
  row.id = EventId(1);
  row.type = "CREATE_TABLE";
  row.message.assign(bytes);
  const auto text = events::MessageText(row, {kMax});
  Require(!text || text->size() <= kMax);
  for (const char* format : {"", "json-0.2", "gzip(json-2.0)", "nonsense"}) {
    row.format = format;
    const auto same = events::MessageText(row, {kMax});
    Require(same.has_value() == text.has_value());
    if (text) Require(*same == *text);
  }
}

}  // namespace catalogd::fuzz

FUZZ_ENTRY(catalogd::fuzz::MessageTarget);
