#include "hms_client/embedded/warehouse.h"

#include <unistd.h>

#include <algorithm>
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

// Without "." and doubled or trailing slashes; ".." is resolved by the text alone.
fs::path Normal(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool GoesUp(const fs::path& path) {
  return std::find(path.begin(), path.end(), "..") != path.end();
}

// Whether `inner` is `outer` or lies below it.
bool Holds(const fs::path& outer, const fs::path& inner) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

std::string Coded(char c) {
  return "-" + std::to_string(static_cast<unsigned int>(static_cast<unsigned char>(c))) + "-";
}

bool HasScheme(std::string_view location) {
  const size_t colon = location.find(':');
  return colon != std::string_view::npos && location.find('/') > colon;
}

}  // namespace

Warehouse::Warehouse(std::string_view root, bool manage_directories)
    : root_(Qualify(root)),
      manage_directories_(manage_directories),
      root_path_(Normal(LocalPath(root_))) {}

std::string Warehouse::DatabaseLocation(const std::string& db) const {
  std::string name;
  for (const char c : db) name += c == '/' ? Coded(c) : std::string(1, c);
  return root_ + "/" + name + ".db";
}

std::string Warehouse::TableLocation(const std::string& database_location,
                                     const std::string& table) {
  std::string name;
  for (const char c : table) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '_' || byte >= 0x80U;
    name += plain ? std::string(1, c) : Coded(c);
  }
  return database_location + "/" + name;
}

std::string Warehouse::PartitionLocation(const std::string& table_location,
                                         const std::string& partition_name) {
  return table_location + "/" + partition_name;
}

std::string Warehouse::Qualify(std::string_view location) {
  std::string_view path = location;
  if (path.starts_with("file:")) path.remove_prefix(5);
  if (path.starts_with("///")) path.remove_prefix(2);
  if (path.starts_with('/') && (!path.starts_with("//") || location.starts_with('/'))) {
    const std::string normal = Normal(path).string();
    return "file:" + normal.substr(normal.find_first_not_of('/') == std::string::npos
                                       ? 0
                                       : normal.find_first_not_of('/') - 1);
  }
  while (location.size() > 1 && location.ends_with('/') && !location.ends_with("//")) {
    location.remove_suffix(1);
  }
  return std::string(location);
}

Status Warehouse::CheckLocation(std::string_view location) {
  const auto refuse = [](const std::string& text) {
    return MakeError(ErrorCode::kConflict, "java.lang.IllegalArgumentException: " + text);
  };
  if (location.empty()) return refuse("Can not create a Path from an empty string");
  if (location.starts_with("file:/")) {
    if (!location.starts_with("file://") || location.starts_with("file:///")) return Ok();
    return refuse("Wrong FS: " + std::string(location) + ", expected: file:///");
  }
  const bool relative_file = location.starts_with("file:");
  if (!relative_file && (location.starts_with('/') || HasScheme(location))) return Ok();
  return refuse("java.net.URISyntaxException: Relative path in absolute URI: " +
                (relative_file ? std::string(location) : "file:./" + std::string(location)));
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

bool Warehouse::MayTake(const std::string& path) const {
  return !path.empty() && !GoesUp(path) && !Holds(Normal(path), root_path_);
}

Status Warehouse::MoveDirectory(const std::string& from, const std::string& to) const {
  const std::string old_path = LocalPath(from);
  const std::string new_path = LocalPath(to);
  if (old_path.empty() || new_path.empty()) return Ok();
  for (const std::string& path : {old_path, new_path}) {
    if (MayTake(path)) continue;
    std::string text = from;
    text.append(" cannot be moved to ").append(to).append(": ").append(path);
    text += " leads out of its place or holds the warehouse; give another location";
    return MakeError(ErrorCode::kConflict, std::move(text));
  }
  std::error_code error;
  if (!fs::exists(old_path, error)) return Ok();
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
  const std::string local = LocalPath(location);
  if (!MayTake(local)) return "";
  const fs::path path = Normal(local);
  std::error_code error;
  if (!fs::exists(path, error)) return "";
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
