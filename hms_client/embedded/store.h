#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/mutex.h"
#include "catalog/base/result.h"
#include "hms_client/embedded/attendance.h"
#include "hms_client/embedded/options.h"
#include "hms_client/embedded/rows.h"
#include "hms_client/embedded/warehouse.h"
#include "hms_client/embedded/write_group.h"

namespace catalogd::hms {

// The file and its connections: one that writes, a few that read. Runs transactions; knows nothing
// of what they do.
//
// Thread safety: yes. Readers wait for nobody (write-ahead log); writers queue, and those that have
// queued while one was written to the disk are committed together (WriteGroup).
// Locks: kEmbedded is held during a write transaction, SQLite's file operations and the moves of
// directories included: it is the database's own lock, in this process's clothes.
// Errors: those of SqliteDb and of the transaction's body.
class Store {
 public:
  static Result<std::unique_ptr<Store>> Open(const EmbeddedOptions& options, const Clock& clock);

  // body(Rows&) -> Result<T>, on one unchanging view of the file.
  template <class Body>
  std::invoke_result_t<Body, Rows&> Read(Body&& body) {
    std::optional<std::invoke_result_t<Body, Rows&>> result;
    RETURN_IF_ERROR(ReadTransaction([&](Rows& rows) { result.emplace(body(rows)); }));
    return std::move(*result);
  }

  // body(Writer&) -> Result<T>; committed when it succeeds, undone with all its effects otherwise.
  // Runs on the thread of one of those that are committed together.
  template <class Body>
  std::invoke_result_t<Body, Writer&> Write(Body&& body) {
    std::optional<std::invoke_result_t<Body, Writer&>> result;
    RETURN_IF_ERROR(WriteTransaction([&](Writer& writer) -> Status {
      result.emplace(body(writer));
      if (!*result) return AsError(result->error());
      return Ok();
    }));
    return std::move(*result);
  }

  [[nodiscard]] const Warehouse& warehouse() const { return warehouse_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const std::string& path() const { return options_.path; }
  // After this time without a heartbeat a lock or transaction is over, if somebody was there to
  // hear one.
  [[nodiscard]] std::chrono::milliseconds lock_timeout() const { return options_.lock_timeout; }
  [[nodiscard]] Attendance& attendance() { return attendance_; }
  // Seconds since 1970 when the file was opened.
  [[nodiscard]] int32_t started() const { return started_; }

 private:
  Store(EmbeddedOptions options, const Clock& clock);

  static Status Begin(const EmbeddedOptions& options, const Clock& clock);
  Status Prepare();
  Status CreateFirstObjects();
  Status ReadTransaction(const std::function<void(Rows&)>& body);
  Status WriteTransaction(const std::function<Status(Writer&)>& body);
  void Lead();
  void Leave(size_t ran);
  Result<std::unique_ptr<SqliteDb>> TakeReader();
  void GiveReader(std::unique_ptr<SqliteDb> reader);
  [[nodiscard]] SqliteOptions ConnectionOptions(bool read_only) const;

  const EmbeddedOptions options_;
  const Clock& clock_;
  const Warehouse warehouse_;
  const bool in_memory_;
  const int32_t started_;
  Attendance attendance_;

  // In order of arrival. The front one leads: it runs a group for all of them.
  Mutex queue_mutex_{LockRank::kLeaf};
  std::deque<WaitingWrite*> queue_ GUARDED_BY(queue_mutex_);

  Mutex writer_mutex_{LockRank::kEmbedded};
  std::unique_ptr<SqliteDb> writer_ GUARDED_BY(writer_mutex_);

  Mutex readers_mutex_{LockRank::kLeaf};
  std::vector<std::unique_ptr<SqliteDb>> readers_ GUARDED_BY(readers_mutex_);
};

}  // namespace catalogd::hms
