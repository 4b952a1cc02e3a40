#include "catalog/daemon/state_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace catalogd::daemon {
namespace {

std::string LastError() { return std::system_category().message(errno); }

}  // namespace

Result<StateDir> StateDir::Open(const std::string& path, StateDirUse use) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return MakeError(ErrorCode::kUnavailable,
                     fmt::format("state directory {} cannot be made: {}; choose one with "
                                 "--state-dir",
                                 path, error.message()));
  }
  StateDir state_dir(path);
  if (use.daemon) RETURN_IF_ERROR(state_dir.Lock("catalogd.lock", "catalogd"));
  if (use.metastore) RETURN_IF_ERROR(state_dir.Lock("metastore.lock", "embedded metastore"));
  return state_dir;
}

Status StateDir::Lock(const char* file, const char* what) {
  const std::string lock_path = path_ + "/" + file;
  const int fd = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    return MakeError(ErrorCode::kUnavailable,
                     fmt::format("state directory {} cannot be written: {}; choose another with "
                                 "--state-dir",
                                 path_, LastError()));
  }
  locks_.push_back(fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return MakeError(ErrorCode::kUnavailable,
                     fmt::format("state directory {} is in use by another {}; stop that one, or "
                                 "give this one its own with --state-dir",
                                 path_, what));
  }
  return Ok();
}

StateDir::~StateDir() {
  for (const int fd : locks_) ::close(fd);
}

StateDir::StateDir(StateDir&& other) noexcept
    : path_(std::move(other.path_)), locks_(std::exchange(other.locks_, {})) {}

}  // namespace catalogd::daemon
