#pragma once

#include <string_view>

#include "hms_client/filter/filter.h"

// What is certain about single values, in whatever database the metastore keeps them, except one
// that takes capitals for small letters when it compares. Pure functions, internal to ExactFilter.
namespace catalogd::hms {

// Printable ASCII without a backslash, and without a blank at its end.
bool IsPlainText(std::string_view text);
// No other text is equal to it: databases may pad with blanks when they compare.
bool HasOneSpelling(std::string_view text);
// A number as programs write it, that fits 18 digits.
bool IsPlainInteger(std::string_view text);
// A day of the Gregorian calendar as YYYY-MM-DD.
bool IsPlainDay(std::string_view text);
// REQUIRES: kInteger or kDate.
bool IsPlainValue(std::string_view text, KeyKind kind);
// Whether every collation orders the two as their bytes are: they are equal, one begins with the
// other, or they first differ in digits, in letters of one case, or in a digit and a letter.
bool AreOrderedAnyhow(std::string_view a, std::string_view b);

}  // namespace catalogd::hms
