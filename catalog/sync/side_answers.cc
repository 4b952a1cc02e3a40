#include "catalog/sync/side_answers.h"

#include <algorithm>
#include <utility>

#include "catalog/base/probes.h"

namespace catalogd::sync {
namespace {

using events::Event;
using events::EventKind;

// What an entry costs besides its texts.
constexpr size_t kOverhead = 400;

const ObjectName& AllDatabases() {
  static const ObjectName name;
  return name;
}

bool IsOfConstraints(SideKind kind) {
  return kind == SideKind::kConstraints || kind == SideKind::kForeignKeys;
}

// Of an event that names a table.
bool Affects(EventKind event, SideKind kind) {
  switch (event) {
    case EventKind::kConstraint:
      return IsOfConstraints(kind);
    case EventKind::kAddPartition:
    case EventKind::kAlterPartition:
    case EventKind::kDropPartition:
    case EventKind::kInsert:
    case EventKind::kTransaction:
    case EventKind::kUpdatePartitionStats:
    case EventKind::kCommitCompaction:
      return kind == SideKind::kStatistics || kind == SideKind::kContent;
    // Of tables, these also change the parameters, which filters over tables see.
    case EventKind::kUpdateTableStats:
    case EventKind::kDeleteStats:
      return kind == SideKind::kStatistics || kind == SideKind::kContent ||
             kind == SideKind::kTableList;
    default:
      return true;
  }
}

bool IsOfFunctions(EventKind kind) {
  return kind == EventKind::kCreateFunction || kind == EventKind::kDropFunction;
}

// Nobody can say which names it touches.
bool MayTouchAnything(const Event& event) {
  if (event.kind == EventKind::kTransaction || event.kind == EventKind::kUnknown) return false;
  // Of a broken ALTER_TABLE nobody knows what the table was called before.
  const bool broken = !event.problem.empty() && event.kind == EventKind::kAlterTable;
  return broken || event.name.db().empty();
}

}  // namespace

std::string_view StaleReasonName(StaleReason reason) {
  switch (reason) {
    case StaleReason::kEvent:
      return "event";
    case StaleReason::kOwnWrite:
      return "own-write";
    case StaleReason::kLog:
      return "log";
    case StaleReason::kExpired:
      return "expired";
    case StaleReason::kDifference:
      return "difference";
    case StaleReason::kRoom:
      return "room";
  }
  return "unknown";
}

SideAnswers::SideAnswers(const Options& options, const Clock* clock, NewestLook newest_look)
    : options_(options), clock_(clock), newest_look_(std::move(newest_look)) {}

SideAnswers::Reading::~Reading() {
  if (home_ != nullptr) home_->Abandon(call_, id_);
}

std::optional<SideAnswers::Reading> SideAnswers::Begin(const Question& question) {
  if (question.silent && options_.silent_life <= Duration{}) {
    return std::nullopt;
  }
  const TimePoint now = clock_->Now();
  const TimePoint look = newest_look_();
  Dropped dropped;
  const MutexLock lock(mutex_);
  if (const auto at = answers_.find(question.call); at != answers_.end()) {
    // Whoever asks the metastore although there is an answer to give wants what no event tells.
    const bool gives_way =
        IsExpired(at->second, now) ||
        (at->second.silent && at->second.reply != nullptr && look > at->second.answered);
    if (!gives_way) return std::nullopt;
    Erase(at, StaleReason::kExpired, &dropped);
  }
  const auto at = answers_.try_emplace(question.call).first;
  Answer& answer = at->second;
  answer.id = ++last_id_;
  answer.kind = question.kind;
  answer.silent = question.silent;
  answer.began = now;
  answer.used = used_.insert(used_.end(), &at->first);
  answer.bytes = 2 * question.call.size() + kOverhead;
  bytes_ += answer.bytes;
  for (const ObjectName& owner : question.owners) Own(at, owner);
  if (question.owners.empty()) Own(at, AllDatabases());
  if (IsOfConstraints(question.kind)) of_constraints_.insert(&at->first);
  count_.store(answers_.size());
  const uint64_t id = answer.id;
  MakeRoom(&dropped);
  return Reading(this, question.call, id);
}

void SideAnswers::Keep(Reading reading, std::string reply, const std::vector<ObjectName>& also) {
  if (reply.size() > options_.max_bytes / 2) return;  // It would push out everything else.
  const TimePoint now = clock_->Now();
  auto kept = std::make_shared<const std::string>(std::move(reply));
  Dropped dropped;
  const MutexLock lock(mutex_);
  reading.home_ = nullptr;
  const auto at = answers_.find(reading.call_);
  if (at == answers_.end() || at->second.id != reading.id_) {
    MARK("side_answers.changed_while_read");
    return;
  }
  at->second.answered = now;
  at->second.bytes += kept->size();
  bytes_ += kept->size();
  at->second.reply = std::move(kept);
  for (const ObjectName& owner : also) Own(at, owner);
  MakeRoom(&dropped);
}

std::shared_ptr<const std::string> SideAnswers::Find(const std::string& call) {
  const TimePoint now = clock_->Now();
  uint64_t id = 0;
  TimePoint answered;
  Dropped dropped;
  {
    const MutexLock lock(mutex_);
    const auto at = answers_.find(call);
    if (at == answers_.end() || at->second.reply == nullptr) return nullptr;
    if (IsExpired(at->second, now)) {
      Erase(at, StaleReason::kExpired, &dropped);
      return nullptr;
    }
    if (at->second.proven) {
      used_.splice(used_.end(), used_, at->second.used);
      return at->second.reply;
    }
    id = at->second.id;
    answered = at->second.answered;
  }
  // Whatever had happened by the time of the answer is known by now, or will never be.
  if (newest_look_() <= answered) return nullptr;
  const MutexLock lock(mutex_);
  const auto at = answers_.find(call);
  if (at == answers_.end() || at->second.id != id) return nullptr;
  at->second.proven = true;
  used_.splice(used_.end(), used_, at->second.used);
  return at->second.reply;
}

void SideAnswers::OnEvents(const std::vector<events::LaneTask>& tasks) {
  if (count_.load() == 0) return;
  Dropped dropped;
  const MutexLock lock(mutex_);
  for (const events::LaneTask& task : tasks) {
    for (const events::EventPtr& event : task.events) OnEvent(*event, &dropped);
  }
}

void SideAnswers::OnEvent(const Event& event, Dropped* dropped) {
  constexpr StaleReason kReason = StaleReason::kEvent;
  if (MayTouchAnything(event)) {
    MARK("side_answers.event_without_names");
    DropAll(StaleReason::kLog, dropped);
    return;
  }
  if (event.name.db().empty()) return;
  if (event.kind == EventKind::kIndex) {  // It has a table of its own.
    DropLists(event.name, kReason, dropped);
    return;
  }
  if (IsOfFunctions(event.kind)) {
    const auto functions = [](SideKind kind) { return kind == SideKind::kFunctions; };
    DropOwned(event.name.DatabaseName(), kReason, dropped, functions);
    DropOwned(AllDatabases(), kReason, dropped, functions);
    return;
  }
  if (event.name.is_database()) {
    DropDatabase(event.name, kReason, dropped);
    if (event.kind == EventKind::kDropDatabase) DropConstraints(event, dropped);
    return;
  }
  const auto affected = [&event](SideKind kind) { return Affects(event.kind, kind); };
  DropOwned(event.name, kReason, dropped, affected);
  if (event.old_name) DropOwned(*event.old_name, kReason, dropped, affected);
  if (Affects(event.kind, SideKind::kTableList)) {
    DropLists(event.name, kReason, dropped);
    if (event.old_name) DropLists(*event.old_name, kReason, dropped);
  }
  DropConstraints(event, dropped);
}

// Foreign keys come and go under the name of either table; and as long as the answer has not come,
// any table may be one it depends on. What goes takes constraints of the same name of other tables
// along (Hive 4.2 drops them by name).
void SideAnswers::DropConstraints(const Event& event, Dropped* dropped) {
  const bool any = event.kind == EventKind::kConstraint || event.kind == EventKind::kDropTable ||
                   event.kind == EventKind::kDropDatabase;
  if (!any && !Affects(event.kind, SideKind::kForeignKeys)) return;
  std::vector<const std::string*> calls;
  for (const std::string* call : of_constraints_) {
    const Answer& answer = answers_.at(*call);
    const bool is_read = answer.kind == SideKind::kForeignKeys && answer.reply == nullptr;
    if (any || is_read) calls.push_back(call);
  }
  for (const std::string* call : calls) {
    Erase(answers_.find(*call), StaleReason::kEvent, dropped);
  }
}

void SideAnswers::Drop(const std::vector<ObjectName>& names, StaleReason reason) {
  if (count_.load() == 0) return;
  Dropped dropped;
  const MutexLock lock(mutex_);
  for (const ObjectName& name : names) {
    if (name.is_database()) {
      DropDatabase(name, reason, &dropped);
    } else {
      DropOwned(name, reason, &dropped, [](SideKind) { return true; });
      DropLists(name, reason, &dropped);
    }
  }
}

void SideAnswers::Clear(StaleReason reason) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  DropAll(reason, &dropped);
}

