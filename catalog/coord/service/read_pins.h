#pragma once

#include <string>

#include "catalog/coord/service/table_state.h"

namespace catalogd::coord {

// A pin of `version` for `life` from now on, under a token that no other pin has; and the end of
// those that have run out. Appended to `batch`. Under the mutex of the state.
struct NewPin {
  IdVersion version;
  std::string token;  // Empty: one is made.
  std::string reader;
  Duration life{};
};
PinRecord AddPin(const TableState& state, NewPin pin, int64_t now_ms, StoreBatch* batch);

// The reader of pages of slices; readers of one version share a pin.
inline constexpr std::string_view kPageReader = "pages of slices";
// What has to be stored so that a version stays for the next page; empty: nothing, it does.
StoreBatch PinForPages(const TableState& state, IdVersion version, int64_t now_ms);

}  // namespace catalogd::coord
