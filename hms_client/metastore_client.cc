#include "hms_client/metastore_client.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "thrift/wire/scan.h"

namespace catalogd::hms {
namespace {

// Names that no metastore can hold: probes of what a server knows must not find anything.
constexpr std::string_view kNoSuchDatabase = "catalogd_probe_no_such_database";
constexpr std::string_view kNoSuchTable = "catalogd_probe_no_such_table";

constexpr int32_t kInsertOnlyTables = 2;  // ClientCapability.INSERT_ONLY_TABLES

constexpr const char* kNotificationAuthKey = "hive.metastore.event.db.notification.api.auth";

bool ContainsIgnoringCase(std::string_view text, std::string_view lower_part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  };
  return std::search(text.begin(), text.end(), lower_part.begin(), lower_part.end(), same) !=
         text.end();
}

std::string Context(const Method& method, const ObjectName& object) {
  return std::string(method.name) + " " + object.ToString();
}

Error For(Error error, const Method& method, const ObjectName& object) {
  return std::move(error).WithContext(Context(method, object));
}

template <class T>
Result<T> For(Result<T> result, const Method& method, const ObjectName& object) {
  if (result) return result;
  return AsError(For(std::move(result).error(), method, object));
}

std::optional<std::string> Copy(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  return std::string(*text);
}

Result<NotificationEvent> DecodeEvent(const wire::StructView& view) {
  const auto id = view.I64(1);
  const auto type = view.String(3);
  if (!id || !type) {
    return MakeError(ErrorCode::kCorrupt, "a notification has no id or no type");
  }
  NotificationEvent event;
  event.id = EventId(*id);
  event.time = view.I32(2).value_or(0);
  event.type = std::string(*type);
  event.db = Copy(view.String(4));
  event.table = Copy(view.String(5));
  event.message = std::string(view.String(6).value_or(""));
  event.format = Copy(view.String(7));
  event.catalog = Copy(view.String(8));
  return event;
}

}  // namespace

Result<Answer> MetastoreClient::Ask(const Method& method, const Args& args, TimePoint deadline) {
  const int32_t sequence_id = sequence_id_.fetch_add(1, std::memory_order_relaxed);
  const std::string message = wire::EncodeCall(method.name, sequence_id, args.Finish());
  auto reply = pool_->Call(message, {}, deadline);
  if (!reply && reply.error().code == ErrorCode::kUnknownOutcome) {
    // Only reads come here: asking again does no harm.
    reply = pool_->Call(message, {}, deadline);
  }
  if (!reply) return AsError(std::move(reply).error());
  return Answer::Decode(method, std::move(*reply));
}

Result<Answer> MetastoreClient::AskFresh(const Method& method, TimePoint deadline) {
  const int32_t sequence_id = sequence_id_.fetch_add(1, std::memory_order_relaxed);
  const std::string message = wire::EncodeCall(method.name, sequence_id, Args().Finish());
  ASSIGN_OR_RETURN(std::string reply, pool_->CallFresh(message, {}, deadline));
  return Answer::Decode(method, std::move(reply));
}

void MetastoreClient::NoteSeen(EventId id) {
  int64_t seen = newest_seen_.load();
  while (seen < id.value() && !newest_seen_.compare_exchange_weak(seen, id.value())) {
  }
}

Result<EventId> MetastoreClient::CurrentEventId(TimePoint deadline) {
  const Method& method = methods::kCurrentEventId;
  // What was seen before the question, an answer that is current cannot be below.
  const EventId seen(newest_seen_.load());
  ASSIGN_OR_RETURN(const Answer answer, Ask(method, {}, deadline));
  ASSIGN_OR_RETURN(EventId current, DecodeCurrentId(answer, deadline));
  if (current < seen) {
    ASSIGN_OR_RETURN(const Answer fresh, AskFresh(method, deadline));
    ASSIGN_OR_RETURN(current, DecodeCurrentId(fresh, deadline));
    // It did: the metastore was restored, say. Others may have seen it grow meanwhile.
    int64_t expected = seen.value();
    if (current < seen) newest_seen_.compare_exchange_strong(expected, current.value());
  }
  NoteSeen(current);
  return current;
}

Result<EventId> MetastoreClient::DecodeCurrentId(const Answer& answer, TimePoint deadline) {
  const Method& method = methods::kCurrentEventId;
  if (answer.thrown() != Thrown::kNothing) return AsError(NotificationError(answer, deadline));
  ASSIGN_OR_RETURN(const auto result, answer.StructValue());
  const auto id = result.I64(1);
  if (!id)
    return MakeError(ErrorCode::kCorrupt, std::string(method.name) + ": no id in the answer");
  return EventId(*id);
}

