#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd {

// Bytes that are stored as a blob, not as text.
struct SqlBlob {
  std::string_view bytes;
};

// What a statement is bound to; std::monostate is NULL. Text and blobs must outlive the call.
using SqlValue = std::variant<std::monostate, int64_t, std::string_view, SqlBlob>;

// One row of an answer; valid during the callback only.
class SqlRow {
 public:
  virtual ~SqlRow() = default;
  [[nodiscard]] virtual bool IsNull(int column) const = 0;
  [[nodiscard]] virtual int64_t Int(int column) const = 0;
  [[nodiscard]] virtual std::string_view Bytes(int column) const = 0;  // Text or blob.
};

struct SqliteOptions {
  bool read_only = false;
  // False: a power cut may lose the last commits (never tear them); for tests and benchmarks.
  bool full_sync = true;
  // How long a statement waits for another process that is writing.
  std::chrono::milliseconds busy_timeout{2000};
  // How errors call the file, and what they advise when it is damaged.
  std::string called = "metastore file";
  std::string when_damaged =
      "restore it from a copy, or move it away to start with an empty metastore";
};

// One connection to one SQLite file, the only place that sees the wrapper library and its
// exceptions. Not a pool and not a transaction manager.
//
// Thread safety: none; whoever holds the connection uses it.
// Errors: each names the file and the next step.
//   kUnavailable        in use by another process, cannot be opened, or a disk error;
//   kCorrupt            not a database, or damaged;
//   kConflict           a constraint of the schema;
//   kPermission         read-only file or folder;
//   kResourceExhausted  disk full;
//   kInternal           anything else SQLite says.
class SqliteDb {
 public:
  // Creates the file unless read_only. ":memory:" is a database of this connection alone.
  static Result<std::unique_ptr<SqliteDb>> Open(const std::string& path,
                                                const SqliteOptions& options);
  ~SqliteDb();
  SqliteDb(const SqliteDb&) = delete;
  SqliteDb& operator=(const SqliteDb&) = delete;

  // Statements without parameters and answers, separated by semicolons.
  Status Execute(const std::string& script);
  // One statement; its compiled form is kept. Returns the number of rows changed.
  Result<int> Run(const std::string& sql, const std::vector<SqlValue>& values = {});
  using RowFunction = std::function<void(const SqlRow& row)>;
  // REQUIRES: `row` does not use the same statement.
  Status Query(const std::string& sql, const std::vector<SqlValue>& values, const RowFunction& row);
  // First column of the first row; `fallback` when there is no row or it is NULL.
  Result<int64_t> QueryInt(const std::string& sql, const std::vector<SqlValue>& values = {},
                           int64_t fallback = 0);
  [[nodiscard]] int64_t last_insert_id() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Impl;
  SqliteDb(std::string path, const SqliteOptions& options, std::unique_ptr<Impl> impl);
  const std::string path_;
  const std::string called_;  // With the path.
  const std::string when_damaged_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catalogd
