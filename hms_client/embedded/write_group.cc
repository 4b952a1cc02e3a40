#include "hms_client/embedded/write_group.h"

#include <utility>

namespace catalogd::hms {

namespace {

// So many writes share a commit at the most: the first waits for the last.
constexpr size_t kMostMembers = 64;

}  // namespace

Status WriteGroup::Run(const char* statement) {
  auto ran = db_.Run(statement);
  if (!ran) return AsError(std::move(ran).error());
  return Ok();
}

size_t WriteGroup::Run(const std::vector<WaitingWrite*>& waiting) {
  if (Status begun = Run("BEGIN IMMEDIATE"); !begun) {
    waiting.front()->outcome = std::move(begun);
    return 1;
  }
  open_ = true;
  size_t ran = 0;
  bool last = false;
  while (open_ && !last && ran < waiting.size() && ran < kMostMembers) {
    RunMember(waiting[ran++]);
    last = !succeeded_.empty() && succeeded_.back().writer.HasMoreToDo();
  }
  if (open_) Commit();
  return ran;
}

void WriteGroup::RunMember(WaitingWrite* write) {
  Member& member = succeeded_.emplace_back(write, db_, warehouse_, WallMillis(clock_));
  write->outcome = RunBetweenSavepoints(member);
  if (write->outcome) return;
  member.writer.Finish(false);
  succeeded_.pop_back();
  if (!open_) FailAll(write->outcome.error());
}

Status WriteGroup::RunBetweenSavepoints(Member& member) {
  RETURN_IF_ERROR(Run("SAVEPOINT member"));
  Status done = (*member.write->body)(member.writer);
  if (done) done = Run("RELEASE member");
  if (done) return Ok();
  // After some failures SQLite has rolled back by itself, and there is no savepoint to go back to.
  open_ = Run("ROLLBACK TO member").has_value() && Run("RELEASE member").has_value();
  if (!open_) static_cast<void>(Run("ROLLBACK").has_value());
  return done;
}

void WriteGroup::Commit() {
  if (Status committed = Run("COMMIT"); !committed) {
    static_cast<void>(Run("ROLLBACK").has_value());
    FailAll(committed.error());
    return;
  }
  for (Member& member : succeeded_) {
    for (std::string& path : member.writer.Finish(true)) aside_.push_back(std::move(path));
  }
}

void WriteGroup::FailAll(const Error& error) {
  for (auto member = succeeded_.rbegin(); member != succeeded_.rend(); ++member) {
    member->write->outcome = AsError(error);
    member->writer.Finish(false);
  }
  succeeded_.clear();
}

}  // namespace catalogd::hms
