#include "catalog/coord/service/read_folder.h"

#include <filesystem>

#include "catalog/base/mutex.h"
#include "catalog/coord/data_file_names.h"

namespace catalogd::coord {
namespace {

namespace fs = std::filesystem;

bool IsHidden(const std::string& name) { return name.starts_with('_') || name.starts_with('.'); }

bool IsDataFile(const std::string& name) {
  if (!IsHidden(name)) return true;
  const auto parsed = ParseDataFileName(name);
  return parsed && *parsed;
}

Result<std::set<std::string>> Failed(const std::string& path, const std::error_code& error) {
  const bool missing = error == std::errc::no_such_file_or_directory;
  return MakeError(missing ? ErrorCode::kNotFound : ErrorCode::kInternal,
                   path + ": " + error.message());
}

}  // namespace

std::string LocalFolder(std::string_view base_path) {
  if (base_path.starts_with("file:")) {
    base_path.remove_prefix(5);
    if (base_path.starts_with("///")) base_path.remove_prefix(2);
  }
  if (!base_path.starts_with('/') || base_path.starts_with("//")) return "";
  while (base_path.size() > 1 && base_path.ends_with('/')) base_path.remove_suffix(1);
  return std::string(base_path);
}

Result<std::set<std::string>> ListDataFiles(const std::string& folder) {
  AssertNoMutexHeld("list a table's folder");
  std::set<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  if (error) return Failed(folder, error);
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(error)) {
    if (error) return Failed(folder, error);
    const std::string name = entry->path().filename().string();
    std::error_code unknown;
    const bool is_folder = entry->is_directory(unknown) && !entry->is_symlink(unknown);
    if (is_folder) {
      if (IsHidden(name)) entry.disable_recursion_pending();
      continue;
    }
    if (!IsDataFile(name)) continue;
    files.insert(entry->path().lexically_relative(folder).string());
  }
  if (error) return Failed(folder, error);
  return files;
}

bool IsThere(const std::string& folder, const std::string& path) {
  std::error_code error;
  return fs::exists(fs::path(folder) / path, error);
}

}  // namespace catalogd::coord
