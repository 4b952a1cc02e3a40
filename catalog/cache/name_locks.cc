#include "catalog/cache/name_locks.h"

#include <fmt/format.h>
#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "catalog/base/mutant.h"
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
  add(entry.request.alone);
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

std::string_view LockModeName(LockMode mode) {
  switch (mode) {
    case LockMode::kShared:
      return "shared";
    case LockMode::kAlone:
      return "alone";
    case LockMode::kExclusive:
      return "exclusive";
  }
  return "?";
}

// What NameLocks and its guards share, so that a guard may outlive the NameLocks.
class NameLockCore : public std::enable_shared_from_this<NameLockCore> {
 public:
  NameLockCore(Executor* executor, Timer* timer, const Clock* clock)
      : executor_(executor), timer_(timer), clock_(clock) {}

  std::optional<NameGuard> Acquire(NameLocks::Request request, NameLocks::Granted granted);
  void Release(NameLockEntry* entry);
  // Nobody waits any more.
  void Close();
  std::vector<NameLocks::Info> Snapshot() const;
  size_t waiting() const;

 private:
  // An answer on its way: made under the mutex, delivered after it.
  struct Grant {
    NameLocks::Granted granted;
    std::shared_ptr<Result<NameGuard>> result;
    Timer::Handle timer = 0;
    bool has_timer = false;
  };

  void ArmTimer(uint64_t ticket, TimePoint deadline);
  void OnDeadline(uint64_t ticket);
  // Takes the entry out of everything and adds the entries that can go now, in ticket order.
  void Leave(NameLockEntry* entry, std::vector<Grant>* grants) REQUIRES(mutex_);
  void GrantNow(NameLockEntry* entry, std::vector<Grant>* grants) REQUIRES(mutex_);
  NameGuard MakeGuard(NameLockEntry* entry) REQUIRES(mutex_);
  std::string TimeoutText(const NameLockEntry& entry) const REQUIRES(mutex_);
  void Deliver(std::vector<Grant> grants);

  Executor* const executor_;
  Timer* const timer_;
  const Clock* const clock_;
  mutable Mutex mutex_{LockRank::kNameLockTable};
  NameLockTable table_ GUARDED_BY(mutex_);
};

NameGuard::~NameGuard() { Release(); }

NameGuard::NameGuard(NameGuard&& other) noexcept
    : core_(std::move(other.core_)),
      entry_(std::exchange(other.entry_, nullptr)),
      exclusive_(std::move(other.exclusive_)),
      alone_(std::move(other.alone_)) {}

NameGuard& NameGuard::operator=(NameGuard&& other) noexcept {
  if (this == &other) return *this;
  Release();
  core_ = std::move(other.core_);
  entry_ = std::exchange(other.entry_, nullptr);
  exclusive_ = std::move(other.exclusive_);
  alone_ = std::move(other.alone_);
  return *this;
}

// Only in the simulator a released guard goes on believing that it holds its names.
bool NameGuard::believes() const { return held() || MutantOn(Mutant::kUnlockBeforePublish); }

bool NameGuard::Covers(const ObjectName& name) const {
  if (!believes()) return false;
  if (std::find(alone_.begin(), alone_.end(), name) != alone_.end()) return true;
  return std::any_of(exclusive_.begin(), exclusive_.end(), [&name](const ObjectName& mine) {
    return mine.db() == name.db() && mine.catalog() == name.catalog() &&
           (mine.is_database() || mine.table() == name.table());
  });
}

bool NameGuard::CoversTablesOf(const ObjectName& database) const {
  return believes() &&
         std::find(exclusive_.begin(), exclusive_.end(), database) != exclusive_.end();
}

void NameGuard::Release() {
  if (core_ == nullptr) return;
  const std::shared_ptr<NameLockCore> core = std::move(core_);
  if (!MutantOn(Mutant::kUnlockBeforePublish)) {
    exclusive_.clear();
    alone_.clear();
  }
  core->Release(std::exchange(entry_, nullptr));
}

std::optional<NameGuard> NameLockCore::Acquire(NameLocks::Request request,
                                               NameLocks::Granted granted) {
  const TimePoint now = clock_->Now();
  const TimePoint deadline = request.deadline;
  uint64_t ticket = 0;
  {
    const MutexLock lock(mutex_);
    NameLockEntry* entry = table_.Enter(std::move(request));
    entry->since = now;
    if (entry->blocked == 0) return MakeGuard(entry);
    entry->granted = std::move(granted);
    table_.AddWaiting(entry);
    ticket = entry->ticket;
  }
  if (deadline != TimePoint::max()) ArmTimer(ticket, deadline);
  return std::nullopt;
}

// The timer is set outside the mutex; a request that was answered meanwhile needs none.
void NameLockCore::ArmTimer(uint64_t ticket, TimePoint deadline) {
  const Timer::Handle timer =
      timer_->At(deadline, [core = shared_from_this(), ticket] { core->OnDeadline(ticket); });
  {
    const MutexLock lock(mutex_);
    if (NameLockEntry* entry = table_.FindWaiting(ticket)) {
      entry->timer = timer;
      entry->has_timer = true;
      return;
    }
  }
  timer_->Cancel(timer);
}

