#include "tests/replay/follower.h"

#include <utility>

namespace catalogd::replay {
namespace {

constexpr size_t kJournal = 1U << 20U;

events::NotificationLog::Options LogOptions(int batch) {
  events::NotificationLog::Options options;
  options.batch = batch;
  return options;
}

bool IsLoaded(const cache::SlotView& slot, ObjectKind kind) {
  if (slot.state == cache::SlotState::kAbsent) return true;
  if (slot.state != cache::SlotState::kPresent) return false;
  return kind != ObjectKind::kPartition || slot.snapshot->partitions != nullptr;
}

// Must the object, or must its partitions, be read again after this?
bool TakesContent(const sync::JournalEntry& entry) {
  return entry.action == "make-stub" || entry.action == "make-unknown" ||
         entry.action == "forget-partitions" || entry.reason == "renamed" ||
         entry.reason == "altered with its columns";
}

}  // namespace

Follower::Follower(hms::Metastore* metastore, const Options& options)
    : versions_(std::move(*sync::StateStore::Open(""))),
      metastore_(metastore),
      cache_(versions_.get(), 1000),
      locks_(&executor_, &timer_, &clock_),
      log_(metastore, &clock_, LogOptions(options.batch)),
      journal_(kJournal, &clock_),
      applier_(&context_),
      processor_(&log_, &applier_, &clock_, {}),
      loader_(&context_, {}) {
  context_.metastore = metastore;
  context_.clock = &clock_;
  context_.executor = &executor_;
  context_.loader_executor = &executor_;
  context_.ddl_executor = &executor_;
  context_.timer = &timer_;
  context_.cache = &cache_;
  context_.locks = &locks_;
  context_.watermark = &watermark_;
  context_.log = &log_;
  context_.floors = &floors_;
  context_.journal = &journal_;
  context_.counters = &counters_;
  context_.fold.decide.payload = options.payload;
  context_.fold.generation = options.generation;
  log_.SetListener(&processor_);
  watermark_.SetObserver([this](EventId value) { log_.TrimTo(value); });
}

Status Follower::Start(const std::vector<ObjectName>& names) {
  ASSIGN_OR_RETURN(const EventId now, metastore_->CurrentEventId(context_.CallDeadline()));
  cache_.InstallListing(LogEpoch(1), now, now, names);
  watermark_.Reset(now);
  log_.StartAt(now);
  processor_.SetState(events::ProcessorState::kActive, "");
  return Ok();
}

Status Follower::Poll() {
  const EventId before = watermark_.value();
  RETURN_IF_ERROR(processor_.RunOnce());
  executor_.RunAll();
  if (counters_.log_conditions.load() > 0) {
    return MakeError(ErrorCode::kInvalidState, "the log was taken for another one");
  }
  ReadJournal(before);
  return Ok();
}

void Follower::ReadJournal(EventId before) {
  size_t count = 64;
  auto entries = journal_.Recent(count);
  while (entries.size() == count && entries.back().event > before) {
    count *= 4;
    entries = journal_.Recent(count);
  }
  // Newest first: the oldest of this poll comes first into the maps.
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->event <= before || entry->by != "events") continue;
    ++actions_[{entry->type, entry->action}];
    if (TakesContent(*entry)) {
      causes_[entry->name] = entry->type + ": " + entry->reason;
    }
  }
}

Status Follower::Load(const ObjectName& name) {
  const auto cause = causes_.find(name);
  ++reads_[cause == causes_.end() ? "listed at the start" : cause->second];
  std::optional<Status> outcome;
  loader_.Load(name, [&outcome](const Status& status) { outcome = status; });
  executor_.RunAll();
  if (!outcome)
    return MakeError(ErrorCode::kInternal, "load " + name.ToString() + ": not finished");
  if (!*outcome && outcome->error().code != ErrorCode::kNotFound) return *outcome;
  return Ok();
}

Result<std::optional<std::string>> Follower::Cached(const ObjectKey& key) {
  cache::SlotView slot = cache_.Lookup(key.name);
  if (!IsLoaded(slot, key.kind)) {
    RETURN_IF_ERROR(Load(key.name));
    slot = cache_.Lookup(key.name);
    if (!IsLoaded(slot, key.kind)) {
      return MakeError(ErrorCode::kInvalidState, key.ToString() + ": not known after its load");
    }
  }
  if (slot.state == cache::SlotState::kAbsent) return std::optional<std::string>();
  if (key.kind != ObjectKind::kPartition) return std::optional<std::string>(slot.snapshot->object);
  std::string bytes;
  if (!slot.snapshot->partitions->AppendPartition(key.part, &bytes)) {
    return std::optional<std::string>();
  }
  return std::optional<std::string>(std::move(bytes));
}

std::optional<std::vector<std::string>> Follower::PartitionNames(const ObjectName& table) const {
  const cache::SlotView slot = cache_.Lookup(table);
  if (slot.snapshot == nullptr || slot.snapshot->partitions == nullptr) return std::nullopt;
  return slot.snapshot->partitions->Names(-1);
}

}  // namespace catalogd::replay
