#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "catalog/base/result.h"

// Files of recordings: JSON lines, plain or gzipped. Errors: kNotFound, kCorrupt with file and
// line.
namespace catalogd::replay {

// Unpacked if it is gzipped.
Result<std::string> ReadFile(const std::string& path);
// Calls `read` for each line of FOLDER/NAME.jsonl or FOLDER/NAME.jsonl.gz.
Status ForEachLine(const std::string& folder, const std::string& name,
                   const std::function<Status(const nlohmann::json& line)>& read);

}  // namespace catalogd::replay
