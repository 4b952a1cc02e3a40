#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd::hms {

// Where databases and tables lie by default, and their directories when these are local.
//
// Locations with another scheme than file: are taken as they are and never touched.
// Invariant: what holds the warehouse itself, and a path with "..", is neither moved nor set aside,
// whatever a location says.
// Thread safety: immutable. Errors: kConflict with the path and the system's reason.
class Warehouse {
 public:
  // `root`: a path or URI. `manage_directories` false: only names, no files.
  Warehouse(std::string_view root, bool manage_directories);

  [[nodiscard]] const std::string& root() const { return root_; }
  // A slash becomes "-47-": the metastore makes a path of it, which may end in another's directory.
  [[nodiscard]] std::string DatabaseLocation(const std::string& db) const;
  // All but letters, digits and '_' become "-NN-", NN decimal, as Hive writes them; so no name is
  // "." or ".." or has a slash.
  static std::string TableLocation(const std::string& database_location, const std::string& table);
  static std::string PartitionLocation(const std::string& table_location,
                                       const std::string& partition_name);
  // "/a" and "file:///a" become "file:/a"; there, "." and ".." are resolved; trailing slashes go.
  static std::string Qualify(std::string_view location);
  // What a client may give as a place: "/a", "file:/a" or any other "scheme:..."; kConflict with
  // the metastore's text. Schemes are not looked up: which there are is the engines' affair.
  static Status CheckLocation(std::string_view location);

  // Makes the directory and its parents. True when it was not there before.
  [[nodiscard]] Result<bool> MakeDirectory(const std::string& location) const;
  // Moves a directory to a place where nothing may be. Nothing to do when the source is missing.
  [[nodiscard]] Status MoveDirectory(const std::string& from, const std::string& to) const;
  // Moves a directory out of the way, so that its name is free at once; "" when there is none or
  // it cannot be moved. Erase removes what was set aside. Best effort, as a metastore's own
  // removal is: what is left is only files.
  [[nodiscard]] std::string SetAside(const std::string& location) const;
  static void Erase(const std::string& set_aside);

 private:
  // The local path, or "" when the location is not ours to touch.
  [[nodiscard]] std::string LocalPath(const std::string& location) const;
  [[nodiscard]] bool MayTake(const std::string& path) const;

  std::string root_;
  bool manage_directories_;
  std::filesystem::path root_path_;
};

}  // namespace catalogd::hms
