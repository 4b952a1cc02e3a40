#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "catalog/base/mutex.h"
#include "catalog/coord/service/table_publisher.h"

namespace catalogd::coord::testing {

// A metastore of tables with parameters that compares and swaps, and the locks of names: who comes
// while a name is locked runs when it is free, on the thread of whoever had it.
// Thread safety: yes.
class FakePublisher final : public TablePublisher {
 public:
  // What happens to one publication.
  enum class Fault {
    kNone,
    kRefused,      // Nothing is done, and that is known.
    kLostRequest,  // Nothing is done, and nobody knows.
    kLostAnswer,   // It is done, and nobody knows.
    kLate,         // Nothing is done yet and nobody knows; Deliver does it.
  };

  void Create(const ObjectName& table, const std::string& incarnation = "1") {
    const MutexLock lock(mutex_);
    tables_[table] = {"file:/warehouse/" + table.table(), {}, incarnation, false};
  }
  void Drop(const ObjectName& table) {
    const MutexLock lock(mutex_);
    tables_.erase(table);
  }
  void SetParameter(const ObjectName& table, const std::string& key, const std::string& value) {
    const MutexLock lock(mutex_);
    tables_[table].parameters[key] = value;
  }
  void RemoveParameter(const ObjectName& table, const std::string& key) {
    const MutexLock lock(mutex_);
    tables_[table].parameters.erase(key);
  }
  std::string State(const ObjectName& table) {
    const MutexLock lock(mutex_);
    return tables_[table].parameters[std::string(kStateParameter)];
  }
  void NextFault(Fault fault) {
    const MutexLock lock(mutex_);
    faults_.push_back(fault);
  }
  void SetCompares(bool compares) {
    const MutexLock lock(mutex_);
    compares_ = compares;
  }
  // Reads and publications fail without effect.
  void SetAway(bool away) {
    const MutexLock lock(mutex_);
    away_ = away;
  }
  // The requests that were late arrive now: whether each still had an effect.
  std::vector<bool> Deliver() {
    const MutexLock lock(mutex_);
    std::vector<bool> done;
    for (const auto& [table, publication] : late_) {
      done.push_back(static_cast<bool>(Change(table, publication)));
    }
    late_.clear();
    return done;
  }
  int published() {
    const MutexLock lock(mutex_);
    return published_;
  }
  // Runs in the middle of each publication, without a mutex.
  void OnPublish(std::function<void()> hook) { hook_ = std::move(hook); }
  // No lock is granted: who asks is told that the time is up.
  void SetLocked(bool locked) {
    const MutexLock lock(mutex_);
    locked_ = locked;
  }

  void UnderWrite(Lock lock, Body body, std::function<void(Result<EventId>)> done) override {
    const std::string owner = lock.owner;
    InTurn(lock.table, [this, body = std::move(body), done = std::move(done), owner] {
      if (IsLocked()) return done(MakeError(ErrorCode::kTimedOut, owner + ": the name is locked"));
      const Status ended = body(TimePoint::max());
      if (!ended) return done(AsError(ended.error()));
      done(EventId(NextEvent()));
    });
  }

  void UnderLock(Lock lock, std::function<void(Status)> body) override {
    InTurn(lock.table, [this, body = std::move(body)] {
      body(IsLocked() ? Status(MakeError(ErrorCode::kTimedOut, "the name is locked")) : Ok());
    });
  }

  Result<PublishedTable> Read(const ObjectName& table, TimePoint) override {
    const MutexLock lock(mutex_);
    if (away_) return MakeError(ErrorCode::kUnavailable, "the metastore is away");
    const auto found = tables_.find(table);
    if (found == tables_.end()) return MakeError(ErrorCode::kNotFound, "no such table");
    return found->second;
  }

  Status Publish(const ObjectName& table, const Publication& publication, TimePoint) override {
    if (hook_) hook_();
    const MutexLock lock(mutex_);
    if (away_) return MakeError(ErrorCode::kUnavailable, "the metastore is away");
    Fault fault = Fault::kNone;
    if (!faults_.empty()) {
      fault = faults_.front();
      faults_.pop_front();
    }
    switch (fault) {
      case Fault::kNone:
        return Change(table, publication);
      case Fault::kRefused:
        return MakeError(ErrorCode::kUnavailable, "nothing was sent");
      case Fault::kLate:
        late_.emplace_back(table, publication);
        break;
      case Fault::kLostAnswer:
        static_cast<void>(Change(table, publication));
        break;
      case Fault::kLostRequest:
        break;
    }
    return MakeError(ErrorCode::kUnknownOutcome, "the answer was lost");
  }

  Result<bool> Compares(const ObjectName&, TimePoint) override {
    const MutexLock lock(mutex_);
    return compares_;
  }

 private:
  bool IsLocked() {
    const MutexLock lock(mutex_);
    return locked_;
  }
  int64_t NextEvent() {
    const MutexLock lock(mutex_);
    return ++event_;
  }

  Status Change(const ObjectName& table, const Publication& publication) REQUIRES(mutex_) {
    const auto found = tables_.find(table);
    if (found == tables_.end()) return MakeError(ErrorCode::kNotFound, "no such table");
    auto& parameters = found->second.parameters;
    const auto now = parameters.find(std::string(kStateParameter));
    if (publication.expected && (now == parameters.end() || now->second != *publication.expected)) {
      return MakeError(ErrorCode::kConflict, "the table has been modified");
    }
    for (const auto& [key, value] : publication.parameters) parameters[key] = value;
    for (const std::string& key : publication.remove) parameters.erase(key);
    ++published_;
    return Ok();
  }

  void InTurn(const ObjectName& name, std::function<void()> run) {
    {
      const MutexLock lock(mutex_);
      auto& queue = queues_[name];
      queue.push_back(std::move(run));
      if (queue.size() > 1) return;
    }
    for (;;) {
      std::function<void()> next;
      {
        const MutexLock lock(mutex_);
        next = queues_[name].front();
      }
      next();
      const MutexLock lock(mutex_);
      auto& queue = queues_[name];
      queue.pop_front();
      if (queue.empty()) return;
    }
  }

  Mutex mutex_{LockRank::kLeaf};
  std::map<ObjectName, PublishedTable> tables_ GUARDED_BY(mutex_);
  std::map<ObjectName, std::deque<std::function<void()>>> queues_ GUARDED_BY(mutex_);
  std::deque<Fault> faults_ GUARDED_BY(mutex_);
  std::vector<std::pair<ObjectName, Publication>> late_ GUARDED_BY(mutex_);
  std::function<void()> hook_;
  bool compares_ GUARDED_BY(mutex_) = true;
  bool away_ GUARDED_BY(mutex_) = false;
  bool locked_ GUARDED_BY(mutex_) = false;
  int64_t event_ GUARDED_BY(mutex_) = 0;
  int published_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::coord::testing
