#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd::hms {

// Where databases and tables lie by default, and their directories when these are local.
//
// Locations with another scheme than file: are taken as they are and never touched.
// Thread safety: immutable. Errors: kConflict with the path and the system's reason.
class Warehouse {
 public:
  // `root`: a path or URI. `manage_directories` false: only names, no files.
  Warehouse(std::string_view root, bool manage_directories);

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::string DatabaseLocation(const std::string& db) const;
  // Characters that are odd in paths become "-NN-", as Hive writes them.
  static std::string TableLocation(const std::string& database_location, const std::string& table);
  static std::string PartitionLocation(const std::string& table_location,
                                       const std::string& partition_name);
  // "/a" becomes "file:/a"; a trailing slash goes.
  static std::string Qualify(std::string_view location);

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

  std::string root_;
  bool manage_directories_;
};

}  // namespace catalogd::hms
