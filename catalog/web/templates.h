#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace catalogd::web {

// Name and text of every file in templates/, put here by the build.
const std::vector<std::pair<std::string_view, std::string_view>>& Templates();

}  // namespace catalogd::web
