#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/mutex.h"
#include "catalog/base/result.h"
#include "hms_client/embedded/rows.h"

namespace catalogd::hms {

// A write that waits for its turn, on the stack of its caller.
struct WaitingWrite {
  const std::function<Status(Writer&)>* body = nullptr;
  Status outcome = Ok();
  bool done = false;
  CondVar woken;
};

// Writes that are committed together: each as if it had a transaction of its own (a failed one
// leaves nothing behind), one wait for the disk for all.
//
// Not the queue: Store decides who is in a group. Used once.
// Thread safety: none; whoever runs it holds the connection.
// Invariants: no member has succeeded before all are on the disk. A member whose directories go
// after the commit is the last one, because the next may want the same directories.
// Errors: a failed commit, or a failure that made SQLite give up the whole transaction (disk full,
// disk error), is the outcome of every member that had succeeded.
class WriteGroup {
 public:
  WriteGroup(SqliteDb& db, const Warehouse& warehouse, const Clock& clock)
      : db_(db), warehouse_(warehouse), clock_(clock) {}

  // Runs some of `waiting` from the front, at least one, and says how many: these have their
  // outcome.
  size_t Run(const std::vector<WaitingWrite*>& waiting);
  // Directories that were set aside and can be erased at leisure.
  [[nodiscard]] std::vector<std::string> TakeAside() { return std::move(aside_); }

 private:
  struct Member {
    Member(WaitingWrite* its_write, SqliteDb& db, const Warehouse& warehouse, int64_t now)
        : write(its_write), writer(db, warehouse, now) {}
    WaitingWrite* const write;
    Writer writer;
  };
  void RunMember(WaitingWrite* write);
  Status RunBetweenSavepoints(Member& member);
  Status Run(const char* statement);
  void Commit();
  void FailAll(const Error& error);

  SqliteDb& db_;
  const Warehouse& warehouse_;
  const Clock& clock_;
  std::deque<Member> succeeded_;  // And who runs; nothing is on the disk.
  bool open_ = false;             // The transaction.
  std::vector<std::string> aside_;
};

}  // namespace catalogd::hms
