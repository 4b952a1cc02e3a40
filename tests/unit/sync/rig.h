#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "catalog/sync/catch_up.h"
#include "catalog/sync/event_applier.h"
#include "catalog/sync/object_loader.h"
#include "catalog/sync/state_store.h"
#include "catalog/sync/sync_waiter.h"
#include "events/event_processor.h"
#include "tests/support/fake_metastore.h"
#include "tests/support/fake_time.h"
#include "tests/support/objects.h"

namespace catalogd::testing {

// The sync core on one thread: everything that would run on a pool waits until the test says so.
class SyncRig {
 public:
  explicit SyncRig(const events::NotificationLog::Options& log_options = {},
                   const sync::EventApplier::Options& lanes = {})
      : store_(std::move(*sync::StateStore::Open(""))),
        timer(&clock),
        cache(store_.get(), 1000),
        locks(&executor, &timer, &clock),
        log(&metastore, &clock, log_options),
        journal(1000, &clock),
        applier(&context, lanes),
        processor(&log, &applier, &clock, {}),
        loader(&context, {}),
        waiter(&cache, &watermark, &executor, &timer) {
    context.metastore = &metastore;
    context.clock = &clock;
    context.executor = &executor;
    context.loader_executor = &executor;
    context.ddl_executor = &executor;
    context.timer = &timer;
    context.cache = &cache;
    context.locks = &locks;
    context.watermark = &watermark;
    context.log = &log;
    context.floors = &floors;
    context.following = &following;
    context.journal = &journal;
    context.counters = &counters;
    log.SetListener(&processor);
    cache.SetObserver([this](const std::vector<ObjectName>& names) { waiter.OnCommit(names); });
    watermark.SetObserver([this](EventId value) {
      waiter.OnWatermark(value);
      log.TrimTo(value);
    });
  }

  // Starts following at the fake's current id with these names as stubs.
  void Start(const std::vector<ObjectName>& names) {
    const EventId now = metastore.current_id();
    cache.InstallListing(LogEpoch(1), now, now, names);
    watermark.Reset(now);
    log.StartAt(now);
    processor.SetState(events::ProcessorState::kActive, "");
  }

  // A change by somebody else: object and log together.
  EventId Create(const TestTable& table) {
    metastore.PutTable(table.object(), TableBytes(table));
    return metastore.Append("CREATE_TABLE", table.object(), CreateTableMessage(table));
  }
  EventId Alter(const TestTable& before, const TestTable& after) {
    if (before.object() != after.object()) metastore.Remove(before.object());
    metastore.PutTable(after.object(), TableBytes(after));
    return metastore.Append("ALTER_TABLE", after.object(), AlterTableMessage(before, after));
  }
  EventId Drop(const TestTable& table) {
    metastore.Remove(table.object());
    return metastore.Append("DROP_TABLE", table.object(), DropTableMessage(table));
  }

  // One poll, and all work that follows from it.
  void Poll() {
    ASSERT_TRUE(processor.RunOnce());
    executor.RunAll();
  }

  cache::SlotView Look(const ObjectName& name) { return cache.Lookup(name); }

  // As a long write of somebody would.
  cache::NameGuard Hold(const ObjectName& name) {
    cache::NameLocks::Request request;
    request.exclusive = {name};
    request.owner = "test";
    auto guard = locks.Acquire(std::move(request), [](Result<cache::NameGuard>) {});
    EXPECT_TRUE(guard) << name << " is locked already";
    return guard ? std::move(*guard) : cache::NameGuard();
  }

  std::unique_ptr<sync::StateStore> store_;
  FakeMetastore metastore;
  FakeClock clock;
  ManualTimer timer;
  ManualExecutor executor;
  cache::CatalogCache cache;
  cache::NameLocks locks;
  cache::Watermark watermark;
  events::NotificationLog log;
  sync::Floors floors;
  sync::Following following;
  sync::Journal journal;
  sync::SyncCounters counters;
  sync::SyncContext context;
  sync::EventApplier applier;
  events::EventProcessor processor;
  sync::ObjectLoader loader;
  sync::SyncWaiter waiter;
};

}  // namespace catalogd::testing
