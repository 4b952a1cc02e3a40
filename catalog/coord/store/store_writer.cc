#include "catalog/coord/store/store_writer.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace catalogd::coord {
namespace {

Status Stopped(const std::string& table_id) {
  return MakeError(ErrorCode::kCancelled, "table " + table_id +
                                              ": coordination is being stopped, nothing more is "
                                              "stored; try again after the start");
}

// Lets one thread wait for an answer of the writer.
template <class T>
class Answer {
 public:
  void Set(T value) {
    const MutexLock lock(mutex_);
    value_ = std::move(value);
    given_.NotifyOne();
  }
  T Wait() {
    const MutexLock lock(mutex_);
    while (!value_) given_.Wait(mutex_);
    return std::move(*value_);
  }

 private:
  Mutex mutex_{LockRank::kLeaf};
  CondVar given_;
  std::optional<T> value_ GUARDED_BY(mutex_);
};

}  // namespace

StoreWriter::StoreWriter(std::unique_ptr<CoordStore> store, Options options)
    : store_(std::move(store)),
      max_group_(std::max<size_t>(1, options.max_group)),
      thread_("coord-store", [this] { Run(); }) {}

StoreWriter::~StoreWriter() {
  Stop();
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    wake_.NotifyOne();
  }
  thread_.Join();
}

void StoreWriter::Write(std::string table_id, StoreBatch batch, Done done) {
  Item item;
  item.batch = {std::move(table_id), std::move(batch)};
  item.done = std::move(done);
  Add(std::move(item));
}

Status StoreWriter::WriteNow(std::string table_id, StoreBatch batch) {
  AssertNoMutexHeld("coordination store: wait for a write");
  // Shared: the writer is still inside Set when the waiting thread goes on.
  const auto answer = std::make_shared<Answer<Status>>();
  Write(std::move(table_id), std::move(batch),
        [answer](Status status) { answer->Set(std::move(status)); });
  return answer->Wait();
}

template <class T>
Result<T> StoreWriter::Ask(const std::string& table_id,
                           std::function<Result<T>(CoordStore&)> read) {
  AssertNoMutexHeld("coordination store: wait for rows");
  const auto answer = std::make_shared<Answer<Result<T>>>();
  Item item;
  item.batch.table_id = table_id;
  item.reads = true;
  item.done = [this, answer, read = std::move(read)](const Status& status) {
    if (!status) return answer->Set(AsError(status.error()));
    answer->Set(read(*store_));
  };
  Add(std::move(item));
  return answer->Wait();
}

Result<StoreContent> StoreWriter::Reload(const std::string& table_id) {
  return Ask<StoreContent>(table_id, [&](CoordStore& store) { return store.LoadTable(table_id); });
}

Result<std::vector<AuditRecord>> StoreWriter::ReadAudit(const std::string& table_id,
                                                        int64_t at_most) {
  return Ask<std::vector<AuditRecord>>(
      table_id, [&](CoordStore& store) { return store.ReadAudit(table_id, at_most); });
}

void StoreWriter::Resume(const std::string& table_id) {
  const MutexLock lock(mutex_);
  const auto state = states_.find(table_id);
  if (state == states_.end() || !state->second.stopped) return;
  state->second.stopped = false;
  ++state->second.generation;
}

void StoreWriter::Stop() {
  AssertNoMutexHeld("coordination store: stop");
  const MutexLock lock(mutex_);
  stopped_ = true;
  const uint64_t all = added_count_;
  while (told_count_ < all) told_.Wait(mutex_);
}

void StoreWriter::Add(Item item) {
  const MutexLock lock(mutex_);
  const auto state = states_.find(item.batch.table_id);
  if (state != states_.end()) item.generation = state->second.generation;
  item.cancelled = stopped_;
  queue_.push_back(std::move(item));
  ++added_count_;
  wake_.NotifyOne();
}

Status StoreWriter::Verdict(const Item& item) const {
  if (item.cancelled) return Stopped(item.batch.table_id);
  if (item.reads) return Ok();
  const auto state = states_.find(item.batch.table_id);
  if (state == states_.end()) return Ok();
  const bool current = !state->second.stopped && state->second.generation == item.generation;
  if (!current) return AfterRefused(item.batch.table_id);
  return Ok();
}

bool StoreWriter::Take(std::vector<Item>* group) {
  const MutexLock lock(mutex_);
  while (queue_.empty() && !ended_) wake_.Wait(mutex_);
  while (!queue_.empty() && group->size() < max_group_) {
    if (queue_.front().reads && !group->empty()) break;
    group->push_back(std::move(queue_.front()));
    queue_.pop_front();
    group->back().verdict = Verdict(group->back());
    if (group->back().reads) break;
  }
  return !group->empty();
}

void StoreWriter::Run() {
  while (true) {
    std::vector<Item> group;
    if (!Take(&group)) return;
    if (!group.front().reads) WriteGroup(&group);
    for (Item& item : group) item.done(std::move(item.verdict));
    const MutexLock lock(mutex_);
    told_count_ += group.size();
    told_.NotifyAll();
  }
}

void StoreWriter::WriteGroup(std::vector<Item>* group) {
  std::vector<TableBatch> batches;
  std::vector<Item*> written;
  for (Item& item : *group) {
    if (!item.verdict) continue;
    batches.push_back(std::move(item.batch));
    // Still needed when it fails.
    item.batch.table_id = batches.back().table_id;
    written.push_back(&item);
  }
  if (batches.empty()) return;
  std::vector<Status> results = store_->Write(batches);
  for (size_t i = 0; i < written.size(); ++i) written[i]->verdict = std::move(results[i]);
  StopTablesOf(*group);
}

// Before anybody is told: who is told may resume at once.
void StoreWriter::StopTablesOf(const std::vector<Item>& group) {
  const MutexLock lock(mutex_);
  for (const Item& item : group) {
    if (item.verdict || item.cancelled) continue;
    TableState& state = states_[item.batch.table_id];
    if (state.generation == item.generation) state.stopped = true;
  }
}

}  // namespace catalogd::coord
