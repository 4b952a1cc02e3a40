#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hms_client/channel_pool.h"
#include "hms_client/embedded/embedded_metastore.h"
#include "hms_client/metastore_client.h"
#include "tests/support/fake_log.h"

namespace catalogd::scenario {

// A metastore whose objects and messages are those of the embedded one, and whose log, answers and
// failures a script may bend: every row that the embedded metastore writes is copied, bent if the
// script wants it, into the log that is served.
//
// Calls are named by their Thrift methods; a client's own call that comes through Forward is
// "client METHOD".
// Thread safety: none; everything runs on the thread of the script.
class ScriptedMetastore final : public hms::Metastore {
 public:
  using Row = hms::NotificationEvent;
  enum class When { kBefore, kAfter };
  struct Fault {
    std::string call;
    When when = When::kBefore;  // kAfter: it takes effect, then the answer gets lost.
    Error error;
    // When set: the metastore answers a client's call with this MetaException.
    bool as_answer = false;
    int times = 1;
  };
  struct Hook {
    std::string call;
    When when = When::kBefore;
    std::function<void()> run;
  };

  explicit ScriptedMetastore(const Clock& clock);

  // A message of a client that talks to the metastore itself. `silently`: without a trace in the
  // log.
  std::string CallDirectly(std::string_view message, bool silently);

  // Changes the next row that is written, whoever writes it.
  void BendNext(std::function<void(Row*)> bend) { bends_.push_back(std::move(bend)); }
  void Append(Row row);
  testing::FakeLog& log() { return log_; }
  // Rows written since the last call of this.
  std::vector<Row> TakeNewRows();

  void AddFault(Fault fault) { faults_.push_back(std::move(fault)); }
  void AddHook(Hook hook) { hooks_.push_back(std::move(hook)); }
  // Every call fails until it is up again.
  void SetDown(bool down) { down_ = down; }
  void SetGeneration(hms::Generation generation) { generation_ = generation; }
  void SetUuid(const std::string& uuid) { uuid_ = uuid; }
  void SetConfig(const std::string& key, const std::string& value) { config_[key] = value; }
  // Rows above that id are not there yet; absent: all are.
  void ShowUpTo(std::optional<EventId> id) { shown_to_ = id; }
  // The next reply that has this row comes in reverse order.
  void ReverseReplyWith(EventId id) { reversed_ = id; }
  // Not visible to the daemon's service user.
  void Hide(const ObjectName& db) { hidden_.insert(db); }

  // Calls since the last call of this, by name.
  std::map<std::string, int> TakeCalls();
  // Was a client's message with this sequence id forwarded?
  [[nodiscard]] bool Forwarded(int32_t sequence_id) const {
    return forwarded_.contains(sequence_id);
  }
  // The embedded metastore itself: the truth.
  hms::Metastore& truth() { return client_; }

  Result<EventId> CurrentEventId(TimePoint deadline) override;
  Result<std::vector<Row>> NextEvents(EventId after, int max, TimePoint deadline) override;
  Result<std::vector<std::string>> ListCatalogs(TimePoint deadline) override;
  Result<std::vector<std::string>> ListDatabases(const std::string& catalog,
                                                 TimePoint deadline) override;
  Result<std::vector<std::string>> ListTables(const ObjectName& db, TimePoint deadline) override;
  Result<std::string> ReadDatabase(const ObjectName& db, TimePoint deadline) override;
  Result<std::string> ReadTable(const ObjectName& table, TimePoint deadline) override;
  Result<std::vector<std::string>> ReadPartitions(const ObjectName& table,
                                                  TimePoint deadline) override;
  Result<std::vector<std::string>> ReadPartitionsByNames(const ObjectName& table,
                                                         const std::vector<std::string>& names,
                                                         TimePoint deadline) override;
  Result<std::string> ConfigValue(const std::string& key, const std::string& default_value,
                                  TimePoint deadline) override;
  Result<hms::ServerFacts> Facts(TimePoint deadline) override;
  Result<std::string> Forward(std::string_view message, const hms::Identity& identity,
                              TimePoint deadline) override;

 private:
  template <class T>
  Result<T> Guarded(const std::string& call, const std::function<Result<T>()>& work);
  Status Enter(const std::string& call);
  Status Leave(const std::string& call);
  Status FaultOf(const std::string& call, When when);
  void RunHook(const std::string& call, When when);
  Result<std::string> Exception(std::string_view message, const Error& error);
  void Collect(bool silently);

  const Clock& clock_;
  std::unique_ptr<hms::EmbeddedMetastore> embedded_;
  hms::ChannelPool pool_;
  hms::MetastoreClient client_;
  std::unique_ptr<hms::Channel> direct_;
  testing::FakeLog log_;
  EventId collected_;  // Of the embedded metastore's log.
  std::vector<Row> new_rows_;
  std::deque<std::function<void(Row*)>> bends_;
  std::deque<Fault> faults_;
  std::deque<Hook> hooks_;
  bool down_ = false;
  std::optional<EventId> shown_to_;
  std::optional<EventId> reversed_;
  std::optional<hms::Generation> generation_;
  std::string uuid_;
  std::map<std::string, std::string> config_;
  std::set<ObjectName> hidden_;
  std::map<std::string, int> calls_;
  std::set<int32_t> forwarded_;
};

}  // namespace catalogd::scenario
