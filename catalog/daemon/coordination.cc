#include "catalog/daemon/coordination.h"

#include <fmt/format.h>

#include <utility>

namespace catalogd::daemon {
namespace {

using coord::CoordCode;

constexpr int kThreads = 8;
constexpr size_t kMostQueued = 10000;
constexpr const char* kFile = "/coord.db";

// What is wrong with the file itself stays wrong until somebody does something.
CoordCode CodeOf(ErrorCode code) {
  const bool broken = code == ErrorCode::kCorrupt || code == ErrorCode::kUnsupported;
  return broken ? CoordCode::kTimelineCorrupt : CoordCode::kStoreFailed;
}

}  // namespace

Coordination::Coordination(const Parts& parts, const CoordinationOptions& options)
    : parts_(parts),
      workers_({.name = "coord", .threads = kThreads, .max_queue = kMostQueued}),
      publisher_(parts.core, parts.ddl, parts.metastore, parts.clock, &workers_),
      access_(parts.view, parts.metastore, parts.clock, options.access) {
  if (options.enabled) {
    Open(options.state_dir + kFile);
  } else {
    closed_ = CoordinationIsOff();
  }
  service_ = closed_ ? std::make_unique<CoordService>(*closed_)
                     : std::make_unique<CoordService>(coordinator_.get(), &access_, &workers_);
}

Coordination::~Coordination() {
  StopWaiting();
  Stop();
}

void Coordination::Open(const std::string& path) {
  auto store = coord::OpenSqliteCoordStore(path, {});
  if (!store) return Close({CodeOf(store.error().code), store.error().message, {}, {}}, path);
  auto content = (*store)->Load();
  if (!content) return Close({CodeOf(content.error().code), content.error().message, {}, {}}, path);
  writer_ = std::make_unique<coord::StoreWriter>(std::move(*store));
  coordinator_ = std::make_unique<coord::Coordinator>(writer_.get(), &publisher_, parts_.clock,
                                                      parts_.timer, &workers_);
  const Status started = coordinator_->tables.Start(std::move(*content));
  if (!started) Close({CodeOf(started.error().code), started.error().message, {}, {}}, path);
}

void Coordination::Close(coord::CoordFailure failure, const std::string& path) {
  if (coordinator_ != nullptr) coordinator_->Stop();
  failure.message =
      fmt::format("no table is coordinated, because {} cannot be used: {}", path, failure.message);
  warnings_.push_back(failure.message);
  closed_ = ErrorOf(failure);
}

void Coordination::RegisterOn(endpoint::Endpoint* endpoint) {
  // The service never blocks its caller: it answers at once or later. It judges its callers itself.
  endpoint->RegisterOwnService(
      service_->methods(),
      [this](const std::shared_ptr<server::Session>& session, std::string_view message,
             std::string*) {
        CoordCallerFacts caller{endpoint::Endpoint::CallerOf(session.get()), session->peer()};
        service_->Handle(message, std::move(caller),
                         [session](std::string reply) { session->Complete(std::move(reply)); });
        return server::Outcome::kDeferred;
      },
      nullptr, true);
}

void Coordination::Start() {
  if (closed_) return;
  coordinator_->Run();
  watch_ = std::make_unique<CoordWatch>(parts_.core, coordinator_.get(), &publisher_, &workers_);
  watch_->Start();
}

void Coordination::StopWaiting() {
  if (watch_ != nullptr) watch_->Stop();
  if (coordinator_ != nullptr && !closed_) coordinator_->Stop();
}

void Coordination::Stop() {
  if (stopped_) return;
  stopped_ = true;
  workers_.Shutdown();
  if (writer_ != nullptr) writer_->Stop();
}

}  // namespace catalogd::daemon
