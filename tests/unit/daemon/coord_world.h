#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "catalog/daemon/backend.h"
#include "catalog/daemon/coord_publisher.h"
#include "catalog/daemon/options.h"
#include "catalog/daemon/table_parameters.h"
#include "catalog/sync/state_store.h"
#include "tests/support/objects.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wait_for.h"
#include "thrift/wire/write.h"

namespace catalogd::daemon {

// What table coordination stands on: an embedded metastore that is being followed, and a publisher.
struct CoordWorld {
  CoordWorld()
      : backend(std::move(*OpenBackend(OptionsIn(directory), directory.path(), SystemClock()))),
        timer(SystemClock()),
        store(std::move(*sync::StateStore::Open(""))),
        core(backend.client.get(), store.get(), &SystemClock(), &timer, {}),
        ddl(&core),
        workers({.name = "workers", .threads = 2}),
        publisher(&core, &ddl, backend.client.get(), &SystemClock(), &workers) {
    core.Start();
    for (int i = 0; i < 2000 && !core.status().ready; ++i) {
      testing::WaitFor(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(core.status().ready) << core.status().reason;
  }
  ~CoordWorld() {
    workers.Shutdown();
    core.Stop();
    timer.Shutdown();
  }

  static Options OptionsIn(const testing::TemporaryDirectory& directory) {
    OptionSources sources;
    sources.flags = {{"state-dir", directory.path()}};
    return ResolveOptions(sources)->options;
  }

  hms::Metastore& metastore() { return *backend.client; }
  void Send(const std::string& message) {
    const auto reply =
        metastore().Forward(message, {}, SystemClock().Now() + std::chrono::seconds(20));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(ExceptionText(*reply), std::nullopt);
  }
  // Which a table cannot be made without.
  static std::string WithSerde(const std::string& table) {
    std::string serde;
    wire::Writer out(&serde);
    out.StringMapField(ids::serde_info::kParameters, {});
    out.Stop();
    const auto storage = wire::StructView(table).Struct(ids::table::kSd);
    return wire::WithField(table, ids::table::kSd, wire::TType::kStruct,
                           wire::WithField(storage->bytes(), ids::storage_descriptor::kSerdeInfo,
                                           wire::TType::kStruct, serde));
  }
  void Create(const testing::TestTable& table) {
    std::string arguments;
    wire::Writer out(&arguments);
    out.RawField(wire::TType::kStruct, 1, WithSerde(testing::TableBytes(table)));
    out.Stop();
    Send(wire::EncodeCall("create_table", 1, arguments));
  }

  testing::TemporaryDirectory directory;
  Backend backend;
  ThreadTimer timer;
  std::unique_ptr<sync::StateStore> store;
  sync::SyncCore core;
  ddl::DdlExecutor ddl;
  ThreadPoolExecutor workers;
  CoordPublisher publisher;
};

}  // namespace catalogd::daemon
