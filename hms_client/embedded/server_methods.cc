#include "hms_client/embedded/handler.h"

#include <utility>

#include "hms_client/embedded/handler_errors.h"
#include "hms_client/embedded/method_arguments.h"
#include "hms_client/embedded/reported_events.h"
#include "hms_client/embedded/server_config.h"

namespace catalogd::hms {

namespace {

// The line of Hive whose protocol and messages these are.
constexpr const char* kEmbeddedVersion = "4.1.0";

}  // namespace

void ServerMethods::add_write_notification_log(api::WriteNotificationLogResponse& /*answer*/,
                                               const api::WriteNotificationLogRequest& request) {
  Unwrap<>("add_write_notification_log",
           ops::ReportWrites(store(), TableName(request.db, request.table), {request}));
}

void ServerMethods::add_write_notification_log_in_batch(
    api::WriteNotificationLogBatchResponse& /*answer*/,
    const api::WriteNotificationLogBatchRequest& request) {
  Unwrap<>("add_write_notification_log_in_batch",
           ops::ReportWrites(store(), TableName(request.catalog, request.db, request.table),
                             request.requestList));
}

void ServerMethods::fire_listener_event(api::FireEventResponse& answer,
                                        const api::FireEventRequest& request) {
  if (!request.successful) return;
  answer.__set_eventIds(Unwrap<>("fire_listener_event", ops::ReportEvents(store(), request)));
}

void ServerMethods::flushCache() {
  // Nothing is cached here.
}

void ServerMethods::getMetaConf(std::string& answer, const std::string& key) {
  answer = Unwrap<api::MetaException>("getMetaConf", MetaConf(connection().meta_conf, key));
}

void ServerMethods::get_all_materialized_view_objects_for_rewriting(
    std::vector<api::Table>& answer) {
  answer.clear();
}

void ServerMethods::get_config_value(std::string& answer, const std::string& name,
                                     const std::string& default_value) {
  answer = Unwrap<api::ConfigValSecurityException>(
      "get_config_value", ConfigValue(name, default_value, store().warehouse().root()));
}

void ServerMethods::get_current_notificationEventId(api::CurrentNotificationEventId& answer) {
  answer.eventId = Unwrap<>("get_current_notificationEventId",
                            store().Read([](Rows& rows) { return CurrentEventId(rows.db()); }));
}

void ServerMethods::get_materialized_views_for_rewriting(Strings& answer,
                                                         const std::string& /*db_name*/) {
  answer.clear();
}

void ServerMethods::get_metastore_db_uuid(std::string& answer) {
  answer = Unwrap<api::MetaException>("get_metastore_db_uuid",
                                      store().Read([](Rows& rows) { return rows.Fact("uuid"); }));
}

void ServerMethods::get_next_notification(api::NotificationEventResponse& answer,
                                          const api::NotificationEventRequest& request) {
  answer.events =
      Unwrap<>("get_next_notification",
               store().Read([&](Rows& rows) { return ReadEvents(rows.db(), request); }));
}

void ServerMethods::get_notification_events_count(
    api::NotificationEventsCountResponse& answer,
    const api::NotificationEventsCountRequest& request) {
  answer.eventsCount =
      Unwrap<>("get_notification_events_count",
               store().Read([&](Rows& rows) { return CountEvents(rows.db(), request); }));
}

void ServerMethods::setMetaConf(const std::string& key, const std::string& value) {
  Unwrap<api::MetaException>("setMetaConf", SetMetaConf(&connection().meta_conf, key, value));
}

void ServerMethods::set_ugi(Strings& answer, const std::string& user_name,
                            const Strings& group_names) {
  if (connection().user) {
    // As an insecure metastore does: the first one stands, and the connection ends unanswered.
    connection().close_requested = true;
    return;
  }
  connection().user = user_name;
  connection().groups = group_names;
  answer = group_names;
  answer.push_back(user_name);
}

int64_t ServerMethods::aliveSince() { return store().started(); }

int64_t ServerMethods::getCounter(const std::string& /*key*/) { return 0; }

void ServerMethods::getCounters(std::map<std::string, int64_t>& answer) { answer.clear(); }

void ServerMethods::getCpuProfile(std::string& answer, int32_t /*profile_duration_in_sec*/) {
  answer.clear();
}

void ServerMethods::getName(std::string& answer) { answer = "catalogd embedded metastore"; }

void ServerMethods::getOption(std::string& answer, const std::string& /*key*/) { answer.clear(); }

void ServerMethods::getOptions(Properties& answer) { answer.clear(); }

fb303::fb_status::type ServerMethods::getStatus() { return fb303::fb_status::ALIVE; }

void ServerMethods::getStatusDetails(std::string& answer) { answer.clear(); }

void ServerMethods::getVersion(std::string& answer) { answer = kEmbeddedVersion; }

void ServerMethods::reinitialize() {
  // Nothing to read again.
}

void ServerMethods::setOption(const std::string& /*key*/, const std::string& /*value*/) {
  // There are none.
}

void ServerMethods::shutdown() {
  // Clients say this on every close; it ends their connection, never the metastore.
  connection().close_requested = true;
}

}  // namespace catalogd::hms
