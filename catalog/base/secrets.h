#pragma once

#include <string>
#include <string_view>

// What must not be shown on pages or written to logs although it stands in parameters, options or
// addresses. Thread safety: pure functions.
namespace catalogd {

inline constexpr std::string_view kHidden = "(hidden)";

// Whether a parameter or option of this name holds something that only its owner may know:
// passwords, tokens, credentials, keys of stores. Letter case does not matter.
bool LooksSecret(std::string_view name);

// The text with what stands for a user and a password in its addresses hidden:
// "s3://(hidden)@bucket/x". Text without such an address comes back as it is.
std::string WithoutUserInfo(std::string_view text);

}  // namespace catalogd