void NameLockCore::OnDeadline(uint64_t ticket) {
  std::vector<Grant> grants;
  {
    const MutexLock lock(mutex_);
    NameLockEntry* entry = table_.FindWaiting(ticket);
    if (entry == nullptr) return;
    Result<NameGuard> error = MakeError(ErrorCode::kTimedOut, TimeoutText(*entry));
    Grant grant;
    grant.granted = std::move(entry->granted);
    grant.result = std::make_shared<Result<NameGuard>>(std::move(error));
    grants.push_back(std::move(grant));
    table_.RemoveWaiting(ticket);
    Leave(entry, &grants);
  }
  Deliver(std::move(grants));
}

void NameLockCore::Release(NameLockEntry* entry) {
  std::vector<Grant> grants;
  {
    const MutexLock lock(mutex_);
    Leave(entry, &grants);
  }
  if (!grants.empty()) Deliver(std::move(grants));
}

void NameLockCore::Leave(NameLockEntry* entry, std::vector<Grant>* grants) {
  std::vector<NameLockEntry*> freed;
  table_.Leave(entry, &freed);
  for (NameLockEntry* next : freed) GrantNow(next, grants);
}

void NameLockCore::GrantNow(NameLockEntry* entry, std::vector<Grant>* grants) {
  table_.RemoveWaiting(entry->ticket);
  entry->since = clock_->Now();
  Grant grant;
  grant.granted = std::move(entry->granted);
  entry->granted = nullptr;
  grant.timer = entry->timer;
  grant.has_timer = entry->has_timer;
  grant.result = std::make_shared<Result<NameGuard>>(MakeGuard(entry));
  grants->push_back(std::move(grant));
}

NameGuard NameLockCore::MakeGuard(NameLockEntry* entry) {
  entry->is_granted = true;
  NameGuard guard;
  guard.core_ = shared_from_this();
  guard.entry_ = entry;
  guard.exclusive_ = entry->request.exclusive;
  guard.alone_ = entry->request.alone;
  return guard;
}

void NameLockCore::Deliver(std::vector<Grant> grants) {
  for (Grant& grant : grants) {
    if (grant.has_timer) timer_->Cancel(grant.timer);
    executor_->SubmitAlways([granted = std::move(grant.granted), result = std::move(grant.result)] {
      granted(std::move(*result));
    });
  }
}

std::string NameLockCore::TimeoutText(const NameLockEntry& entry) const {
  const TimePoint now = clock_->Now();
  std::string text = fmt::format("'{}' waited {:.1f} s for the lock of {}", entry.request.owner,
                                 Seconds(now - entry.since), NamesOf(entry));
  const std::vector<const NameHold*> blockers = Blockers(entry);
  for (size_t i = 0; i < std::min(blockers.size(), kMaxBlockersInText); ++i) {
    const NameLockEntry& other = *blockers[i]->entry;
    text += fmt::format("; {} is {} by '{}' for {:.1f} s", blockers[i]->queue->name->ToString(),
                        other.is_granted ? "held" : "wanted earlier", other.request.owner,
                        Seconds(now - other.since));
  }
  if (blockers.size() > kMaxBlockersInText) {
    text += "; others are before it";
  }
  return text + "; try again, or look at /locks for what holds it";
}

std::vector<NameLocks::Info> NameLockCore::Snapshot() const {
  std::vector<NameLocks::Info> infos;
  const MutexLock lock(mutex_);
  for (const NameLockEntry* entry = table_.first(); entry != nullptr; entry = entry->next) {
    NameLocks::Info info;
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

size_t NameLockCore::waiting() const {
  const MutexLock lock(mutex_);
  return table_.waiting();
}

void NameLockCore::Close() {
  std::vector<Timer::Handle> timers;
  std::vector<NameLocks::Granted> dropped;  // They may own anything: destroyed outside the mutex.
  {
    const MutexLock lock(mutex_);
    for (NameLockEntry* entry : table_.Waiting()) {
      if (entry->has_timer) timers.push_back(entry->timer);
      dropped.push_back(std::move(entry->granted));
      table_.RemoveWaiting(entry->ticket);
      std::vector<NameLockEntry*> freed;
      table_.Leave(entry, &freed);
      CHECK(freed.empty()) << "a waiting request was granted while all are being dropped";
    }
  }
  for (const Timer::Handle timer : timers) timer_->Cancel(timer);
}

NameLocks::NameLocks(Executor* executor, Timer* timer, const Clock* clock)
    : core_(std::make_shared<NameLockCore>(executor, timer, clock)) {}

NameLocks::~NameLocks() { core_->Close(); }

std::optional<NameGuard> NameLocks::Acquire(Request request, Granted granted) {
  return core_->Acquire(std::move(request), std::move(granted));
}

std::vector<NameLocks::Info> NameLocks::Snapshot() const { return core_->Snapshot(); }

size_t NameLocks::waiting() const { return core_->waiting(); }

}  // namespace catalogd::cache