Result<std::vector<NotificationEvent>> MetastoreClient::NextEvents(EventId after, int max,
                                                                   TimePoint deadline) {
  Args request;
  request.I64(1, after.value());
  if (max > 0) request.I32(2, max);
  ASSIGN_OR_RETURN(const Answer answer,
                   Ask(methods::kNextNotification, Args().Struct(1, request), deadline));
  if (answer.thrown() != Thrown::kNothing) return AsError(NotificationError(answer, deadline));
  ASSIGN_OR_RETURN(const auto result, answer.StructValue());
  std::vector<NotificationEvent> events;
  const auto list = result.Find(1);
  if (!list || list->type != wire::TType::kList) return events;
  const wire::ListView rows(list->value);
  if (rows.size() > 0 && rows.element_type() != wire::TType::kStruct) {
    return MakeError(ErrorCode::kCorrupt, "get_next_notification: the list holds no structs");
  }
  for (const std::string_view row : rows.Elements()) {
    ASSIGN_OR_RETURN(NotificationEvent event, DecodeEvent(wire::StructView(row)));
    NoteSeen(event.id);
    events.push_back(std::move(event));
  }
  return events;
}

// The notification calls declare no exception, so whatever goes wrong in the server arrives as
// "Internal error processing <method>". Its settings tell whether a missing right is the cause.
Error MetastoreClient::NotificationError(const Answer& answer, TimePoint deadline) {
  Error error = std::move(answer.AsError()).WithContext("reading the notification log");
  if (!answer.IsInternalError()) return error;
  bool refused = ContainsIgnoringCase(answer.text(), "authorized") ||
                 ContainsIgnoringCase(answer.text(), "proxy");
  if (!refused) {
    const auto setting = ConfigValue(kNotificationAuthKey, "false", deadline);
    refused = setting && ContainsIgnoringCase(*setting, "true");
  }
  if (!refused) return error;
  error.code = ErrorCode::kPermission;
  error.message += std::string(
                       "; the metastore lets only proxy users read its log: make the user "
                       "of this daemon one (hadoop.proxyuser.<user>.hosts), or set ") +
                   kNotificationAuthKey + "=false in the metastore";
  return error;
}

Result<std::vector<std::string>> MetastoreClient::ListCatalogs(TimePoint deadline) {
  ASSIGN_OR_RETURN(const Answer answer, Ask(methods::kGetCatalogs, {}, deadline));
  // Before Hive 3 there is one catalog, and it has no name on the wire.
  if (answer.IsUnknownMethod()) return std::vector<std::string>{std::string(kDefaultCatalog)};
  auto result = answer.StructValue();
  if (!result) return AsError(std::move(result).error().WithContext("get_catalogs"));
  const auto names = result->Find(1);
  if (!names || names->type != wire::TType::kList) return std::vector<std::string>();
  return wire::ListView(names->value).Strings();
}

Result<std::vector<std::string>> MetastoreClient::ListDatabases(const std::string& catalog,
                                                                TimePoint deadline) {
  const bool is_default = catalog == kDefaultCatalog;
  const Method& method = is_default ? methods::kGetAllDatabases : methods::kGetDatabases;
  Args args;
  if (!is_default) {
    ASSIGN_OR_RETURN(const std::string argument, DatabaseArgumentFor(catalog, "", deadline));
    args.String(1, argument);
  }
  ASSIGN_OR_RETURN(const Answer answer, Ask(method, args, deadline));
  auto names = answer.Strings();
  if (!names) {
    return AsError(std::move(names).error().WithContext("listing databases of " + catalog));
  }
  return names;
}

Result<std::vector<std::string>> MetastoreClient::ListTables(const ObjectName& db,
                                                             TimePoint deadline) {
  ASSIGN_OR_RETURN(const std::string argument,
                   DatabaseArgumentFor(db.catalog(), db.db(), deadline));
  const Method& method = methods::kGetAllTables;
  ASSIGN_OR_RETURN(const Answer answer, Ask(method, Args().String(1, argument), deadline));
  return For(answer.Strings(), method, db);
}

Result<std::string> MetastoreClient::ReadDatabase(const ObjectName& db, TimePoint deadline) {
  ASSIGN_OR_RETURN(const std::string argument,
                   DatabaseArgumentFor(db.catalog(), db.db(), deadline));
  const Method& method = methods::kGetDatabase;
  ASSIGN_OR_RETURN(const Answer answer, Ask(method, Args().String(1, argument), deadline));
  ASSIGN_OR_RETURN(const auto database, For(answer.StructValue(), method, db));
  return std::string(database.bytes());
}

Result<std::string> MetastoreClient::ReadTable(const ObjectName& table, TimePoint deadline) {
  ASSIGN_OR_RETURN(const ServerFacts facts, KnownFacts(deadline));
  if (facts.has_get_table) {
    auto result = ReadTableOldStyle(table, deadline);
    if (result || result.error().code != ErrorCode::kUnsupported) return result;
    // Another server of the list answers now, of another version.
    RETURN_IF_ERROR(Facts(deadline));
  }
  return ReadTableByRequest(table, false, deadline);
}

Result<std::string> MetastoreClient::ReadTableOldStyle(const ObjectName& table,
                                                       TimePoint deadline) {
  ASSIGN_OR_RETURN(const std::string argument,
                   DatabaseArgumentFor(table.catalog(), table.db(), deadline));
  const Method& method = methods::kGetTable;
  ASSIGN_OR_RETURN(const Answer answer,
                   Ask(method, Args().String(1, argument).String(2, table.table()), deadline));
  // Insert-only tables are shown only to those who say that they know what it means.
  if (answer.thrown() == Thrown::kMeta && ContainsIgnoringCase(answer.text(), "insert-only")) {
    return ReadTableByRequest(table, true, deadline);
  }
  ASSIGN_OR_RETURN(const auto value, For(answer.StructValue(), method, table));
  return std::string(value.bytes());
}

