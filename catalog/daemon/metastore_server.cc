#include "catalog/daemon/metastore_server.h"

#include <glog/logging.h>

#include <chrono>
#include <utility>

#include "catalog/base/executor.h"
#include "catalog/daemon/backend.h"
#include "catalog/daemon/server_options.h"
#include "catalog/daemon/state_dir.h"
#include "catalog/daemon/views.h"
#include "hms_client/embedded/connection_state.h"
#include "thrift/server/server.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

namespace catalogd::daemon {
namespace {

// Calls block on the file, so each runs on a worker.
class EmbeddedHandler final : public server::Handler {
 public:
  EmbeddedHandler(hms::EmbeddedMetastore* metastore, Executor* workers)
      : metastore_(metastore), workers_(workers) {}

  server::Outcome OnMessage(const std::shared_ptr<server::Session>& session,
                            std::string_view message, std::string* reply) override {
    const Status submitted = workers_->Submit([this, session, copy = std::string(message)] {
      hms::ConnectionState* const state = StateOf(*session);
      std::string answer = metastore_->HandleMessage(copy, state);
      const bool close = state->close_requested;
      if (close && answer.empty()) {
        session->Close();
        return;
      }
      session->Complete(std::move(answer));
      if (close) session->Close();
    });
    if (submitted) return server::Outcome::kDeferred;
    const auto header = wire::ParseMessageHeader(message);
    if (header) {
      *reply = wire::EncodeApplicationError(header->method, header->sequence_id,
                                            wire::ApplicationError::kInternalError,
                                            submitted.error().message);
    }
    return server::Outcome::kReplied;
  }

  void OnOpen(server::Session& session) override { session.state = hms::ConnectionState(); }

 private:
  static hms::ConnectionState* StateOf(server::Session& session) {
    return std::any_cast<hms::ConnectionState>(&session.state);
  }

  hms::EmbeddedMetastore* const metastore_;
  Executor* const workers_;
};

// Says again and again that the process is there, for locks whose clients may be gone.
class RollCall {
 public:
  explicit RollCall(hms::EmbeddedMetastore* metastore)
      : metastore_(metastore), timer_(SystemClock()) {
    Next();
  }
  ~RollCall() { timer_.Shutdown(); }
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

 private:
  void Next() {
    constexpr auto kEvery = std::chrono::seconds(5);
    timer_.At(SystemClock().Now() + kEvery, [this] {
      metastore_->NoteAlive();
      Next();
    });
  }

  hms::EmbeddedMetastore* const metastore_;
  ThreadTimer timer_;
};

}  // namespace

struct MetastoreServer::Parts {
  Parts(StateDir state_dir_in, std::unique_ptr<hms::EmbeddedMetastore> metastore_in, int threads)
      : state_dir(std::move(state_dir_in)),
        metastore(std::move(metastore_in)),
        roll_call(metastore.get()),
        workers({.name = "metastore", .threads = threads, .max_queue = 10000}),
        handler(metastore.get(), &workers) {}

  StateDir state_dir;
  std::unique_ptr<hms::EmbeddedMetastore> metastore;
  RollCall roll_call;
  ThreadPoolExecutor workers;
  EmbeddedHandler handler;
  std::unique_ptr<server::Server> server;
  std::string address;
  Duration stop_timeout{};
  bool stopped = false;
};

Result<std::unique_ptr<MetastoreServer>> MetastoreServer::Start(
    const Configuration& configuration) {
  const Options& options = configuration.options;
  ASSIGN_OR_RETURN(StateDir state_dir,
                   StateDir::Open(options.state_dir, {.daemon = false, .metastore = true}));
  ASSIGN_OR_RETURN(auto metastore, OpenEmbedded(options, state_dir.path(), SystemClock()));
  auto parts = std::make_unique<Parts>(std::move(state_dir), std::move(metastore),
                                       options.passthrough_threads);
  ASSIGN_OR_RETURN(parts->server,
                   server::StartServer(ServerOptionsOf(options), &parts->handler, SystemClock()));
  parts->address = HostPort(options.bind_address, parts->server->port());
  parts->stop_timeout = options.stop_timeout;
  for (const std::string& open : OpenAddressWarnings(options, false)) LOG(WARNING) << open;
  LOG(INFO) << "embedded metastore on " << parts->address << ", state in "
            << parts->state_dir.path();
  return std::unique_ptr<MetastoreServer>(new MetastoreServer(std::move(parts)));
}

MetastoreServer::MetastoreServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

MetastoreServer::~MetastoreServer() { Stop(); }

size_t MetastoreServer::Stop() {
  if (parts_->stopped) return 0;
  parts_->stopped = true;
  const size_t left = parts_->server->Stop(parts_->stop_timeout);
  parts_->workers.Shutdown();
  LOG(INFO) << "stopped";
  return left;
}

std::string MetastoreServer::endpoint() const { return parts_->address; }

}  // namespace catalogd::daemon
