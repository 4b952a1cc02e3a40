#include "catalog/endpoint/catalog_view.h"

#include <utility>

namespace catalogd::endpoint {
namespace {

// How far a name is looked for in the log before its floor is waited for instead.
constexpr int64_t kMostEventsBetween = 10000;

}  // namespace

SyncCatalogView::SyncCatalogView(sync::SyncCore* core, ddl::DdlExecutor* ddl)
    : core_(core), ddl_(ddl) {}

bool SyncCatalogView::Serves(const ObjectName& name) const { return core_->Serves(name); }

sync::ReadPosition SyncCatalogView::Look(const ObjectName& name) const { return core_->Look(name); }

sync::ReadPosition SyncCatalogView::LookAtLeast(const ObjectName& name, EventId floor) const {
  // The slot first: what is applied afterwards is in the log behind it, or proves nothing.
  sync::ReadPosition at = core_->Look(name);
  if (at.effective >= floor || floor.value() - at.effective.value() > kMostEventsBetween) {
    return at;
  }
  const auto between = core_->log().Range(at.effective, floor, {name});
  if (between && between->empty()) at.effective = floor;
  return at;
}

EventId SyncCatalogView::FloorOf(const ObjectName& name) const { return core_->FloorOf(name); }

EventId SyncCatalogView::Watermark() const { return core_->watermark().value(); }

LogEpoch SyncCatalogView::Epoch() const { return core_->cache().epoch(); }

cache::CatalogCache::Listing SyncCatalogView::Databases(const std::string& catalog) const {
  cache::CatalogCache::Listing listing = core_->cache().Databases(catalog);
  if (core_->has_odd_databases()) listing.exact = false;
  return listing;
}

cache::CatalogCache::Listing SyncCatalogView::Tables(const ObjectName& db) const {
  return core_->cache().Tables(db);
}

bool SyncCatalogView::ListsAreExact() const {
  // A write whose names are not known counts in the floor of the list itself.
  return core_->floors().size() == 0;
}

void SyncCatalogView::RefreshFacts() const {
  const TimePoint now = core_->context().clock->Now();
  TimePoint::rep due = refresh_at_.load(std::memory_order_relaxed);
  if (now.time_since_epoch().count() < due) return;
  const TimePoint next = now + std::chrono::seconds(1);
  if (!refresh_at_.compare_exchange_strong(due, next.time_since_epoch().count())) return;
  const auto report = core_->preflight();
  if (!report) {
    refresh_at_.store(0);  // Soon: the first calls must not wait a second for it.
    return;
  }
  generation_.store(report->facts.generation);
  has_get_table_.store(report->facts.has_get_table);
  caches_aggregates_.store(report->caches_aggregates);
  reads_per_user_.store(report->reads_per_user);
}

hms::Generation SyncCatalogView::Generation() const {
  RefreshFacts();
  return generation_.load(std::memory_order_relaxed);
}

bool SyncCatalogView::HasGetTable() const {
  RefreshFacts();
  return has_get_table_.load(std::memory_order_relaxed);
}

bool SyncCatalogView::CachesAggregates() const {
  RefreshFacts();
  return caches_aggregates_.load(std::memory_order_relaxed);
}

bool SyncCatalogView::ReadsPerUser() const {
  RefreshFacts();
  return reads_per_user_.load(std::memory_order_relaxed);
}

CatalogView::LogEnd SyncCatalogView::NewestLogEnd() const {
  const events::EventProcessor::Status status = core_->processor().status();
  return {status.end_began, status.end_event_id};
}

void SyncCatalogView::AskCurrentId(std::function<void(Result<EventId>)> done) {
  core_->read_index().Ask(std::move(done));
}

void SyncCatalogView::Wait(std::vector<ObjectName> names, EventId target, TimePoint deadline,
                           std::function<void(Status)> done) {
  core_->waiter().Wait(std::move(names), target, deadline, std::move(done));
  core_->processor().Kick();
}

bool SyncCatalogView::IsHeldUp(const std::vector<ObjectName>& names, EventId target,
                               Duration least) const {
  return core_->IsHeldUp(names, target, least);
}

EventId SyncCatalogView::FetchedTo() const { return core_->log().fetched_to(); }

void SyncCatalogView::RequestLoad(const ObjectName& name) { core_->loader().Load(name, nullptr); }

void SyncCatalogView::RaiseFloors(const std::vector<ObjectName>& names,
                                  std::optional<EventId> floor) {
  if (!floor) {
    core_->floors().MarkUnresolved(names);
    return;
  }
  for (const ObjectName& name : names) core_->floors().Raise(name, *floor);
}

void SyncCatalogView::Write(ddl::DdlRequest request, ddl::DdlExecutor::Done done) {
  ddl_->Submit(std::move(request), std::move(done));
}

}  // namespace catalogd::endpoint
