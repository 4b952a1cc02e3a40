#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catalog/endpoint/endpoint.h"
#include "tests/support/fake_metastore.h"
#include "tests/support/fake_time.h"
#include "tests/support/objects.h"
#include "tests/unit/endpoint/fake_connector.h"
#include "tests/unit/endpoint/messages.h"
#include "thrift/wire/write.h"

namespace catalogd::testing {

// What the endpoint sees of the core, said by the test. Waits and questions stay open until the
// test answers them.
class FakeView final : public endpoint::CatalogView {
 public:
  struct OpenWait {
    std::vector<ObjectName> names;
    EventId target;
    TimePoint deadline;
    std::function<void(Status)> done;
  };

  bool Serves(const ObjectName& name) const override {
    return serves && !not_served.contains(name);
  }
  sync::ReadPosition Look(const ObjectName& name) const override {
    sync::ReadPosition at;
    const auto it = slots.find(name);
    if (it != slots.end()) at.view = it->second;
    at.effective = std::max(watermark, at.view.synced);
    return at;
  }
  sync::ReadPosition LookAtLeast(const ObjectName& name, EventId floor) const override {
    sync::ReadPosition at = Look(name);
    if (nothing_pending.contains(name)) at.effective = std::max(at.effective, floor);
    return at;
  }
  EventId FloorOf(const ObjectName& name) const override {
    const auto it = floors.find(name);
    return it == floors.end() ? EventId() : it->second;
  }
  EventId Watermark() const override { return watermark; }
  LogEpoch Epoch() const override { return epoch; }
  cache::CatalogCache::Listing Databases(const std::string& catalog) const override {
    const auto it = databases.find(catalog);
    return it == databases.end() ? cache::CatalogCache::Listing{} : it->second;
  }
  cache::CatalogCache::Listing Tables(const ObjectName& db) const override {
    const auto it = tables.find(db);
    return it == tables.end() ? cache::CatalogCache::Listing{} : it->second;
  }
  bool ListsAreExact() const override { return lists_exact; }
  hms::Generation Generation() const override { return generation; }
  bool HasGetTable() const override { return has_get_table; }
  bool ReadsPerUser() const override { return reads_per_user; }
  bool CachesAggregates() const override { return caches_aggregates; }
  LogEnd NewestLogEnd() const override { return log_end; }
  void AskCurrentId(std::function<void(Result<EventId>)> done) override {
    questions.push_back(std::move(done));
  }
  void Wait(std::vector<ObjectName> names, EventId target, TimePoint deadline,
            std::function<void(Status)> done) override {
    waits.push_back({std::move(names), target, deadline, std::move(done)});
  }
  bool IsHeldUp(const std::vector<ObjectName>& names, EventId, Duration least) const override {
    return held_up && held_up->second >= least && (names.empty() || names[0] == held_up->first);
  }
  sync::SideAnswers& side_answers() override { return side; }
  EventId FetchedTo() const override { return fetched_to; }
  void RequestLoad(const ObjectName& name) override { loads.push_back(name); }
  void RaiseFloors(const std::vector<ObjectName>& names, std::optional<EventId> floor) override {
    for (const ObjectName& name : names) floors[name] = floor.value_or(sync::Floors::kNever);
  }
  void Write(ddl::DdlRequest request, ddl::DdlExecutor::Done done) override {
    if (refuse_write) {
      refuse_write(done);
      return;
    }
    writes.emplace_back(std::move(request), std::move(done));
  }

  void Answer(Result<EventId> current) {
    ASSERT_FALSE(questions.empty()) << "nobody has asked for the current id";
    auto done = std::move(questions.front());
    questions.pop_front();
    done(std::move(current));
  }
  void EndWait(Status status) {
    ASSERT_FALSE(waits.empty()) << "nobody waits";
    OpenWait wait = std::move(waits.front());
    waits.pop_front();
    wait.done(std::move(status));
  }

  void PutTable(const TestTable& table, int64_t synced, cache::PartitionSet::Ptr partitions) {
    cache::SlotView slot;
    slot.state = cache::SlotState::kPresent;
    slot.synced = EventId(synced);
    slot.snapshot = cache::MakeTableSnapshot(TableBytes(table), std::move(partitions));
    slots[table.object()] = slot;
  }
  void PutDatabase(const ObjectName& db, const std::string& bytes, int64_t synced) {
    cache::SlotView slot;
    slot.state = cache::SlotState::kPresent;
    slot.synced = EventId(synced);
    slot.snapshot = cache::MakeDatabaseSnapshot(bytes);
    slots[db] = slot;
  }
  void PutState(const ObjectName& name, cache::SlotState state, int64_t synced) {
    cache::SlotView slot;
    slot.state = state;
    slot.synced = EventId(synced);
    slots[name] = slot;
  }

