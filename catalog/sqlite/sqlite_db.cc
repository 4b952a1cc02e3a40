#include "catalog/sqlite/sqlite_db.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

#include <unordered_map>
#include <utility>

namespace catalogd {

namespace {

// How a file is called, and what to do when it is damaged.
struct FileWords {
  const std::string& called;
  const std::string& when_damaged;
};

Error ToError(const FileWords& file, const SQLite::Exception& error) {
  const std::string reason = std::string(": ") + error.what();
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kUnavailable, file.called + " is in use by another process" + reason +
                                           "; stop that process or choose another file"};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {ErrorCode::kCorrupt, file.called + " is damaged" + reason + "; " + file.when_damaged};
    case SQLITE_CANTOPEN:
      return {ErrorCode::kUnavailable, file.called + " cannot be opened" + reason +
                                           "; check that its folder exists and can be written"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorCode::kPermission, file.called + " cannot be written" + reason +
                                          "; check the rights on it and on its folder"};
    case SQLITE_FULL:
      return {ErrorCode::kResourceExhausted,
              "no room left for " + file.called + reason + "; free some disk space"};
    case SQLITE_IOERR:
      return {ErrorCode::kUnavailable, file.called + reason + "; check the disk it is on"};
    case SQLITE_CONSTRAINT:
      return {ErrorCode::kConflict, file.called + reason};
    default:
      return {ErrorCode::kInternal, file.called + reason +
                                        "; if another program has changed it, restore it from a "
                                        "copy"};
  }
}

class Row final : public SqlRow {
 public:
  explicit Row(const SQLite::Statement& statement) : statement_(statement) {}
  [[nodiscard]] bool IsNull(int column) const override { return statement_.isColumnNull(column); }
  [[nodiscard]] int64_t Int(int column) const override {
    return statement_.getColumn(column).getInt64();
  }
  [[nodiscard]] std::string_view Bytes(int column) const override {
    const SQLite::Column value = statement_.getColumn(column);
    const void* bytes = value.getBlob();
    if (bytes == nullptr) return {};
    return {static_cast<const char*>(bytes), static_cast<size_t>(value.getBytes())};
  }

 private:
  const SQLite::Statement& statement_;
};

struct Binder {
  SQLite::Statement& statement;
  int index;
  void operator()(std::monostate) const { statement.bind(index); }
  void operator()(int64_t value) const { statement.bind(index, value); }
  void operator()(std::string_view text) const { statement.bind(index, std::string(text)); }
  void operator()(SqlBlob blob) const {
    statement.bindNoCopy(index, blob.bytes.data(), static_cast<int>(blob.bytes.size()));
  }
};

// Runs `body`; what the library throws becomes an Error. The door.
template <class Body>
auto Guarded(const FileWords& file, Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const SQLite::Exception& error) {
    return AsError(ToError(file, error));
  }
}

// A statement is left reset on every way out, or it would keep its lock on the file.
class ResetOnExit {
 public:
  explicit ResetOnExit(SQLite::Statement& statement) : statement_(statement) {}
  ~ResetOnExit() { statement_.tryReset(); }
  ResetOnExit(const ResetOnExit&) = delete;
  ResetOnExit& operator=(const ResetOnExit&) = delete;

 private:
  SQLite::Statement& statement_;
};

}  // namespace

struct SqliteDb::Impl {
  Impl(const std::string& path, int flags, int busy_ms) : db(path, flags, busy_ms) {}

  SQLite::Statement& Prepare(const std::string& sql, const std::vector<SqlValue>& values) {
    std::unique_ptr<SQLite::Statement>& slot = statements[sql];
    if (slot == nullptr) slot = std::make_unique<SQLite::Statement>(db, sql);
    slot->clearBindings();
    int index = 1;
    for (const SqlValue& value : values) std::visit(Binder{*slot, index++}, value);
    return *slot;
  }

  SQLite::Database db;
  std::unordered_map<std::string, std::unique_ptr<SQLite::Statement>> statements;
};

SqliteDb::SqliteDb(std::string path, const SqliteOptions& options, std::unique_ptr<Impl> impl)
    : path_(std::move(path)),
      called_(options.called + " " + path_),
      when_damaged_(options.when_damaged),
      impl_(std::move(impl)) {}

SqliteDb::~SqliteDb() = default;

Result<std::unique_ptr<SqliteDb>> SqliteDb::Open(const std::string& path,
                                                 const SqliteOptions& options) {
  const int flags =
      options.read_only ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  const std::string called = options.called + " " + path;
  return Guarded({called, options.when_damaged}, [&]() -> Result<std::unique_ptr<SqliteDb>> {
    auto impl = std::make_unique<Impl>(path, flags, static_cast<int>(options.busy_timeout.count()));
    // Reading the header is what tells a foreign or damaged file.
    impl->db.exec("PRAGMA schema_version; PRAGMA foreign_keys = ON");
    if (!options.read_only) {
      impl->db.exec("PRAGMA journal_mode = WAL");
      impl->db.exec(options.full_sync ? "PRAGMA synchronous = FULL"
                                      : "PRAGMA synchronous = NORMAL");
    }
    return std::unique_ptr<SqliteDb>(new SqliteDb(path, options, std::move(impl)));
  });
}

Status SqliteDb::Execute(const std::string& script) {
  return Guarded({called_, when_damaged_}, [&]() -> Status {
    impl_->db.exec(script);
    return Ok();
  });
}

Result<int> SqliteDb::Run(const std::string& sql, const std::vector<SqlValue>& values) {
  return Guarded({called_, when_damaged_}, [&]() -> Result<int> {
    SQLite::Statement& statement = impl_->Prepare(sql, values);
    const ResetOnExit reset(statement);
    return statement.exec();
  });
}

Status SqliteDb::Query(const std::string& sql, const std::vector<SqlValue>& values,
                       const RowFunction& row) {
  return Guarded({called_, when_damaged_}, [&]() -> Status {
    SQLite::Statement& statement = impl_->Prepare(sql, values);
    const ResetOnExit reset(statement);
    const Row current(statement);
    while (statement.executeStep()) row(current);
    return Ok();
  });
}

Result<int64_t> SqliteDb::QueryInt(const std::string& sql, const std::vector<SqlValue>& values,
                                   int64_t fallback) {
  int64_t answer = fallback;
  bool first = true;
  RETURN_IF_ERROR(Query(sql, values, [&](const SqlRow& row) {
    if (first && !row.IsNull(0)) answer = row.Int(0);
    first = false;
  }));
  return answer;
}

int64_t SqliteDb::last_insert_id() const { return impl_->db.getLastInsertRowid(); }

}  // namespace catalogd
