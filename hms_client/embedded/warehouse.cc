#include "hms_client/embedded/warehouse.h"

#include <unistd.h>

#include <atomic>
#include <cctype>
#include <filesystem>
#include <system_error>

namespace catalogd::hms {

namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> PathError(const std::string& location, const char* what,
                                const std::error_code& reason) {
  return MakeError(ErrorCode::kConflict, location + " " + what + ": " + reason.message());
}

bool HasScheme(std::string_view location) {
  const size_t colon = location.find(':');
  return colon != std::string_view::npos && location.find('/') > colon;
}

}  // namespace

Warehouse::Warehouse(std::string_view root, bool manage_directories)
    : root_(Qualify(root)), manage_directories_(manage_directories) {}

std::string Warehouse::DatabaseLocation(const std::string& db) const {
  return root_ + "/" + db + ".db";
}

std::string Warehouse::TableLocation(const std::string& database_location,
                                     const std::string& table) {
  std::string name;
  for (const char c : table) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '_' || c == '.' || byte >= 0x80U) {
      name += c;
    } else {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      name += {'-', kHex[byte >> 4U], kHex[byte & 15U], '-'};
    }
  }
  return database_location + "/" + name;
}

std::string Warehouse::PartitionLocation(const std::string& table_location,
                                         const std::string& partition_name) {
  return table_location + "/" + partition_name;
}

std::string Warehouse::Qualify(std::string_view location) {
  while (location.size() > 1 && location.ends_with('/') && !location.ends_with("//")) {
    location.remove_suffix(1);
  }
  if (location.starts_with('/')) return "file:" + std::string(location);
  return std::string(location);
}

std::string Warehouse::LocalPath(const std::string& location) const {
  if (!manage_directories_) return "";
  std::string path = location;
  if (path.starts_with("file:")) {
    path.erase(0, 5);
    if (path.starts_with("//")) path.erase(0, path.find('/', 2));
  } else if (HasScheme(path)) {
    return "";
  }
  return path.starts_with('/') && path != "/" ? path : "";
}

Result<bool> Warehouse::MakeDirectory(const std::string& location) const {
  const std::string path = LocalPath(location);
  if (path.empty()) return false;
  std::error_code error;
  const bool made = fs::create_directories(path, error);
  if (error) return PathError(location, "is not a directory or unable to create one", error);
  return made;
}

Status Warehouse::MoveDirectory(const std::string& from, const std::string& to) const {
  const std::string old_path = LocalPath(from);
  const std::string new_path = LocalPath(to);
  std::error_code error;
  if (old_path.empty() || new_path.empty() || !fs::exists(old_path, error)) return Ok();
  if (fs::exists(new_path, error)) {
    return MakeError(ErrorCode::kInvalidState,
                     "New location for this table " + to + " already exists");
  }
  fs::create_directories(fs::path(new_path).parent_path(), error);
  if (!error) fs::rename(old_path, new_path, error);
  if (error) return PathError(from, ("cannot be moved to " + to).c_str(), error);
  return Ok();
}

std::string Warehouse::SetAside(const std::string& location) const {
  const fs::path path = LocalPath(location);
  std::error_code error;
  if (path.empty() || !fs::exists(path, error)) return "";
  static std::atomic<uint64_t> counter{0};
  const fs::path aside =
      path.parent_path() / (".dropped-" + path.filename().string() + "-" +
                            std::to_string(::getpid()) + "-" + std::to_string(++counter));
  fs::rename(path, aside, error);
  return error ? "" : aside.string();
}

void Warehouse::Erase(const std::string& set_aside) {
  std::error_code ignored;
  if (!set_aside.empty()) fs::remove_all(set_aside, ignored);
}

}  // namespace catalogd::hms
