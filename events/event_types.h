#pragma once

#include <string_view>

#include "events/event.h"

namespace catalogd::events {

// What a stored type says about where its names are and whether its message has to be read.
struct EventType {
  enum class Names { kNone, kDatabase, kTable, kAsInRow };
  EventKind kind = EventKind::kUnknown;
  Names names = Names::kAsInRow;
  // The message holds something that names alone do not say.
  bool has_payload = false;
};

// Types this build has never heard of are kUnknown, with the names the row has.
EventType FindEventType(std::string_view stored);

}  // namespace catalogd::events