void SideAnswers::DropOwned(const ObjectName& name, StaleReason reason, Dropped* dropped,
                            const std::function<bool(SideKind)>& which) {
  const auto owned = owned_.find(name);
  if (owned == owned_.end()) return;
  std::vector<Answers::iterator> going;
  for (const std::string* call : owned->second) {
    const auto at = answers_.find(*call);
    if (which(at->second.kind)) going.push_back(at);
  }
  for (const Answers::iterator at : going) Erase(at, reason, dropped);
}

void SideAnswers::DropLists(const ObjectName& table, StaleReason reason, Dropped* dropped) {
  const auto lists = [](SideKind kind) { return kind == SideKind::kTableList; };
  DropOwned(table.DatabaseName(), reason, dropped, lists);
  DropOwned(AllDatabases(), reason, dropped, lists);
}

void SideAnswers::DropDatabase(const ObjectName& db, StaleReason reason, Dropped* dropped) {
  std::vector<ObjectName> names{AllDatabases()};
  for (const auto& [name, calls] : owned_) {
    if (!name.db().empty() && name.DatabaseName() == db) names.push_back(name);
  }
  for (const ObjectName& name : names) {
    DropOwned(name, reason, dropped, [](SideKind) { return true; });
  }
}

void SideAnswers::DropAll(StaleReason reason, Dropped* dropped) {
  while (!answers_.empty()) Erase(answers_.begin(), reason, dropped);
}

