#include "tools/catalogctl/commands.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "catalog/api/api_json.h"
#include "catalogd_idl/Catalogd.h"
#include "tools/catalogctl/follow.h"
#include "tools/catalogctl/text.h"

namespace catalogd::ctl {
namespace {

nlohmann::json Json(const std::vector<api::EventInfo>& list) { return api::ListToJson(list); }
nlohmann::json Json(const std::vector<api::LockInfo>& list) { return api::ListToJson(list); }
nlohmann::json Json(const std::vector<api::ConfigEntry>& list) { return api::ListToJson(list); }
template <class T>
nlohmann::json Json(const T& value) {
  return api::ToJson(value);
}

template <class T>
Output Show(const T& value, const CommandOptions& options) {
  Output output;
  output.text = options.json ? api::DumpJson(Json(value)) + "\n" : Text(value);
  return output;
}

// One call whose answer is shown as it is.
template <class T, class F>
Result<Output> CallAndShow(DaemonClient* client, const CommandOptions& options, F&& call) {
  T answer;
  RETURN_IF_ERROR(client->Call([&](api::CatalogdClient& daemon) { call(daemon, answer); }));
  return Show(answer, options);
}

}  // namespace

std::string ErrorText(const Error& error, bool json) {
  if (!json) return "catalogctl: " + error.message + "\n";
  const nlohmann::json text = {
      {"error", {{"code", ErrorCodeName(error.code)}, {"message", error.message}}}};
  return text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<Output> RunStatus(DaemonClient* client, const CommandOptions& options) {
  return CallAndShow<api::DaemonStatus>(
      client, options, [](auto& daemon, auto& answer) { daemon.catalogd_status(answer); });
}

Result<Output> RunGet(DaemonClient* client, const CommandOptions& options) {
  // The kind of object may be said first.
  const bool kind_given = options.names.size() == 2;
  if (kind_given && options.names[0] != "table" && options.names[0] != "database") {
    return MakeError(ErrorCode::kInvalidArgument,
                     "'" + options.names[0] + "' is no kind of object: say table or database");
  }
  return CallAndShow<api::ObjectInfo>(client, options, [&](auto& daemon, auto& answer) {
    daemon.catalogd_get(answer, options.names.back());
  });
}

Result<Output> RunList(DaemonClient* client, const CommandOptions& options) {
  api::ListRequest request;
  if (!options.names.empty()) request.__set_database(options.names[0]);
  if (!options.filter.empty()) request.__set_filter(options.filter);
  request.__set_offset(options.offset);
  request.__set_limit(options.limit);
  return CallAndShow<api::ObjectList>(
      client, options, [&](auto& daemon, auto& answer) { daemon.catalogd_list(answer, request); });
}

Result<Output> RunWait(DaemonClient* client, const CommandOptions& options) {
  api::WaitRequest request;
  request.__set_names(options.names);
  if (options.event_id) request.__set_event_id(*options.event_id);
  request.__set_timeout_ms(options.timeout_ms);
  return CallAndShow<api::WaitResult>(
      client, options, [&](auto& daemon, auto& answer) { daemon.catalogd_wait(answer, request); });
}

Result<Output> RunSync(DaemonClient* client, const CommandOptions& options) {
  api::SyncRequest request;
  request.__set_name(options.names.at(0));
  request.__set_timeout_ms(options.timeout_ms);
  return CallAndShow<api::ObjectInfo>(
      client, options, [&](auto& daemon, auto& answer) { daemon.catalogd_sync(answer, request); });
}

Result<Output> RunEvents(DaemonClient* client, const CommandOptions& options) {
  api::EventsRequest request;
  request.__set_limit(options.limit);
  if (!options.names.empty()) request.__set_name(options.names[0]);
  if (options.follow) return FollowEvents(client, options, request);
  return CallAndShow<std::vector<api::EventInfo>>(client, options, [&](auto& daemon, auto& answer) {
    daemon.catalogd_events(answer, request);
  });
}

Result<Output> RunDoctor(DaemonClient* client, const CommandOptions& options) {
  api::DoctorReport report;
  RETURN_IF_ERROR(
      client->Call([&](api::CatalogdClient& daemon) { daemon.catalogd_doctor(report); }));
  Output output = Show(report, options);
  if (!report.exact) output.exit_code = ErrorExitCode(ErrorCode::kInvalidState);
  return output;
}

Result<Output> RunLocks(DaemonClient* client, const CommandOptions& options) {
  return CallAndShow<std::vector<api::LockInfo>>(
      client, options, [](auto& daemon, auto& answer) { daemon.catalogd_locks(answer); });
}

Result<Output> RunReadMode(DaemonClient* client, const CommandOptions& options) {
  api::ReadModeRequest request;
  request.__set_mode(options.mode);
  if (!options.names.empty()) request.__set_name(options.names[0]);
  return CallAndShow<api::DaemonStatus>(client, options, [&](auto& daemon, auto& answer) {
    daemon.catalogd_set_read_mode(answer, request);
  });
}

Result<Output> RunReset(DaemonClient* client, const CommandOptions& options) {
  return CallAndShow<api::DaemonStatus>(client, options, [&](auto& daemon, auto& answer) {
    daemon.catalogd_reset(answer, options.reason);
  });
}

Result<Output> RunPause(DaemonClient* client, const CommandOptions& options) {
  return CallAndShow<api::DaemonStatus>(
      client, options, [](auto& daemon, auto& answer) { daemon.catalogd_pause(answer, true); });
}

Result<Output> RunResume(DaemonClient* client, const CommandOptions& options) {
  return CallAndShow<api::DaemonStatus>(
      client, options, [](auto& daemon, auto& answer) { daemon.catalogd_pause(answer, false); });
}

Result<Output> RunConfig(DaemonClient* client, const CommandOptions& options) {
  return CallAndShow<std::vector<api::ConfigEntry>>(
      client, options, [](auto& daemon, auto& answer) { daemon.catalogd_config(answer); });
}

}  // namespace catalogd::ctl
