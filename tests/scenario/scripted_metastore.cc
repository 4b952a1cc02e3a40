#include "tests/scenario/scripted_metastore.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "tests/scenario/methods.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

namespace catalogd::scenario {
namespace {

std::unique_ptr<hms::EmbeddedMetastore> OpenInMemory(const Clock& clock) {
  hms::EmbeddedOptions options;
  options.path = ":memory:";
  options.warehouse = "file:/warehouse";
  options.manage_directories = false;
  options.full_sync = false;
  options.check_integrity = false;
  auto opened = hms::EmbeddedMetastore::Open(options, clock);
  CHECK(opened) << opened.error().message;
  return std::move(*opened);
}

}  // namespace

ScriptedMetastore::ScriptedMetastore(const Clock& clock)
    : clock_(clock),
      embedded_(OpenInMemory(clock)),
      pool_(embedded_.get(), clock, {}),
      client_(&pool_),
      direct_(std::move(*embedded_->Open(hms::Identity(), TimePoint::max()))) {
  // The metastore makes its default database at start, with or without an event.
  collected_ = *client_.CurrentEventId(TimePoint::max());
}

std::string ScriptedMetastore::CallDirectly(std::string_view message, bool silently) {
  const auto reply = direct_->Call(message, TimePoint::max());
  CHECK(reply) << reply.error().message;
  Collect(silently);
  return *reply;
}

void ScriptedMetastore::Collect(bool silently) {
  const auto rows = client_.NextEvents(collected_, 0, TimePoint::max());
  CHECK(rows) << rows.error().message;
  for (const Row& row : *rows) {
    collected_ = row.id;
    if (!silently) Append(row);
  }
}

void ScriptedMetastore::Append(Row row) {
  row.id = EventId();
  if (!bends_.empty()) {
    const auto bend = std::move(bends_.front());
    bends_.pop_front();
    bend(&row);
  }
  if (row.id == EventId()) {
    row.id = log_.Append(row);
  } else {
    log_.Insert(row);
  }
  new_rows_.push_back(row);
}

std::vector<ScriptedMetastore::Row> ScriptedMetastore::TakeNewRows() {
  return std::exchange(new_rows_, {});
}

std::map<std::string, int> ScriptedMetastore::TakeCalls() { return std::exchange(calls_, {}); }

void ScriptedMetastore::RunHook(const std::string& call, When when) {
  const auto it = std::find_if(hooks_.begin(), hooks_.end(), [&](const Hook& hook) {
    return hook.call == call && hook.when == when;
  });
  if (it == hooks_.end()) return;
  const auto run = std::move(it->run);
  hooks_.erase(it);
  run();
}

Status ScriptedMetastore::FaultOf(const std::string& call, When when) {
  const auto it = std::find_if(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return fault.call == call && fault.when == when && !fault.as_answer;
  });
  if (it == faults_.end()) return Ok();
  Error error = it->error;
  if (--it->times <= 0) faults_.erase(it);
  return AsError(std::move(error));
}

Status ScriptedMetastore::Enter(const std::string& call) {
  AssertNoMutexHeld("scripted metastore call");
  ++calls_[call];
  RunHook(call, When::kBefore);
  if (down_) return MakeError(ErrorCode::kUnavailable, "connection refused");
  return FaultOf(call, When::kBefore);
}

Status ScriptedMetastore::Leave(const std::string& call) {
  RunHook(call, When::kAfter);
  return FaultOf(call, When::kAfter);
}

template <class T>
Result<T> ScriptedMetastore::Guarded(const std::string& call,
                                     const std::function<Result<T>()>& work) {
  RETURN_IF_ERROR(Enter(call));
  Result<T> result = work();
  RETURN_IF_ERROR(Leave(call));
  return result;
}

Result<EventId> ScriptedMetastore::CurrentEventId(TimePoint) {
  return Guarded<EventId>("get_current_notificationEventId", [&] {
    return shown_to_ ? std::min(*shown_to_, log_.current_id()) : log_.current_id();
  });
}

Result<std::vector<ScriptedMetastore::Row>> ScriptedMetastore::NextEvents(EventId after, int max,
                                                                          TimePoint) {
  return Guarded<std::vector<Row>>("get_next_notification", [&] {
    std::vector<Row> rows = log_.Next(after, max);
    std::erase_if(rows, [&](const Row& row) { return shown_to_ && row.id > *shown_to_; });
    if (reversed_ && !rows.empty() && rows.back().id >= *reversed_) {
      std::reverse(rows.begin(), rows.end());
      reversed_.reset();
    }
    return rows;
  });
}

