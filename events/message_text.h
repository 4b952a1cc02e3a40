#pragma once

#include <string>
#include <string_view>

#include "catalog/base/result.h"
#include "events/event_decoder.h"
#include "hms_client/metastore.h"

// The envelope of a message: plain JSON, or base64 of gzip of JSON.
// Thread safety: pure functions.
namespace catalogd::events {

// The JSON text, without a copy when the row holds it as it is: then it points into the row,
// otherwise into *storage. Errors as MessageText.
Result<std::string_view> MessageView(const hms::NotificationEvent& row, const DecoderLimits& limits,
                                     std::string* storage);

// Standard alphabet, padded or not, no white space. kCorrupt.
Result<std::string> DecodeBase64(std::string_view text);

// One gzip member. kCorrupt, kResourceExhausted when it would be longer than `max`.
Status DecodeGzip(std::string_view bytes, size_t max, std::string* out);

}  // namespace catalogd::events