Result<std::string> MetastoreClient::ReadTableByRequest(const ObjectName& table, bool insert_only,
                                                        TimePoint deadline) {
  Args request;
  request.String(1, table.db()).String(2, table.table());
  if (insert_only) request.Struct(3, Args().Enums(1, {kInsertOnlyTables}));
  if (table.catalog() != kDefaultCatalog) request.String(4, table.catalog());
  const Method& method = methods::kGetTableReq;
  ASSIGN_OR_RETURN(const Answer answer, Ask(method, Args().Struct(1, request), deadline));
  if (!insert_only && answer.thrown() == Thrown::kMeta &&
      ContainsIgnoringCase(answer.text(), "insert-only")) {
    return ReadTableByRequest(table, true, deadline);
  }
  ASSIGN_OR_RETURN(const auto result, For(answer.StructValue(), method, table));
  const auto value = result.Struct(1);
  if (!value) {
    return AsError(For({ErrorCode::kCorrupt, "no table in the answer"}, method, table));
  }
  return std::string(value->bytes());
}

Result<std::string> MetastoreClient::ConfigValue(const std::string& key,
                                                 const std::string& default_value,
                                                 TimePoint deadline) {
  const Method& method = methods::kGetConfigValue;
  ASSIGN_OR_RETURN(const Answer answer,
                   Ask(method, Args().String(1, key).String(2, default_value), deadline));
  auto value = answer.StringValue();
  if (value) return value;
  return AsError(std::move(value).error().WithContext(std::string(method.name) + " " + key));
}

Result<std::string> MetastoreClient::Forward(std::string_view message, const Identity& identity,
                                             TimePoint deadline) {
  ASSIGN_OR_RETURN(const auto header, wire::ParseMessageHeader(message));
  Identity client = identity;
  client.of_client = true;
  if (header.type == wire::MessageType::kOneway) {
    RETURN_IF_ERROR(pool_->Send(message, client, deadline));
    return std::string();
  }
  return pool_->Call(message, client, deadline);
}

Result<ServerFacts> MetastoreClient::KnownFacts(TimePoint deadline) {
  {
    const MutexLock lock(mutex_);
    if (facts_) return *facts_;
  }
  return Facts(deadline);
}

Result<ServerFacts> MetastoreClient::Facts(TimePoint deadline) {
  ServerFacts facts;
  ASSIGN_OR_RETURN(const Answer version, Ask(methods::kGetVersion, {}, deadline));
  if (auto text = version.StringValue()) facts.version = *text;
  ASSIGN_OR_RETURN(const Answer uuid, Ask(methods::kGetDbUuid, {}, deadline));
  if (auto text = uuid.StringValue()) facts.uuid = *text;
  ASSIGN_OR_RETURN(facts.generation,
                   ProbeGeneration(facts.version, !uuid.IsUnknownMethod(), deadline));
  ASSIGN_OR_RETURN(facts.has_get_table,
                   Knows(methods::kGetTable,
                         Args().String(1, kNoSuchDatabase).String(2, kNoSuchTable), deadline));
  const MutexLock lock(mutex_);
  facts_ = facts;
  return facts;
}

// getVersion says "3.0" in Hive 2.3 and 3.1 and the truth from Hive 4 on; builds of distributors
// say what they like, so they are told by a method that came with Hive 4.
Result<Generation> MetastoreClient::ProbeGeneration(const std::string& version, bool has_uuid,
                                                    TimePoint deadline) {
  if (!has_uuid) return Generation::kHive2;
  if (version == "3.0") return Generation::kHive3;
  if (version.starts_with("4.")) return Generation::kHive4;
  ASSIGN_OR_RETURN(const bool hive4,
                   Knows(methods::kGetDatabaseReq,
                         Args().Struct(1, Args().String(1, kNoSuchDatabase)), deadline));
  return hive4 ? Generation::kHive4 : Generation::kHive3;
}

Result<bool> MetastoreClient::Knows(const Method& method, const Args& args, TimePoint deadline) {
  ASSIGN_OR_RETURN(const Answer answer, Ask(method, args, deadline));
  return !answer.IsUnknownMethod();
}

Result<std::string> MetastoreClient::DatabaseArgumentFor(const std::string& catalog,
                                                         const std::string& db,
                                                         TimePoint deadline) {
  if (catalog.empty() || catalog == kDefaultCatalog) return db;
  ASSIGN_OR_RETURN(const ServerFacts facts, KnownFacts(deadline));
  if (facts.generation == Generation::kHive2) {
    return MakeError(ErrorCode::kNotFound, "catalog " + catalog +
                                               " does not exist: a metastore before Hive 3 has no "
                                               "catalogs");
  }
  return "@" + catalog + "#" + db;
}

}  // namespace catalogd::hms
