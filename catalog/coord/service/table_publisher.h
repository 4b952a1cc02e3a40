#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/ids.h"
#include "catalog/base/names.h"
#include "catalog/base/result.h"
#include "catalog/coord/ids.h"

namespace catalogd::coord {

// The value of the table parameter `catalogd.coord.state`: what of the table is published, and by
// whom. Text: "<table id>:<epoch>:<id version>:<nonce>".
struct PublishedState {
  std::string table_id;
  int64_t epoch = 0;
  IdVersion version;
  std::string nonce;

  // None for text of another form: written by hand or by a newer daemon.
  static std::optional<PublishedState> Parse(std::string_view text);
  [[nodiscard]] std::string Text() const;

  friend bool operator==(const PublishedState&, const PublishedState&) = default;
};
inline constexpr std::string_view kStateParameter = "catalogd.coord.state";
inline constexpr std::string_view kTxnParameter = "catalogd.coord.txn";
inline constexpr std::string_view kTimeParameter = "catalogd.coord.time";
inline constexpr std::string_view kDetachParameter = "catalogd.coord.detach";
// What Hudi's own tools look at.
inline constexpr std::string_view kHudiTimeParameter = "last_commit_time_sync";
inline constexpr std::string_view kHudiCompletionParameter = "last_commit_completion_time_sync";

// What coordination needs to know of a table of the metastore.
struct PublishedTable {
  std::string location;
  std::map<std::string, std::string> parameters;
  // Of this object: another one after drop and create. Made of its creation time and, where the
  // metastore gives one, its id.
  std::string incarnation;
  bool partitioned = false;
};

// Parameters to set, if `kStateParameter` is still what it was.
struct Publication {
  std::optional<std::string> expected;  // None: whatever is there.
  std::map<std::string, std::string> parameters;
  std::vector<std::string> remove;  // Parameters to take away.
};

// The metastore as coordination sees it: the locks of names, and parameters of tables.
// Thread safety: yes.
class TablePublisher {
 public:
  virtual ~TablePublisher() = default;

  struct Lock {
    ObjectName table;
    std::string owner;  // For /locks: "commit of transaction 7".
    Duration timeout{};
  };
  using Body = std::function<Status(TimePoint deadline)>;
  // Runs `body`, which may call the metastore, under the table's name lock as one write of the
  // daemon; then the cache is brought up to what it did, and `done` gets the event up to which it
  // was (0: it could not be). `done` runs once. An error of the body is the answer;
  // kUnknownOutcome leaves the name unknown until it is looked at again. kTimedOut: no lock,
  // `body` did not run.
  virtual void UnderWrite(Lock lock, Body body, std::function<void(Result<EventId>)> done) = 0;
  // Runs `body` under the table's name lock; it must not wait. With an error: without the lock.
  virtual void UnderLock(Lock lock, std::function<void(Status)> body) = 0;

  // Those that follow wait for the metastore: not under a mutex.
  // kNotFound: no such table.
  virtual Result<PublishedTable> Read(const ObjectName& table, TimePoint deadline) = 0;
  // kConflict: the state parameter was another one. kUnknownOutcome: it may have been done.
  // kUnsupported: the metastore does not compare, and `expected` was asked for.
  virtual Status Publish(const ObjectName& table, const Publication& publication,
                         TimePoint deadline) = 0;
  // Whether the metastore compares before it alters, found out with an object of the daemon's own
  // in that database.
  virtual Result<bool> Compares(const ObjectName& table, TimePoint deadline) = 0;
};

}  // namespace catalogd::coord
