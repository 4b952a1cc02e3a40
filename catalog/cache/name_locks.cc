#include "catalog/cache/name_locks.h"

#include <fmt/format.h>
#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "catalog/cache/name_lock_table.h"

namespace catalogd::cache {
namespace {

constexpr size_t kMaxBlockersInText = 3;
constexpr size_t kMaxBlockers = 16;  // Per name; a queue of thousands is not listed in full.

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string NamesOf(const NameLockEntry& entry) {
  std::string text;
  const auto add = [&text](const std::vector<ObjectName>& names) {
    for (const ObjectName& name : names) text += (text.empty() ? "" : ", ") + name.ToString();
  };
  add(entry.request.exclusive);
  add(entry.request.shared);
  return text;
}

// Those that the entry waits for, in ticket order; per name the first few.
std::vector<const NameHold*> Blockers(const NameLockEntry& entry) {
  std::vector<const NameHold*> blockers;
  for (const NameHold& hold : entry.holds) {
    if (hold.clear) continue;
    for (const NameHold* other : NameLockTable::Before(hold, kMaxBlockers)) {
      blockers.push_back(other);
    }
  }
  std::sort(blockers.begin(), blockers.end(), [](const NameHold* a, const NameHold* b) {
    return a->entry->ticket < b->entry->ticket;
  });
  blockers.erase(
      std::unique(blockers.begin(), blockers.end(),
                  [](const NameHold* a, const NameHold* b) { return a->entry == b->entry; }),
      blockers.end());
  return blockers;
}

}  // namespace

// An answer on its way: made under the mutex, delivered after it.
struct NameLocks::Grant {
  Granted granted;
  std::shared_ptr<Result<NameGuard>> result;
  Timer::Handle timer = 0;
  bool has_timer = false;
};

NameGuard::~NameGuard() { Release(); }

NameGuard::NameGuard(NameGuard&& other) noexcept
    : locks_(std::exchange(other.locks_, nullptr)),
      entry_(std::exchange(other.entry_, nullptr)),
      exclusive_(std::move(other.exclusive_)) {}

NameGuard& NameGuard::operator=(NameGuard&& other) noexcept {
  if (this == &other) return *this;
  Release();
  locks_ = std::exchange(other.locks_, nullptr);
  entry_ = std::exchange(other.entry_, nullptr);
  exclusive_ = std::move(other.exclusive_);
  return *this;
}

bool NameGuard::Covers(const ObjectName& name) const {
  if (!held()) return false;
  return std::any_of(exclusive_.begin(), exclusive_.end(), [&name](const ObjectName& mine) {
    return mine.db() == name.db() && mine.catalog() == name.catalog() &&
           (mine.is_database() || mine.table() == name.table());
  });
}

void NameGuard::Release() {
  if (locks_ == nullptr) return;
  NameLocks* locks = std::exchange(locks_, nullptr);
  exclusive_.clear();
  locks->Release(std::exchange(entry_, nullptr));
}

NameLocks::NameLocks(Executor* executor, Timer* timer, const Clock* clock)
    : executor_(executor),
      timer_(timer),
      clock_(clock),
      table_(std::make_unique<NameLockTable>()) {}

NameLocks::~NameLocks() {
  std::vector<Timer::Handle> timers;
  {
    const MutexLock lock(mutex_);
    for (const Entry* entry = table_->first(); entry != nullptr; entry = entry->next) {
      CHECK(!entry->is_granted) << "name locks destroyed while '" << entry->request.owner
                                << "' holds " << NamesOf(*entry);
      if (entry->has_timer) timers.push_back(entry->timer);
    }
  }
  for (const Timer::Handle timer : timers) timer_->Cancel(timer);
}

std::optional<NameGuard> NameLocks::Acquire(Request request, Granted granted) {
  const TimePoint now = clock_->Now();
  const TimePoint deadline = request.deadline;
  uint64_t ticket = 0;
  {
    const MutexLock lock(mutex_);
    Entry* entry = table_->Enter(std::move(request));
    entry->since = now;
    if (entry->blocked == 0) return MakeGuard(entry);
    entry->granted = std::move(granted);
    table_->AddWaiting(entry);
    ticket = entry->ticket;
  }
  if (deadline != TimePoint::max()) ArmTimer(ticket, deadline);
  return std::nullopt;
}

// The timer is set outside the mutex; a request that was answered meanwhile needs none.
void NameLocks::ArmTimer(uint64_t ticket, TimePoint deadline) {
  const Timer::Handle timer = timer_->At(deadline, [this, ticket] { OnDeadline(ticket); });
  {
    const MutexLock lock(mutex_);
    if (Entry* entry = table_->FindWaiting(ticket)) {
      entry->timer = timer;
      entry->has_timer = true;
      return;
    }
  }
  timer_->Cancel(timer);
}

void NameLocks::OnDeadline(uint64_t ticket) {
  std::vector<Grant> grants;
  {
    const MutexLock lock(mutex_);
    Entry* entry = table_->FindWaiting(ticket);
    if (entry == nullptr) return;
    Result<NameGuard> error = MakeError(ErrorCode::kTimedOut, TimeoutText(*entry));
    Grant grant;
    grant.granted = std::move(entry->granted);
    grant.result = std::make_shared<Result<NameGuard>>(std::move(error));
    grants.push_back(std::move(grant));
    table_->RemoveWaiting(ticket);
    Leave(entry, &grants);
  }
  Deliver(std::move(grants));
}

void NameLocks::Release(Entry* entry) {
  std::vector<Grant> grants;
  {
    const MutexLock lock(mutex_);
    Leave(entry, &grants);
  }
  if (!grants.empty()) Deliver(std::move(grants));
}

void NameLocks::Leave(Entry* entry, std::vector<Grant>* grants) {
  std::vector<Entry*> freed;
  table_->Leave(entry, &freed);
  for (Entry* next : freed) GrantNow(next, grants);
}

void NameLocks::GrantNow(Entry* entry, std::vector<Grant>* grants) {
  table_->RemoveWaiting(entry->ticket);
  entry->since = clock_->Now();
  Grant grant;
  grant.granted = std::move(entry->granted);
  entry->granted = nullptr;
  grant.timer = entry->timer;
  grant.has_timer = entry->has_timer;
  grant.result = std::make_shared<Result<NameGuard>>(MakeGuard(entry));
  grants->push_back(std::move(grant));
}

NameGuard NameLocks::MakeGuard(Entry* entry) {
  entry->is_granted = true;
  NameGuard guard;
  guard.locks_ = this;
  guard.entry_ = entry;
  guard.exclusive_ = entry->request.exclusive;
  return guard;
}

void NameLocks::Deliver(std::vector<Grant> grants) {
  for (Grant& grant : grants) {
    if (grant.has_timer) timer_->Cancel(grant.timer);
    executor_->SubmitAlways([granted = std::move(grant.granted), result = std::move(grant.result)] {
      granted(std::move(*result));
    });
  }
}

std::string NameLocks::TimeoutText(const Entry& entry) const {
  const TimePoint now = clock_->Now();
  std::string text = fmt::format("'{}' waited {:.1f} s for the lock of {}", entry.request.owner,
                                 Seconds(now - entry.since), NamesOf(entry));
  const std::vector<const NameHold*> blockers = Blockers(entry);
  for (size_t i = 0; i < std::min(blockers.size(), kMaxBlockersInText); ++i) {
    const Entry& other = *blockers[i]->entry;
    text += fmt::format("; {} is {} by '{}' for {:.1f} s", blockers[i]->queue->name->ToString(),
                        other.is_granted ? "held" : "wanted earlier", other.request.owner,
                        Seconds(now - other.since));
  }
  if (blockers.size() > kMaxBlockersInText) {
    text += "; others are before it";
  }
  return text + "; try again, or look at /locks for what holds it";
}

std::vector<NameLocks::Info> NameLocks::Snapshot() const {
  std::vector<Info> infos;
  const MutexLock lock(mutex_);
  for (const Entry* entry = table_->first(); entry != nullptr; entry = entry->next) {
    Info info;
    info.ticket = entry->ticket;
    info.owner = entry->request.owner;
    info.granted = entry->is_granted;
    info.since = entry->since;
    for (const NameHold& hold : entry->holds) info.names.emplace_back(*hold.queue->name, hold.mode);
    for (const NameHold* blocker : Blockers(*entry)) info.behind.push_back(blocker->entry->ticket);
    infos.push_back(std::move(info));
  }
  return infos;
}

size_t NameLocks::waiting() const {
  const MutexLock lock(mutex_);
  return table_->waiting();
}

}  // namespace catalogd::cache
