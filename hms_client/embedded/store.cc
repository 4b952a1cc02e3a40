#include "hms_client/embedded/store.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <system_error>

#include "catalog/base/names.h"
#include "hms_client/embedded/object_rules.h"
#include "hms_client/embedded/schema.h"

namespace catalogd::hms {

namespace {

// A version-4 UUID. Not from Random: it must differ between files made by the same seed.
std::string NewUuid() {
  std::random_device source;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string uuid = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
  for (char& c : uuid) {
    if (c == 'x') c = kHex[source() & 15U];
    if (c == 'y') c = kHex[8U | (source() & 3U)];
  }
  return uuid;
}

// SQLite would make a new database of a file without a byte and remove the log beside it, which may
// hold all there was. A missing file is another matter: that is how a metastore begins.
Status CheckNotEmptied(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return Ok();
  const auto bytes = std::filesystem::file_size(path, error);
  if (error || bytes > 0) return Ok();
  return MakeError(ErrorCode::kCorrupt,
                   "metastore file " + path +
                       " is empty (0 bytes), so its databases are lost; restore it from a copy, or "
                       "remove it and its -wal and -shm files to begin a new metastore");
}

void RemoveDatabase(const std::string& path) {
  std::error_code ignored;
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end, ignored);
}

bool SyncFolderOf(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool synced = ::fsync(fd) == 0;
  ::close(fd);
  return synced;
}

}  // namespace

Store::Store(EmbeddedOptions options, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      warehouse_(options_.warehouse, options_.manage_directories),
      in_memory_(options_.path == ":memory:"),
      started_(static_cast<int32_t>(WallMillis(clock) / 1000)),
      attendance_(clock) {}

SqliteOptions Store::ConnectionOptions(bool read_only) const {
  return {read_only, options_.full_sync, options_.busy_timeout};
}

Result<std::unique_ptr<Store>> Store::Open(const EmbeddedOptions& options, const Clock& clock) {
  RETURN_IF_ERROR(CheckNotEmptied(options.path));
  RETURN_IF_ERROR(Begin(options, clock));
  auto store = std::unique_ptr<Store>(new Store(options, clock));
  RETURN_IF_ERROR(store->Prepare());
  return store;
}

// A new metastore gets its name when it is whole, so a file of 0 bytes never is one that was
// killed at its beginning. SQLite would take a log left under that name for its own.
Status Store::Begin(const EmbeddedOptions& options, const Clock& clock) {
  std::error_code error;
  EmbeddedOptions unnamed = options;
  unnamed.path += ".new";
  if (options.path == ":memory:") return Ok();
  RemoveDatabase(unnamed.path);
  if (std::filesystem::exists(options.path, error)) return Ok();
  RETURN_IF_ERROR(Store(unnamed, clock).Prepare());
  RemoveDatabase(options.path);
  std::filesystem::rename(unnamed.path, options.path, error);
  if (!error && SyncFolderOf(options.path)) return Ok();
  return MakeError(ErrorCode::kUnavailable, "metastore file " + options.path +
                                                " cannot be made from " + unnamed.path + ": " +
                                                error.message() + "; check its folder");
}

Status Store::Prepare() {
  {
    const MutexLock lock(writer_mutex_);
    ASSIGN_OR_RETURN(writer_, SqliteDb::Open(options_.path, ConnectionOptions(false)));
    RETURN_IF_ERROR(PrepareSchema(*writer_, options_.check_integrity));
  }
  return CreateFirstObjects();
}

Status Store::CreateFirstObjects() {
  return Write([](Writer& writer) -> Status {
    ASSIGN_OR_RETURN(const std::string uuid, writer.Fact("uuid"));
    if (!uuid.empty()) return Ok();
    RETURN_IF_ERROR(writer.SetFact("uuid", NewUuid()));
    thrift::hms::Database database;
    database.__set_name("default");
    database.__set_description("Default Hive database");
    database.__set_locationUri(writer.warehouse().root());
    database.__set_ownerName("public");
    database.__set_ownerType(thrift::hms::PrincipalType::ROLE);
    database.__set_createTime(writer.now());
    CompleteDatabase(&database);
    RETURN_IF_ERROR(writer.MakeDirectory(database.locationUri));
    // No event: a follower starts by listing, and every metastore has this database.
    return writer.InsertDatabase(database);
  });
}

Result<std::unique_ptr<SqliteDb>> Store::TakeReader() {
  {
    const MutexLock lock(readers_mutex_);
    if (!readers_.empty()) {
      std::unique_ptr<SqliteDb> reader = std::move(readers_.back());
      readers_.pop_back();
      return reader;
    }
  }
  return SqliteDb::Open(options_.path, ConnectionOptions(true));
}

void Store::GiveReader(std::unique_ptr<SqliteDb> reader) {
  const MutexLock lock(readers_mutex_);
  if (readers_.size() < options_.idle_readers) readers_.push_back(std::move(reader));
}

Status Store::ReadTransaction(const std::function<void(Rows&)>& body) {
  if (in_memory_) {
    const MutexLock lock(writer_mutex_);
    Rows rows(*writer_);
    body(rows);
    return Ok();
  }
  ASSIGN_OR_RETURN(std::unique_ptr<SqliteDb> reader, TakeReader());
  auto begun = reader->Run("BEGIN");
  if (!begun) return AsError(std::move(begun).error());
  {
    Rows rows(*reader);
    body(rows);
  }
  // A connection that cannot end its transaction is thrown away.
  if (reader->Run("COMMIT")) GiveReader(std::move(reader));
  return Ok();
}

Status Store::WriteTransaction(const std::function<Status(Writer&)>& body) {
  WaitingWrite mine;
  mine.body = &body;
  {
    const MutexLock lock(queue_mutex_);
    queue_.push_back(&mine);
    while (!mine.done && queue_.front() != &mine) mine.woken.Wait(queue_mutex_);
  }
  if (!mine.done) Lead();
  return std::move(mine.outcome);
}

void Store::Lead() {
  std::vector<WaitingWrite*> waiting;
  {
    const MutexLock lock(queue_mutex_);
    waiting.assign(queue_.begin(), queue_.end());
  }
  std::vector<std::string> aside;
  size_t ran = 0;
  {
    const MutexLock lock(writer_mutex_);
    WriteGroup group(*writer_, warehouse_, clock_);
    ran = group.Run(waiting);
    aside = group.TakeAside();
  }
  Leave(ran);
  for (const std::string& directory : aside) Warehouse::Erase(directory);
}

// Whoever is done may be gone with the lock, so nobody is touched after it.
void Store::Leave(size_t ran) {
  const MutexLock lock(queue_mutex_);
  for (size_t i = 0; i < ran; ++i) {
    queue_.front()->done = true;
    queue_.front()->woken.NotifyOne();
    queue_.pop_front();
  }
  if (!queue_.empty()) queue_.front()->woken.NotifyOne();
}

}  // namespace catalogd::hms
