#include "catalog/daemon/state_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace catalogd::daemon {

Result<StateDir> StateDir::Open(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return MakeError(ErrorCode::kUnavailable, "state directory " + path +
                                                  " cannot be made: " + error.message() +
                                                  "; choose one with --state-dir");
  }
  const std::string lock_path = path + "/lock";
  const int fd = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    return MakeError(ErrorCode::kUnavailable, "state directory " + path +
                                                  " cannot be written: " + std::strerror(errno) +
                                                  "; choose another with --state-dir");
  }
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    return MakeError(ErrorCode::kUnavailable,
                     "state directory " + path +
                         " is in use by another catalogd; stop that one, or give this one its own "
                         "with --state-dir");
  }
  return StateDir(path, fd);
}

StateDir::~StateDir() {
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

StateDir::StateDir(StateDir&& other) noexcept
    : path_(std::move(other.path_)), lock_fd_(std::exchange(other.lock_fd_, -1)) {}

}  // namespace catalogd::daemon