void SideAnswers::Erase(Answers::iterator at, StaleReason reason, Dropped* dropped) {
  Answer& answer = at->second;
  for (const ObjectName& owner : answer.owners) {
    const auto owned = owned_.find(owner);
    owned->second.erase(&at->first);
    if (owned->second.empty()) owned_.erase(owned);
  }
  of_constraints_.erase(&at->first);
  used_.erase(answer.used);
  bytes_ -= answer.bytes;
  if (answer.reply != nullptr) ++stale_.at(static_cast<size_t>(reason));
  dropped->push_back(answers_.extract(at));
  count_.store(answers_.size());
}

void SideAnswers::Own(Answers::iterator at, const ObjectName& name) {
  if (owned_[name].insert(&at->first).second) at->second.owners.push_back(name);
}

void SideAnswers::MakeRoom(Dropped* dropped) {
  while (bytes_ > options_.max_bytes || answers_.size() > options_.max_answers) {
    Erase(answers_.find(*used_.front()), StaleReason::kRoom, dropped);
  }
}

bool SideAnswers::IsExpired(const Answer& answer, TimePoint now) const {
  return answer.silent && answer.reply != nullptr && now - answer.began >= options_.silent_life;
}

void SideAnswers::Abandon(const std::string& call, uint64_t id) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  const auto at = answers_.find(call);
  if (at != answers_.end() && at->second.id == id) Erase(at, StaleReason::kRoom, &dropped);
}

SideAnswers::Stats SideAnswers::stats() const {
  Stats stats;
  stats.hits = hits_.load(std::memory_order_relaxed);
  stats.misses = misses_.load(std::memory_order_relaxed);
  const MutexLock lock(mutex_);
  stats.stale = stale_;
  stats.answers = answers_.size();
  stats.bytes = bytes_;
  return stats;
}

size_t SideAnswers::OwnedBy(const ObjectName& name) const {
  const MutexLock lock(mutex_);
  const auto owned = owned_.find(name);
  return owned == owned_.end() ? 0 : owned->second.size();
}

}  // namespace catalogd::sync
