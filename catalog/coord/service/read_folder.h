#pragma once

#include <set>
#include <string>
#include <string_view>

#include "catalog/base/result.h"

// A table's folder as people left it.
// Thread safety: pure functions; they read the disk, so not under a mutex.
namespace catalogd::coord {

// "/a", "file:/a" and "file:///a" are "/a"; "" for what is on no disk of this machine.
std::string LocalFolder(std::string_view base_path);

// The data files below, by their paths from there on. What tools put beside data is passed over:
// folders and files that begin with '_' or '.', but for logs.
// Errors: kNotFound, kInternal with the path and the system's message.
Result<std::set<std::string>> ListDataFiles(const std::string& folder);

bool IsThere(const std::string& folder, const std::string& path);

}  // namespace catalogd::coord