  FakeClock clock;
  // Its events stand behind somebody's lock, for so long by now.
  std::optional<std::pair<ObjectName, Duration>> held_up;
  sync::SideAnswers side{{}, &clock, [this] { return log_end.began; }};
  bool serves = true, lists_exact = true, has_get_table = true, caches_aggregates = false,
       reads_per_user = false;
  hms::Generation generation = hms::Generation::kHive4;
  LogEpoch epoch{1};
  EventId watermark{100};
  EventId fetched_to{100};
  LogEnd log_end;
  std::set<ObjectName> not_served;
  std::set<ObjectName> nothing_pending;  // As the log shows.
  std::map<ObjectName, cache::SlotView> slots;
  std::map<ObjectName, EventId> floors;
  std::map<std::string, cache::CatalogCache::Listing> databases;
  std::map<ObjectName, cache::CatalogCache::Listing> tables;
  std::deque<std::function<void(Result<EventId>)>> questions;
  std::deque<OpenWait> waits;
  std::vector<ObjectName> loads;
  std::deque<std::pair<ddl::DdlRequest, ddl::DdlExecutor::Done>> writes;
  std::function<void(const ddl::DdlExecutor::Done&)> refuse_write;  // When set, of all.
};

// A client connection that only remembers.
class FakeSession final : public server::Session {
 public:
  uint64_t id() const override { return id_; }
  const std::string& peer() const override { return peer_; }
  void Complete(std::string reply) override { completed.push_back(std::move(reply)); }
  void Close() override { closed = true; }
  void NoticeHangUp() override { hang_up_counts = true; }
  void SetPeer(const std::string& peer) { peer_ = peer; }

  std::vector<std::string> completed;
  bool closed = false;
  bool hang_up_counts = false;

 private:
  static uint64_t NextId() {
    static std::atomic<uint64_t> next{1};
    return next.fetch_add(1);
  }

  const uint64_t id_ = NextId();
  std::string peer_ = "127.0.0.1:51234";
};

// The endpoint on one thread, with everything around it in the test's hands.
class EndpointRig {
 public:
  explicit EndpointRig(size_t max_queue = 100, const endpoint::EndpointOptions& options = {})
      : clock(view.clock),
        workers(max_queue),
        endpoint({&view, &metastore, &connector, &workers, &clock}, options),
        session(std::make_shared<FakeSession>()) {
    metastore.OnForward([this](std::string_view message, const hms::Identity& identity) {
      forwarded.emplace_back(message);
      identities.push_back(identity);
      return forward_answer ? forward_answer(message) : VoidReply(message);
    });
    connector.log.answer = [](std::string_view message) { return *VoidReply(message); };
    endpoint.OnOpen(*session);
  }

  static Result<std::string> VoidReply(std::string_view message) {
    const auto header = wire::ParseMessageHeader(message);
    return wire::EncodeVoidReply(header->method, header->sequence_id);
  }

  // What the client gets, once workers have done what they can do; empty while it is not answered.
  std::string Send(const std::string& message) {
    std::string reply;
    session->completed.clear();
    outcome = endpoint.OnMessage(session, message, &reply);
    if (outcome != server::Outcome::kDeferred) return reply;
    workers.RunAll();
    return TakeCompleted();
  }
  std::string TakeCompleted() {
    workers.RunAll();
    if (session->completed.empty()) return "";
    EXPECT_EQ(session->completed.size(), 1U) << "answered twice";
    std::string reply = std::move(session->completed.front());
    session->completed.clear();
    return reply;
  }
  endpoint::EndpointCounters::Snapshot counters() const { return endpoint.counters().Read(); }

  FakeView view;
  FakeClock& clock;
  FakeMetastore metastore;
  FakeConnector connector;
  ManualExecutor workers;
  std::vector<std::string> forwarded;
  std::vector<hms::Identity> identities;
  std::function<Result<std::string>(std::string_view)> forward_answer;
  endpoint::Endpoint endpoint;
  std::shared_ptr<FakeSession> session;
  server::Outcome outcome = server::Outcome::kNoReply;
};

}  // namespace catalogd::testing
