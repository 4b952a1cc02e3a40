#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"
#include "catalog/base/scheduler_hook.h"

// What people write as values of options. Pure.
// Errors: kInvalidArgument; the text says what is expected.
namespace catalogd::daemon {

// "500ms", "2s", "5m", "1h"; a unit is needed unless the value is 0.
Result<Duration> ParseDuration(std::string_view text);
// "4096", "64KiB", "100MiB", "1GiB".
Result<size_t> ParseSize(std::string_view text);
Result<int64_t> ParseNumber(std::string_view text, int64_t least, int64_t most);
// "true", "yes", "on", "1" and their opposites; empty (a flag without a value) is true.
Result<bool> ParseSwitch(std::string_view text);
// "a, b or c".
std::string OneOf(const std::vector<std::string_view>& choices);

std::string_view Trim(std::string_view text);
// The candidate that was most likely meant; empty when none is near.
std::string Nearest(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace catalogd::daemon
