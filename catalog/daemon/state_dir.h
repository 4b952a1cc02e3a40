#pragma once

#include <string>
#include <utility>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd::daemon {

// What of the state directory a process has for itself. The daemon's own state and the embedded
// metastore's file are locked apart: one process may serve the metastore and another one front it,
// both in the same directory.
struct StateDirUse {
  bool daemon = false;
  bool metastore = false;
};

// The state directory, ours alone (in that use) as long as this lives.
// Errors of Open: kUnavailable (cannot be made, written or locked: which directory, why, and what
// to do).
class StateDir {
 public:
  static Result<StateDir> Open(const std::string& path, StateDirUse use);
  ~StateDir();
  StateDir(StateDir&& other) noexcept;
  StateDir& operator=(StateDir&& other) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit StateDir(std::string path) : path_(std::move(path)) {}
  Status Lock(const char* file, const char* what);

  std::string path_;
  std::vector<int> locks_;
};

}  // namespace catalogd::daemon
