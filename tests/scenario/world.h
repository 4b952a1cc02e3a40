#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalog/ddl/ddl_executor.h"
#include "catalog/endpoint/endpoint.h"
#include "catalog/sync/state_store.h"
#include "catalog/sync/sync_core.h"
#include "tests/scenario/calls.h"
#include "tests/scenario/scripted_metastore.h"
#include "tests/support/fake_time.h"
#include "tests/support/temporary_directory.h"

namespace catalogd::scenario {

// A client connection of the daemon's endpoint.
class ClientSession final : public server::Session {
 public:
  explicit ClientSession(std::string name) : peer_(std::move(name)) {}
  [[nodiscard]] uint64_t id() const override { return 1; }
  [[nodiscard]] const std::string& peer() const override { return peer_; }
  void Complete(std::string reply) override { answer = std::move(reply); }
  void Close() override { answer = ""; }

  std::optional<ClientCall> open;     // What is being worked on.
  std::optional<std::string> answer;  // Of it.

 private:
  std::string peer_;
};

// The daemon's real core, write skeleton and endpoint on one thread, in front of a metastore that
// bends. Whatever would run on a pool runs in Drain; time passes in Advance.
// Thread safety: none.
class World {
 public:
  World();
  ~World();

  // Makes the daemon, with the options as they are; again after a restart.
  void Open();
  void Close();
  // Everything that can go on without time passing.
  void Drain();
  // One poll of the log, and what follows from it.
  Status Poll();
  // The same, but only `count` more events are visible.
  Status Step(int64_t count);
  // One round of the supervisor, and what follows from it.
  void Supervise();
  void Advance(Duration by);

  // Sends a client's message. The answer may come later: see ClientSession::answer.
  void Send(const std::string& session, ClientCall call);

  [[nodiscard]] bool is_open() const { return core != nullptr; }
  // Every name that a script or the log has spoken of.
  void Mention(const ObjectName& name);
  [[nodiscard]] const std::set<ObjectName>& names() const { return names_; }

  testing::FakeClock clock;
  ScriptedMetastore metastore{clock};
  sync::SyncOptions options;
  std::unique_ptr<sync::SyncCore> core;
  std::map<std::string, std::shared_ptr<ClientSession>> sessions;

 private:
  testing::TemporaryDirectory directory_;
  std::unique_ptr<testing::ManualExecutor> executor_;
  std::unique_ptr<testing::ManualTimer> timer_;
  std::unique_ptr<sync::StateStore> store_;
  std::unique_ptr<ddl::DdlExecutor> ddl_;
  std::unique_ptr<endpoint::SyncCatalogView> view_;
  std::unique_ptr<endpoint::Endpoint> endpoint_;
  std::set<ObjectName> names_;
};

}  // namespace catalogd::scenario
