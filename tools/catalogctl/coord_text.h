#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

// What people read of table coordination: made from the JSON that --json prints, so that both say
// the same. Pure functions.
namespace catalogd::ctl {

// One row for each object of the list; a column is the name of a member.
std::string JsonTable(const nlohmann::json& list, const std::vector<std::string>& columns);
// One line for each member that says something.
std::string JsonLines(const nlohmann::json& object);

}  // namespace catalogd::ctl
