#include "catalog/daemon/daemon.h"

#include <glog/logging.h>

#include <optional>
#include <utility>

#include "catalog/daemon/backend.h"
#include "catalog/daemon/build_info.h"
#include "catalog/daemon/coordination.h"
#include "catalog/daemon/follow_log.h"
#include "catalog/daemon/metrics.h"
#include "catalog/daemon/operations.h"
#include "catalog/daemon/pages.h"
#include "catalog/daemon/server_options.h"
#include "catalog/daemon/state_dir.h"
#include "catalog/daemon/thrift_service.h"
#include "catalog/daemon/views.h"
#include "catalog/ddl/ddl_executor.h"
#include "catalog/endpoint/endpoint.h"
#include "catalog/sync/state_store.h"
#include "catalog/sync/sync_core.h"
#include "catalog/web/http_server.h"
#include "catalog/web/site.h"
#include "thrift/server/server.h"

namespace catalogd::daemon {
namespace {

sync::SyncOptions SyncOptionsOf(const Options& options) {
  sync::SyncOptions sync;
  sync.poll_interval = options.poll_interval;
  sync.call_timeout = options.call_timeout;
  sync.forward_timeout = options.forward_timeout;
  sync.ddl_lock_timeout = options.ddl_lock_timeout;
  sync.payload = options.payload;
  sync.authorization = options.authorization;
  sync.sync_disabled = options.sync_disabled;
  sync.event_threads = options.event_threads;
  sync.read_mode = options.read_mode;
  sync.ddl_threads = options.ddl_threads;
  sync.loader_threads = options.loader_threads;
  sync.reconcile.database_period = options.database_reconcile_interval;
  sync.reconcile.period = options.reconcile_interval;
  sync.reconcile.objects_per_second = static_cast<double>(options.reconcile_rate);
  sync.max_delta_bytes = options.delta_log_size;
  return sync;
}

endpoint::EndpointOptions EndpointOptionsOf(const Options& options) {
  endpoint::EndpointOptions endpoint;
  endpoint.call_timeout = options.forward_timeout;
  endpoint.level = options.read_level;
  endpoint.max_staleness = options.max_staleness;
  endpoint.calls_per_user = options.max_calls_per_user;
  endpoint.right_life = options.authorization_recheck;
  return endpoint;
}

CoordinationOptions CoordinationOptionsOf(const Options& options, const std::string& state_dir) {
  CoordinationOptions coordination;
  coordination.enabled = options.coordination;
  coordination.state_dir = state_dir;
  coordination.access.admins = options.coord_admins;
  coordination.access.writers = options.coord_writers;
  coordination.access.right_life = options.authorization_recheck;
  coordination.access.call_timeout = options.call_timeout;
  return coordination;
}

}  // namespace

// In the order of construction: each part uses only what stands above it.
struct Daemon::Parts {
  Parts(const Configuration& configuration_in, StateDir state_dir_in, Backend backend_in,
        std::unique_ptr<sync::StateStore> store_in)
      : configuration(configuration_in),
        state_dir(std::move(state_dir_in)),
        backend(std::move(backend_in)),
        store(std::move(store_in)),
        timer(SystemClock()),
        core(backend.client.get(), store.get(), &SystemClock(), &timer,
             SyncOptionsOf(configuration.options)),
        ddl(&core),
        workers({.name = "passthrough",
                 .threads = configuration.options.passthrough_threads,
                 .max_queue = 10000}),
        service_workers({.name = "service", .threads = 4, .max_queue = 1000}),
        view(&core, &ddl),
        endpoint({.view = &view,
                  .metastore = backend.client.get(),
                  .connector = backend.connector(),
                  .workers = &workers,
                  .clock = &SystemClock()},
                 EndpointOptionsOf(configuration.options)),
        coordination({.core = &core,
                      .ddl = &ddl,
                      .metastore = backend.client.get(),
                      .view = &view,
                      .clock = &SystemClock(),
                      .timer = &timer},
                     CoordinationOptionsOf(configuration.options, state_dir.path())),
        operations(&sources, backend.client.get(), &service_workers, &timer),
        service(&sources, &operations),
        follow_log(&core, &timer, &SystemClock()),
        site("catalogd " + BuildVersion()) {}

  Configuration configuration;
  StateDir state_dir;
  Backend backend;
  std::unique_ptr<sync::StateStore> store;
  ThreadTimer timer;
  sync::SyncCore core;
  ddl::DdlExecutor ddl;
  ThreadPoolExecutor workers;
  ThreadPoolExecutor service_workers;
  endpoint::SyncCatalogView view;
  endpoint::Endpoint endpoint;
  Coordination coordination;
  ViewSources sources;
  Operations operations;
  ThriftService service;
  FollowLog follow_log;
  web::Site site;
  std::unique_ptr<server::Server> server;
  std::unique_ptr<web::HttpServer> http;
  bool stopped = false;

