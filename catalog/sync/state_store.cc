#include "catalog/sync/state_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace catalogd::sync {
namespace {

constexpr std::string_view kMagic = "catalogd-state 1";
// Versions of one opening: more than a process can commit in its life.
constexpr int64_t kVersionsPerOpening = int64_t{1} << 36U;

Error IoError(const std::string& path, const char* what) {
  return {ErrorCode::kUnavailable, path + ": cannot " + what + ": " + std::strerror(errno) +
                                       "; check the state directory's permissions and free space"};
}

Result<std::string> ReadWhole(const std::string& path, bool* missing) {
  *missing = false;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    *missing = errno == ENOENT;
    if (*missing) return std::string();
    return AsError(IoError(path, "open"));
  }
  std::string content;
  std::array<char, 4096> buffer{};
  ssize_t n = 0;
  while ((n = ::read(fd, buffer.data(), buffer.size())) > 0) {
    content.append(buffer.data(), static_cast<size_t>(n));
  }
  ::close(fd);
  if (n < 0) return AsError(IoError(path, "read"));
  return content;
}

Status WriteAndSync(const std::string& path, const std::string& content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return AsError(IoError(path, "create"));
  const ssize_t written = ::write(fd, content.data(), content.size());
  const bool good = written == static_cast<ssize_t>(content.size()) && ::fsync(fd) == 0;
  const Error error = IoError(path, "write");
  ::close(fd);
  if (!good) return AsError(error);
  return Ok();
}

Status ReplaceFile(const std::string& directory, const std::string& path,
                   const std::string& content) {
  const std::string temporary = path + ".new";
  RETURN_IF_ERROR(WriteAndSync(temporary, content));
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    return AsError(IoError(path, "replace"));
  }
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return AsError(IoError(directory, "open"));
  const bool synced = ::fsync(fd) == 0;
  const Error error = IoError(directory, "sync");
  ::close(fd);
  if (!synced) return AsError(error);
  return Ok();
}

}  // namespace

struct StateStore::Content {
  int64_t opens = 0;
  LogIdentity identity;

  [[nodiscard]] std::string Encode() const {
    std::ostringstream text;
    text << kMagic << "\nopens " << opens << "\nepoch " << identity.epoch.value() << "\nevent "
         << identity.last_event.value() << "\nfingerprint " << identity.last_fingerprint
         << "\nuuid " << identity.metastore_uuid << "\nend\n";
    return text.str();
  }

  // False when the text is not what Encode writes.
  bool Decode(const std::string& text) {
    std::istringstream in(text);
    std::string line;
    if (!std::getline(in, line) || line != kMagic) return false;
    int64_t epoch = 0;
    int64_t event = 0;
    const auto number = [&](const char* key, auto* value) {
      std::string name;
      return static_cast<bool>(in >> name >> *value) && name == key;
    };
    if (!number("opens", &opens) || !number("epoch", &epoch) || !number("event", &event) ||
        !number("fingerprint", &identity.last_fingerprint)) {
      return false;
    }
    in.ignore();
    if (!std::getline(in, line) || !line.starts_with("uuid ")) return false;
    identity.metastore_uuid = line.substr(5);
    identity.epoch = LogEpoch(epoch);
    identity.last_event = EventId(event);
    return std::getline(in, line) && line == "end" && opens >= 0 && epoch >= 0 && event >= 0;
  }
};

Result<std::unique_ptr<StateStore>> StateStore::Open(const std::string& directory) {
  std::unique_ptr<StateStore> store(new StateStore(directory));
  Content content;
  if (!directory.empty()) {
    bool missing = false;
    ASSIGN_OR_RETURN(const std::string text, ReadWhole(store->path(), &missing));
    if (!missing && !content.Decode(text)) {
      return MakeError(ErrorCode::kCorrupt,
                       store->path() +
                           ": damaged state file; stop all daemons that use it and delete it "
                           "(the cache starts over, catalog versions may repeat)");
    }
  }
  ++content.opens;
  store->next_version_ = content.opens * kVersionsPerOpening;
  {
    const MutexLock lock(store->mutex_);
    store->opens_ = content.opens;
    store->identity_ = content.identity;
  }
  RETURN_IF_ERROR(store->Write(content));
  return store;
}

CatalogVersion StateStore::Next() {
  return CatalogVersion(next_version_.fetch_add(1, std::memory_order_relaxed) + 1);
}

StateStore::LogIdentity StateStore::identity() const {
  const MutexLock lock(mutex_);
  return identity_;
}

Status StateStore::SaveIdentity(const LogIdentity& identity) {
  Content content;
  {
    const MutexLock lock(mutex_);
    identity_ = identity;
    content.identity = identity;
    content.opens = opens_;
  }
  return Write(content);
}

Status StateStore::Write(const Content& content) const {
  if (directory_.empty()) return Ok();
  return ReplaceFile(directory_, path(), content.Encode());
}

}  // namespace catalogd::sync
