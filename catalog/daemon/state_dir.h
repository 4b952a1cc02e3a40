#pragma once

#include <string>

#include "catalog/base/result.h"

namespace catalogd::daemon {

// The state directory, for one process alone as long as this lives.
// Errors of Open: kUnavailable (cannot be made, written or locked: which directory, why, and who
// has it).
class StateDir {
 public:
  static Result<StateDir> Open(const std::string& path);
  ~StateDir();
  StateDir(StateDir&& other) noexcept;
  StateDir& operator=(StateDir&& other) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  StateDir(std::string path, int lock_fd) : path_(std::move(path)), lock_fd_(lock_fd) {}

  std::string path_;
  int lock_fd_;
};

}  // namespace catalogd::daemon