  void FillSources();
  void RegisterService();
  Status Listen();
  Status Run();
};

void Daemon::Parts::FillSources() {
  sources.core = &core;
  sources.ddl = &ddl;
  sources.clock = &SystemClock();
  sources.metastore = backend.name;
  sources.started = SystemClock().WallNow();
  sources.endpoint.host = configuration.options.bind_address;
  sources.web.host = configuration.options.web_bind_address;
  sources.configuration = configuration.values;
  sources.coordination = &coordination;
}

void Daemon::Parts::RegisterService() {
  coordination.RegisterOn(&endpoint);
  // The service never blocks its caller: it answers at once or later.
  endpoint.RegisterOwnService(
      service.methods(), [this](const std::shared_ptr<server::Session>& session,
                                std::string_view message, std::string*) {
        service.Handle(message,
                       [session](std::string reply) { session->Complete(std::move(reply)); });
        return server::Outcome::kDeferred;
      });
}

Status Daemon::Parts::Listen() {
  const Options& options = configuration.options;
  ASSIGN_OR_RETURN(server, server::StartServer(ServerOptionsOf(options), &endpoint, SystemClock()));
  sources.endpoint.port = server->port();
  AddPages(&sources, &site);
  site.AddMetrics(MakeMetrics({&sources, &endpoint, server.get(), backend.pool.get()}));
  web::HttpOptions http_options;
  http_options.address = options.web_bind_address;
  http_options.port = options.web_port;
  ASSIGN_OR_RETURN(http, web::StartHttpServer(http_options, [this](const web::WebRequest& request) {
                     return site.Handle(request);
                   }));
  sources.web.port = http->port();
  return Ok();
}

Status Daemon::Parts::Run() {
  FillSources();
  RegisterService();
  RETURN_IF_ERROR(Listen());
  coordination.Start();
  core.Start();
  follow_log.Start();
  LOG(INFO) << "serving metastore clients on " << sources.endpoint.Text() << ", pages on "
            << sources.web.Text() << ", metastore " << backend.name << ", state in "
            << state_dir.path();
  return Ok();
}

Result<std::unique_ptr<Daemon>> Daemon::Start(const Configuration& configuration) {
  const Options& options = configuration.options;
  for (const std::string& note : configuration.notes) LOG(INFO) << note;
  ASSIGN_OR_RETURN(
      StateDir state_dir,
      StateDir::Open(options.state_dir, {.daemon = true, .metastore = options.metastore.empty()}));
  ASSIGN_OR_RETURN(auto store, sync::StateStore::Open(state_dir.path()));
  std::optional<EventId> followed_to;
  if (store->identity().epoch != LogEpoch()) followed_to = store->identity().last_event;
  const std::string lost =
      options.metastore.empty() ? LostFileWarning(state_dir.path(), followed_to) : "";
  ASSIGN_OR_RETURN(Backend backend, OpenBackend(options, state_dir.path(), SystemClock()));
  auto parts = std::make_unique<Parts>(configuration, std::move(state_dir), std::move(backend),
                                       std::move(store));
  std::vector<std::string>& warnings = parts->sources.start_warnings;
  if (!lost.empty()) warnings.push_back(lost);
  for (std::string& open : OpenAddressWarnings(options, true)) warnings.push_back(std::move(open));
  for (const std::string& text : parts->coordination.warnings()) warnings.push_back(text);
  for (const std::string& warning : warnings) LOG(WARNING) << warning;
  // From here on whatever fails is stopped in order.
  std::unique_ptr<Daemon> daemon(new Daemon(std::move(parts)));
  RETURN_IF_ERROR(daemon->parts_->Run());
  return daemon;
}

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Daemon::~Daemon() { Stop(); }

size_t Daemon::Stop() {
  if (parts_->stopped) return 0;
  parts_->stopped = true;
  LOG(INFO) << "stopping: no new calls, " << parts_->ddl.in_flight() << " writes running";
  parts_->follow_log.Stop();
  // Who only waits gets an answer now; who writes may finish.
  parts_->operations.Stop();
  parts_->endpoint.StopWaiting();
  parts_->coordination.StopWaiting();
  parts_->ddl.StopSending();
  size_t left = 0;
  if (parts_->server != nullptr) {
    left = parts_->server->Stop(parts_->configuration.options.stop_timeout);
  }
  if (parts_->http != nullptr) parts_->http->Stop();
  parts_->core.Stop();
  parts_->coordination.Stop();
  parts_->workers.Shutdown();
  parts_->service_workers.Shutdown();
  parts_->timer.Shutdown();
  LOG(INFO) << "stopped";
  return left;
}

std::string Daemon::endpoint() const { return parts_->sources.endpoint.Text(); }
std::string Daemon::web() const { return parts_->sources.web.Text(); }

}  // namespace catalogd::daemon
