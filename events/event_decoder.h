#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catalog/base/result.h"
#include "events/event.h"
#include "hms_client/metastore.h"

// From a row of the notification log to an Event. Pure: no state, no I/O.
//
// Never fails: a type it does not know is kUnknown, a message it cannot understand is an Event with
// `problem` set, whose names come from the row columns. The format is told by the text itself when
// the row has none: '{' starts JSON, anything else is base64 of gzip.
// Source of the formats: hive-standalone-metastore's JSON messages of 2.3, 3.1 and 4.x as written
// by real servers; only keys are relied on, never their order.
namespace catalogd::events {

struct DecoderLimits {
  size_t max_message = 256U << 20U;  // Bytes after decompression.
  // Not a limit: false leaves Event::fingerprint 0 and saves a pass over the row.
  bool fingerprint = true;
};

Event DecodeEvent(const hms::NotificationEvent& row, const DecoderLimits& limits = {});

// Hash of id, type, names and message of a row; Event::fingerprint.
uint64_t Fingerprint(const hms::NotificationEvent& row);

// The JSON text of a message: as it is, or base64- and gzip-decoded. kCorrupt, kResourceExhausted.
Result<std::string> MessageText(const hms::NotificationEvent& row,
                                const DecoderLimits& limits = {});

}  // namespace catalogd::events