Result<std::vector<std::string>> ScriptedMetastore::ListCatalogs(TimePoint deadline) {
  return Guarded<std::vector<std::string>>("get_catalogs",
                                           [&] { return client_.ListCatalogs(deadline); });
}

Result<std::vector<std::string>> ScriptedMetastore::ListDatabases(const std::string& catalog,
                                                                  TimePoint deadline) {
  auto names = Guarded<std::vector<std::string>>(
      "get_all_databases", [&] { return client_.ListDatabases(catalog, deadline); });
  if (names) {
    std::erase_if(*names, [&](const std::string& db) {
      return hidden_.contains(ObjectName::Database(catalog, db));
    });
  }
  return names;
}

Result<std::vector<std::string>> ScriptedMetastore::ListTables(const ObjectName& db,
                                                               TimePoint deadline) {
  return Guarded<std::vector<std::string>>("get_all_tables",
                                           [&] { return client_.ListTables(db, deadline); });
}

Result<std::string> ScriptedMetastore::ReadDatabase(const ObjectName& db, TimePoint deadline) {
  return Guarded<std::string>("get_database", [&]() -> Result<std::string> {
    if (hidden_.contains(db)) return MakeError(ErrorCode::kNotFound, db.ToString());
    return client_.ReadDatabase(db, deadline);
  });
}

Result<std::string> ScriptedMetastore::ReadTable(const ObjectName& table, TimePoint deadline) {
  return Guarded<std::string>("get_table", [&]() -> Result<std::string> {
    if (hidden_.contains(table.DatabaseName())) {
      return MakeError(ErrorCode::kNotFound, table.ToString());
    }
    return client_.ReadTable(table, deadline);
  });
}

Result<std::vector<std::string>> ScriptedMetastore::ReadPartitions(const ObjectName& table,
                                                                   TimePoint deadline) {
  return Guarded<std::vector<std::string>>("get_partitions",
                                           [&] { return client_.ReadPartitions(table, deadline); });
}

Result<std::vector<std::string>> ScriptedMetastore::ReadPartitionsByNames(
    const ObjectName& table, const std::vector<std::string>& names, TimePoint deadline) {
  return Guarded<std::vector<std::string>>("get_partitions_by_names", [&] {
    return client_.ReadPartitionsByNames(table, names, deadline);
  });
}

Result<std::string> ScriptedMetastore::ConfigValue(const std::string& key,
                                                   const std::string& default_value,
                                                   TimePoint deadline) {
  return Guarded<std::string>("get_config_value", [&]() -> Result<std::string> {
    const auto it = config_.find(key);
    if (it != config_.end()) return it->second;
    return client_.ConfigValue(key, default_value, deadline);
  });
}

Result<hms::ServerFacts> ScriptedMetastore::Facts(TimePoint deadline) {
  return Guarded<hms::ServerFacts>("getVersion", [&]() -> Result<hms::ServerFacts> {
    auto facts = client_.Facts(deadline);
    if (!facts) return facts;
    if (generation_) facts->generation = *generation_;
    if (facts->generation == hms::Generation::kHive2) facts->uuid.reset();
    if (!uuid_.empty()) facts->uuid = uuid_;
    return facts;
  });
}

// An error answer of the metastore, as the method declares it.
Result<std::string> ScriptedMetastore::Exception(std::string_view message, const Error& error) {
  const auto header = wire::ParseMessageHeader(message);
  CHECK(header) << header.error().message;
  return wire::EncodeExceptionReply(header->method, header->sequence_id,
                                    MetaExceptionField(header->method), error.message);
}

Result<std::string> ScriptedMetastore::Forward(std::string_view message,
                                               const hms::Identity& identity, TimePoint deadline) {
  const auto header = wire::ParseMessageHeader(message);
  CHECK(header) << header.error().message;
  const std::string call = "client " + std::string(header->method);
  forwarded_.insert(header->sequence_id);
  RETURN_IF_ERROR(Enter(call));
  const auto fault = std::find_if(faults_.begin(), faults_.end(), [&](const Fault& candidate) {
    return candidate.call == call && candidate.as_answer;
  });
  if (fault != faults_.end()) {
    const Fault found = *fault;
    faults_.erase(fault);
    if (found.when == When::kAfter) {
      const auto done = client_.Forward(message, identity, deadline);
      CHECK(done) << done.error().message;
      Collect(false);
    }
    return Exception(message, found.error);
  }
  auto reply = client_.Forward(message, identity, deadline);
  Collect(false);
  RETURN_IF_ERROR(Leave(call));
  return reply;
}

}  // namespace catalogd::scenario
