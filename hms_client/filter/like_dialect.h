#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hms_client/filter/like_pattern.h"

// Filters with LIKE in the words of metastores of the other dialect. Pure functions.
// Source: measured on Hive 2.3.10, 3.1.3, 4.1.0 and 4.2.0; see README.
namespace catalogd::hms {

// The same pattern in the other dialect. Absent where it cannot be said so that every release
// finds the same, or where it may mean more than it says: signs of regular expressions beyond "."
// and ".*", backslashes that protect something else than "%" and "_", and the other dialect's sign
// for any text ("x%" as a regular expression).
// REQUIRES: neither is kByPattern.
std::optional<std::string> LikeInDialect(std::string_view pattern, LikeDialect from,
                                         LikeDialect to);

// A filter text with all its patterns in the other dialect; nothing else in it changes. Absent when
// one of them cannot be said, and when there is nothing to change.
std::optional<std::string> FilterInDialect(std::string_view filter, LikeDialect from,
                                           LikeDialect to);

}  // namespace catalogd::hms
