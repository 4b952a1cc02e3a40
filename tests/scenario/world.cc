#include "tests/scenario/world.h"

#include <glog/logging.h>

#include <utility>

namespace catalogd::scenario {

World::World() {
  options.poll_interval = std::chrono::hours(1);
  options.ddl_lock_timeout = std::chrono::seconds(60);
  options.reconcile.objects_per_second = 1000;
  options.reconcile.period = std::chrono::seconds(20);
}

World::~World() { Close(); }

void World::Open() {
  executor_ = std::make_unique<testing::ManualExecutor>();
  timer_ = std::make_unique<testing::ManualTimer>(&clock);
  auto store = sync::StateStore::Open(directory_.path());
  CHECK(store) << store.error().message;
  store_ = std::move(*store);
  core = std::make_unique<sync::SyncCore>(
      &metastore, store_.get(), &clock, timer_.get(), options,
      sync::SyncExecutors{executor_.get(), executor_.get(), executor_.get()});
  ddl_ = std::make_unique<ddl::DdlExecutor>(core.get());
  view_ = std::make_unique<endpoint::SyncCatalogView>(core.get(), ddl_.get());
  endpoint_ = std::make_unique<endpoint::Endpoint>(
      endpoint::EndpointParts{view_.get(), &metastore, nullptr, executor_.get(), &clock},
      endpoint::EndpointOptions());
}

void World::Close() {
  if (core == nullptr) return;
  Drain();
  core->Stop();
  Drain();
  sessions.clear();
  endpoint_.reset();
  view_.reset();
  ddl_.reset();
  core.reset();
  timer_.reset();
  executor_.reset();
  store_.reset();
}

void World::Drain() {
  while (executor_->RunAll() + timer_->RunDue() > 0) {
  }
}

Status World::Poll() {
  const Status polled = core->processor().RunOnce();
  Drain();
  return polled;
}

Status World::Step(int64_t count) {
  metastore.ShowUpTo(EventId(core->log().fetched_to().value() + count));
  const Status polled = Poll();
  metastore.ShowUpTo(std::nullopt);
  return polled;
}

void World::Supervise() {
  core->SuperviseOnce();
  Drain();
}

void World::Advance(Duration by) {
  Drain();
  timer_->AdvanceAndRun(by);
  Drain();
}

void World::Send(const std::string& name, ClientCall call) {
  std::shared_ptr<ClientSession>& session = sessions[name];
  if (session == nullptr) {
    session = std::make_shared<ClientSession>(name);
    endpoint_->OnOpen(*session);
  }
  session->open = std::move(call);
  session->answer.reset();
  std::string reply;
  const auto outcome = endpoint_->OnMessage(session, session->open->message, &reply);
  if (outcome != server::Outcome::kDeferred) session->answer = std::move(reply);
  Drain();
}

void World::Mention(const ObjectName& name) {
  if (name.db().empty()) return;
  names_.insert(name.DatabaseName());
  names_.insert(name);
}

}  // namespace catalogd::scenario
