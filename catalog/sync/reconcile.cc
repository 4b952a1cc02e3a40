#include "catalog/sync/reconcile.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "catalog/base/probes.h"
#include "catalog/base/utf8.h"
#include "catalog/sync/image.h"
#include "catalog/sync/odd_names.h"
#include "catalog/sync/reconcile_diff.h"

namespace catalogd::sync {
namespace {

using cache::CatalogCache;
using cache::PartitionSet;
using cache::SlotState;
using CacheSlot = CatalogCache::NamedSlot;

// Databases that one slice looks at, and how soon the next one follows.
constexpr size_t kDatabasesAtOnce = 10;
constexpr Duration kSoon = std::chrono::milliseconds(50);
constexpr Duration kAtMost = std::chrono::seconds(1);
constexpr size_t kPageSize = 256;
// A call brings many partitions: so many count as one object.
constexpr double kPartitionsPerObject = 100;
// Names that are not read: so many that a million of them takes a minute.
constexpr double kNameCost = 0.001;
// Most objects that may be read at once after a pause.
constexpr double kMostCredit = 5;

bool Compared(const SyncContext& context, const CacheSlot& slot) {
  if (context.following != nullptr && context.following->Disabled(slot.name)) return false;
  const cache::SnapshotPtr& content = slot.view.snapshot;
  return slot.view.state == SlotState::kPresent && content != nullptr &&
         !content->materialized_view && !content->sync_disabled;
}

// Others of the slice would only wait as well.
bool IsAway(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kTimedOut;
}

ObjectName ChildOf(const ObjectName& parent, const std::string& name) {
  return parent.db().empty() ? ObjectName::Database(parent.catalog(), name)
                             : ObjectName::Table(parent.catalog(), parent.db(), name);
}

}  // namespace

Reconciler::Reconciler(SyncContext* context, ObjectLoader* loader, const Options& options)
    : context_(context), loader_(loader), options_(options) {
  const MutexLock lock(mutex_);
  progress_.enabled = options.database_period != Duration{} || options.period != Duration{};
}

Duration Reconciler::RunOnce() {
  if (epoch_ != context_->cache->epoch()) StartOver();
  if (options_.database_period != Duration{}) RunDatabases();
  if (options_.period != Duration{}) RunTables();
  return NextWait();
}

// Another log: everything will be loaded anew, so the first passes begin a period from now.
void Reconciler::StartOver() {
  epoch_ = context_->cache->epoch();
  const TimePoint now = context_->clock->Now();
  next_databases_ = now + options_.database_period;
  next_tables_ = now + options_.period;
  databases_.clear();
  tables_running_ = false;
  credited_ = now;
  credit_ = 0;
  const MutexLock lock(mutex_);
  progress_.running = false;
}

Duration Reconciler::NextWait() const {
  if (!databases_.empty() || (tables_running_ && credit_ >= 1)) return kSoon;
  const TimePoint now = context_->clock->Now();
  TimePoint next = now + kAtMost;
  if (options_.database_period != Duration{}) next = std::min(next, next_databases_);
  if (options_.period != Duration{} && !tables_running_) next = std::min(next, next_tables_);
  if (tables_running_) {
    const double seconds = (1 - credit_) / std::max(options_.objects_per_second, 0.1);
    next = std::min(next, now + std::chrono::duration_cast<Duration>(
                                    std::chrono::duration<double>(std::min(seconds, 1.0))));
  }
  return std::max<Duration>(next - now, kSoon);
}

void Reconciler::RunDatabases() {
  if (databases_.empty()) {
    if (context_->clock->Now() < next_databases_) return;
    next_databases_ = context_->clock->Now() + options_.database_period;
    const catalogd::Status begun = BeginDatabases();
    if (!begun) return NoteFailure({}, begun.error());
  }
  for (size_t n = 0; n < kDatabasesAtOnce && !databases_.empty(); ++n) {
    const ObjectName name = std::move(databases_.front());
    databases_.pop_front();
    double cost = 0;
    const catalogd::Status looked = Look({name, context_->cache->Lookup(name)}, &cost);
    if (looked) continue;
    NoteFailure(name, looked.error());
    if (IsAway(looked.error())) return databases_.clear();
  }
  if (!databases_.empty()) return;
  const MutexLock lock(mutex_);
  ++progress_.database_passes;
  progress_.last_database_pass = context_->clock->WallNow();
}

catalogd::Status Reconciler::BeginDatabases() {
  std::vector<std::string> catalogs{std::string(kDefaultCatalog)};
  auto listed = context_->metastore->ListCatalogs(context_->CallDeadline());
  if (listed) {
    catalogs = std::move(*listed);
  } else if (listed.error().code != ErrorCode::kUnsupported) {
    return AsError(std::move(listed).error());
  }
  for (const std::string& catalog : catalogs) {
    RETURN_IF_ERROR(LookAtNames(ObjectName::Database(catalog, "")));
    for (const std::string& db : context_->cache->Databases(catalog).names) {
      databases_.push_back(ObjectName::Database(catalog, db));
    }
  }
  return Ok();
}

void Reconciler::BeginTables() {
  tables_running_ = true;
  next_tables_ = context_->clock->Now() + options_.period;
  cursor_.reset();
  page_.clear();
  last_page_ = false;
  credited_ = context_->clock->Now();
  const CatalogCache::Stats stats = context_->cache->stats();
  const MutexLock lock(mutex_);
  progress_.running = true;
  progress_.done = 0;
  progress_.total = stats.databases + stats.tables;
}

void Reconciler::EndTables() {
  tables_running_ = false;
  ++sample_from_;
  const MutexLock lock(mutex_);
  progress_.running = false;
  ++progress_.passes;
  progress_.last_pass = context_->clock->WallNow();
}

void Reconciler::RunTables() {
  const TimePoint now = context_->clock->Now();
  if (!tables_running_) {
    if (now < next_tables_) return;
    BeginTables();
  }
  const double seconds = std::chrono::duration<double>(now - credited_).count();
  credited_ = now;
  credit_ = std::min(credit_ + seconds * std::max(options_.objects_per_second, 0.1), kMostCredit);
  while (credit_ >= 1) {
    if (page_.empty()) {
      if (last_page_) return EndTables();
      CatalogCache::Page page = context_->cache->Dump(cursor_, kPageSize);
      last_page_ = !page.next.has_value();
      cursor_ = std::move(page.next);
      page_.assign(std::make_move_iterator(page.slots.begin()),
                   std::make_move_iterator(page.slots.end()));
      continue;
    }
    const ObjectName name = std::move(page_.front().name);
    page_.pop_front();
    double cost = 0;
    // As it stands now: the page may be old.
    const CacheSlot slot{name, context_->cache->Lookup(name)};
    catalogd::Status looked = Ok();
    if (name.is_database() && slot.view.state != SlotState::kUnknown) {
      cost = 1;
      looked = LookAtNames(name);
    } else {
      looked = Look(slot, &cost);
    }
    credit_ -= std::max(cost, kNameCost);
    {
      const MutexLock lock(mutex_);
      ++progress_.done;
    }
    if (looked) continue;
    NoteFailure(name, looked.error());
    if (IsAway(looked.error())) return;
  }
}

catalogd::Status Reconciler::Look(const CacheSlot& slot, double* cost) {
  if (slot.view.state == SlotState::kUnknown) {
    // Perhaps nobody asks for it, and while it is in doubt no list with it is answered.
    MARK("reconcile.in_doubt");
    *cost += 1;
    loader_->Load(slot.name, nullptr);
    return Ok();
  }
  if (!Compared(*context_, slot)) return Ok();
  context_->counters->compared.fetch_add(1, std::memory_order_relaxed);
  ASSIGN_OR_RETURN(const bool differs, Differs(slot, cost));
  if (differs) Suspect(slot.name);
  return Ok();
}

Result<bool> Reconciler::Differs(const CacheSlot& slot, double* cost) {
  *cost += 1;
  hms::Metastore& metastore = *context_->metastore;
  const TimePoint deadline = context_->CallDeadline();
  auto read = slot.name.is_table() ? metastore.ReadTable(slot.name, deadline)
                                   : metastore.ReadDatabase(slot.name, deadline);
  if (!read && read.error().code == ErrorCode::kNotFound) return true;
  if (!read) return AsError(std::move(read).error());
  const cache::Snapshot& cached = *slot.view.snapshot;
  if (!DescribeStructs(slot.name, cached.object, *read).empty()) return true;
  if (cached.partitions == nullptr || cached.partition_keys.empty()) return false;
  return PartitionsDiffer(slot, cost);
}

Result<bool> Reconciler::PartitionsDiffer(const CacheSlot& slot, double* cost) {
  const cache::Snapshot& cached = *slot.view.snapshot;
  const PartitionSet& set = *cached.partitions;
  if (set.size() > options_.max_partitions) return SampleDiffers(slot, cost);
  ASSIGN_OR_RETURN(auto structs,
                   context_->metastore->ReadPartitions(slot.name, context_->CallDeadline()));
  *cost += static_cast<double>(structs.size()) / kPartitionsPerObject;
  if (structs.size() != set.size()) return true;
  for (std::string& bytes : structs) {
    ASSIGN_OR_RETURN(const auto entry, MakePartitionEntry(cached.partition_keys, bytes));
    std::string known;
    if (!set.AppendPartition(entry.name, &known)) return true;
    if (!DescribePartition(known, bytes).empty()) return true;
  }
  return false;
}

// Every n-th partition, beginning with another one in each pass.
Result<bool> Reconciler::SampleDiffers(const CacheSlot& slot, double* cost) {
  const PartitionSet& set = *slot.view.snapshot->partitions;
  const size_t step = std::max<size_t>(set.size() / std::max<size_t>(options_.sample, 1), 1);
  const size_t first = sample_from_ % step;
  std::vector<std::string> names;
  size_t index = 0;
  set.ForEach([&](std::string_view name, const PartitionSet::Append&) {
    if (index++ % step == first) names.emplace_back(name);
    return true;
  });
  ASSIGN_OR_RETURN(const auto structs, context_->metastore->ReadPartitionsByNames(
                                           slot.name, names, context_->CallDeadline()));
  *cost += static_cast<double>(structs.size()) / kPartitionsPerObject;
  if (structs.size() != names.size()) return true;
  for (const std::string& bytes : structs) {
    ASSIGN_OR_RETURN(const auto entry,
                     MakePartitionEntry(slot.view.snapshot->partition_keys, bytes));
    std::string known;
    if (!set.AppendPartition(entry.name, &known)) return true;
    if (!DescribePartition(known, bytes).empty()) return true;
  }
  return false;
}

Result<std::vector<ObjectName>> Reconciler::OnlyOnOneSide(SyncContext* context,
                                                          const ObjectName& parent) {
  hms::Metastore& metastore = *context->metastore;
  const bool databases = parent.db().empty();
  ASSIGN_OR_RETURN(auto there,
                   databases ? metastore.ListDatabases(parent.catalog(), context->CallDeadline())
                             : metastore.ListTables(parent, context->CallDeadline()));
  for (std::string& name : there) name = NormalizeName(name);
  std::sort(there.begin(), there.end());
  const std::vector<std::string> here = databases
                                            ? context->cache->Databases(parent.catalog()).names
                                            : context->cache->Tables(parent).names;
  std::vector<std::string> names;
  std::set_symmetric_difference(there.begin(), there.end(), here.begin(), here.end(),
                                std::back_inserter(names));
  std::vector<ObjectName> out;
  out.reserve(names.size());
  for (const std::string& name : names) {
    if (!databases || !IsOddDatabase(name)) out.push_back(ChildOf(parent, name));
  }
  return out;
}

catalogd::Status Reconciler::LookAtNames(const ObjectName& parent) {
  if (IsOddDatabase(parent.db())) return Ok();
  auto names = OnlyOnOneSide(context_, parent);
  if (names) {
    for (const ObjectName& name : *names) Suspect(name);
    return Ok();
  }
  // Whether it is gone is told by the look at the database itself.
  if (names.error().code == ErrorCode::kNotFound) return Ok();
  return AsError(std::move(names).error());
}

void Reconciler::Suspect(const ObjectName& name) {
  loader_->Compare(name, true, "reconcile", [this, name](Result<ObjectLoader::Comparison> result) {
    if (!result) return NoteFailure(name, result.error());
    using Outcome = ObjectLoader::Comparison::Outcome;
    if (result->outcome == Outcome::kDifferent) {
      LOG(WARNING) << ValidUtf8("reconcile: " + name.ToString() +
                                " differed, repaired: " + result->text);
    }
    const MutexLock lock(mutex_);
    switch (result->outcome) {
      case Outcome::kEqual:
      case Outcome::kInFlight:
        MARK("reconcile.in_flight");
        ++progress_.in_flight;
        break;
      case Outcome::kDifferent:
        MARK("reconcile.difference");
        progress_.last_difference = name.ToString() + ": " + result->text;
        break;
      case Outcome::kNotCompared:
        break;
    }
  });
}

void Reconciler::NoteFailure(const ObjectName& name, const Error& error) {
  MARK("reconcile.failed");
  const MutexLock lock(mutex_);
  ++progress_.failures;
  progress_.last_failure =
      name.db().empty() ? error.message : name.ToString() + ": " + error.message;
}

Reconciler::Status Reconciler::status() const {
  const MutexLock lock(mutex_);
  return progress_;
}

}  // namespace catalogd::sync
