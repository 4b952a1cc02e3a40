#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catalog/cache/catalog_cache.h"
#include "catalog/ddl/ddl_executor.h"
#include "catalog/sync/sync_core.h"
#include "hms_client/metastore.h"

namespace catalogd::endpoint {

// What the endpoint asks of the sync core and of the DDL skeleton: the seam of its tests.
//
// Thread safety: yes. Reading never blocks.
class CatalogView {
 public:
  virtual ~CatalogView() = default;

  [[nodiscard]] virtual bool Serves(const ObjectName& name) const = 0;
  [[nodiscard]] virtual sync::ReadPosition Look(const ObjectName& name) const = 0;
  // The same for a read that must be at `floor`. Events of other names may hold up the watermark;
  // when what is held of the log shows none of this name up to `floor`, that is the position.
  [[nodiscard]] virtual sync::ReadPosition LookAtLeast(const ObjectName& name,
                                                       EventId floor) const = 0;
  [[nodiscard]] virtual EventId FloorOf(const ObjectName& name) const = 0;
  [[nodiscard]] virtual EventId Watermark() const = 0;
  // Event ids of another epoch say nothing.
  [[nodiscard]] virtual LogEpoch Epoch() const = 0;
  [[nodiscard]] virtual cache::CatalogCache::Listing Databases(
      const std::string& catalog) const = 0;
  [[nodiscard]] virtual cache::CatalogCache::Listing Tables(const ObjectName& db) const = 0;
  // False while some name has a floor of its own: a list might miss a write of ours.
  [[nodiscard]] virtual bool ListsAreExact() const = 0;
  [[nodiscard]] virtual hms::Generation Generation() const = 0;
  // False once it is known that the server has no get_table (Hive 4.0.1 and later).
  [[nodiscard]] virtual bool HasGetTable() const = 0;

  // The server's own answers about aggregated statistics may be old ones.
  [[nodiscard]] virtual bool CachesAggregates() const = 0;
  // The server judges who may read what.
  [[nodiscard]] virtual bool ReadsPerUser() const = 0;

  // The newest look at the log that found its end: when it began, and an id that no event of before
  // then is above. Nothing is called.
  struct LogEnd {
    TimePoint began;
    EventId id;
  };
  [[nodiscard]] virtual LogEnd NewestLogEnd() const = 0;
  // As sync::ReadIndex::Ask and sync::SyncWaiter::Wait; waiting also makes the log be polled.
  virtual void AskCurrentId(std::function<void(Result<EventId>)> done) = 0;
  virtual void Wait(std::vector<ObjectName> names, EventId target, TimePoint deadline,
                    std::function<void(Status)> done) = 0;
  // What is waited for is not under way: the events up to `target` stand behind a lock that
  // somebody has held for at least `least` by now.
  [[nodiscard]] virtual bool IsHeldUp(const std::vector<ObjectName>& names, EventId target,
                                      Duration least) const = 0;
  // Answers of the metastore that are kept as they came, and up to which id events have been told
  // to them.
  virtual sync::SideAnswers& side_answers() = 0;
  [[nodiscard]] virtual EventId FetchedTo() const = 0;
  // Loads what is not loaded, some time.
  virtual void RequestLoad(const ObjectName& name) = 0;
  // Reads of these names show at least `floor` from now on; without a floor: whatever is current
  // once that can be asked.
  virtual void RaiseFloors(const std::vector<ObjectName>& names, std::optional<EventId> floor) = 0;

  virtual void Write(ddl::DdlRequest request, ddl::DdlExecutor::Done done) = 0;
};

// The real one. Lifetime: core and ddl must outlive it.
class SyncCatalogView final : public CatalogView {
 public:
  SyncCatalogView(sync::SyncCore* core, ddl::DdlExecutor* ddl);

  [[nodiscard]] bool Serves(const ObjectName& name) const override;
  [[nodiscard]] sync::ReadPosition Look(const ObjectName& name) const override;
  [[nodiscard]] sync::ReadPosition LookAtLeast(const ObjectName& name,
                                               EventId floor) const override;
  [[nodiscard]] EventId FloorOf(const ObjectName& name) const override;
  [[nodiscard]] EventId Watermark() const override;
  [[nodiscard]] LogEpoch Epoch() const override;
  [[nodiscard]] cache::CatalogCache::Listing Databases(const std::string& catalog) const override;
  [[nodiscard]] cache::CatalogCache::Listing Tables(const ObjectName& db) const override;
  [[nodiscard]] bool ListsAreExact() const override;
  [[nodiscard]] hms::Generation Generation() const override;
  [[nodiscard]] bool HasGetTable() const override;
  [[nodiscard]] bool CachesAggregates() const override;
  [[nodiscard]] bool ReadsPerUser() const override;
  [[nodiscard]] LogEnd NewestLogEnd() const override;
  void AskCurrentId(std::function<void(Result<EventId>)> done) override;
  void Wait(std::vector<ObjectName> names, EventId target, TimePoint deadline,
            std::function<void(Status)> done) override;
  [[nodiscard]] bool IsHeldUp(const std::vector<ObjectName>& names, EventId target,
                              Duration least) const override;
  sync::SideAnswers& side_answers() override { return core_->side_answers(); }
  [[nodiscard]] EventId FetchedTo() const override;
  void RequestLoad(const ObjectName& name) override;
  void RaiseFloors(const std::vector<ObjectName>& names, std::optional<EventId> floor) override;
  void Write(ddl::DdlRequest request, ddl::DdlExecutor::Done done) override;

 private:
  // What the preflight found out about the server, read again at most once a second: asking for
  // the report copies it.
  void RefreshFacts() const;

  sync::SyncCore* const core_;
  ddl::DdlExecutor* const ddl_;
  mutable std::atomic<TimePoint::rep> refresh_at_{0};
  mutable std::atomic<hms::Generation> generation_{hms::Generation::kUnknown};
  mutable std::atomic<bool> has_get_table_{true};
  mutable std::atomic<bool> caches_aggregates_{true};
  mutable std::atomic<bool> reads_per_user_{true};
};

}  // namespace catalogd::endpoint
