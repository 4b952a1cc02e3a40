#include "tools/catalogctl/coord_commands.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "catalog/api/api_json.h"
#include "catalog/api/coord_json.h"
#include "catalogd_coord_idl/CatalogdCoord.h"
#include "tools/catalogctl/coord_text.h"

namespace catalogd::ctl {
namespace {

using nlohmann::json;
using Columns = std::vector<std::string>;

// A list with these columns; one object without any.
Output Show(const json& value, const CommandOptions& options, const Columns& columns = {}) {
  Output output;
  if (options.json) {
    output.text = api::DumpJson(value) + "\n";
  } else {
    output.text = columns.empty() ? JsonLines(value) : JsonTable(value, columns);
  }
  return output;
}

template <class Request>
Request Make(const CommandOptions& options, const CoordArguments& arguments) {
  Request request;
  request.caller.table = arguments.table;
  request.caller.owner = arguments.owner;
  request.caller.request_id = "catalogctl";
  request.caller.deadline_ms = options.timeout_ms;
  return request;
}

// One call of the generated client, as whoever the arguments say.
template <class Answer, class Request>
Result<Answer> Call(DaemonClient* client, const CoordArguments& arguments,
                    void (api::CatalogdCoordClient::*method)(Answer&, const Request&),
                    const Request& request) {
  if (!arguments.user.empty()) RETURN_IF_ERROR(client->SetUser(arguments.user));
  Answer answer;
  RETURN_IF_ERROR(client->CallCoord(
      [&](api::CatalogdCoordClient& daemon) { (daemon.*method)(answer, request); }));
  return answer;
}

Result<std::map<std::string, std::string>> Settings(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> settings;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return MakeError(ErrorCode::kInvalidArgument, "'" + text + "': expected NAME=VALUE");
    }
    settings[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return settings;
}

Result<Output> EndPlan(DaemonClient* client, const CommandOptions& options,
                       const CoordArguments& arguments,
                       void (api::CatalogdCoordClient::*method)(api::PlanInfo&,
                                                                const api::EndPlanRequest&)) {
  auto request = Make<api::EndPlanRequest>(options, arguments);
  request.plan_id = arguments.plan_id;
  request.fence = arguments.fence;
  request.error = arguments.reason;
  ASSIGN_OR_RETURN(const auto plan, Call(client, arguments, method, request));
  return Show(api::ToJson(plan), options);
}

const Columns kTables = {"name",       "type",          "policy",        "state",
                         "id_version", "open_txns",     "pending_plans", "live_files",
                         "publish",    "service_state", "warnings"};
const Columns kTxns = {"txn_id",     "op",    "state", "requested",    "completed",
                       "id_version", "fence", "owner", "remaining_ms", "reason"};
const Columns kPlans = {"plan_id", "table_name", "type",     "state",        "requested",
                        "fence",   "owner",      "attempts", "remaining_ms", "last_error"};
const Columns kConflicts = {"at",      "table", "policy", "earlier", "later",
                            "outcome", "kind",  "txn_id", "plan_id", "text"};

}  // namespace

Result<Output> CoordTables(DaemonClient* client, const CommandOptions& options,
                           const CoordArguments& arguments) {
  ASSIGN_OR_RETURN(const auto tables,
                   Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_list_tables,
                        Make<api::ListTablesRequest>(options, arguments)));
  return Show(api::CoordListToJson(tables), options, kTables);
}

Result<Output> CoordState(DaemonClient* client, const CommandOptions& options,
                          const CoordArguments& arguments) {
  ASSIGN_OR_RETURN(const auto table, Call(client, arguments,
                                          &api::CatalogdCoordClient::catalogd_coord_get_table_state,
                                          Make<api::TableRequest>(options, arguments)));
  return Show(api::ToJson(table), options);
}

Result<Output> CoordRegister(DaemonClient* client, const CommandOptions& options,
                             const CoordArguments& arguments) {
  auto request = Make<api::RegisterTableRequest>(options, arguments);
  request.type = arguments.type;
  request.policy = arguments.policy;
  request.base_path = arguments.base_path;
  request.accept_no_cas = arguments.accept_no_cas;
  request.take_over = arguments.take_over;
  ASSIGN_OR_RETURN(request.table_options, Settings(arguments.settings));
  ASSIGN_OR_RETURN(
      const auto table,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_register_table, request));
  return Show(api::ToJson(table), options);
}

Result<Output> CoordUnregister(DaemonClient* client, const CommandOptions& options,
                               const CoordArguments& arguments) {
  auto request = Make<api::UnregisterTableRequest>(options, arguments);
  request.force = arguments.force;
  ASSIGN_OR_RETURN(
      const auto table,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_unregister_table, request));
  return Show(api::ToJson(table), options);
}

Result<Output> CoordSet(DaemonClient* client, const CommandOptions& options,
                        const CoordArguments& arguments) {
  auto request = Make<api::AlterOptionsRequest>(options, arguments);
  ASSIGN_OR_RETURN(request.table_options, Settings(arguments.settings));
  request.resolve = arguments.resolve;
  ASSIGN_OR_RETURN(
      const auto table,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_alter_options, request));
  return Show(api::ToJson(table), options);
}

Result<Output> CoordTxns(DaemonClient* client, const CommandOptions& options,
                         const CoordArguments& arguments) {
  auto request = Make<api::ListTxnsRequest>(options, arguments);
  request.state = arguments.state;
  request.limit = arguments.limit;
  ASSIGN_OR_RETURN(
      const auto txns,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_list_txns, request));
  return Show(api::CoordListToJson(txns), options, kTxns);
}

Result<Output> CoordAbort(DaemonClient* client, const CommandOptions& options,
                          const CoordArguments& arguments) {
  auto request = Make<api::AbortRequest>(options, arguments);
  request.txn_id = arguments.txn_id;
  request.fence = arguments.fence;
  request.reason = arguments.reason;
  ASSIGN_OR_RETURN(
      const auto txn,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_abort_txn, request));
  return Show(api::ToJson(txn), options);
}

Result<Output> CoordPlans(DaemonClient* client, const CommandOptions& options,
                          const CoordArguments& arguments) {
  auto request = Make<api::ListPlansRequest>(options, arguments);
  request.state = arguments.state;
  request.type = arguments.plan_type;
  request.limit = arguments.limit;
  ASSIGN_OR_RETURN(
      const auto plans,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_list_plans, request));
  return Show(api::CoordListToJson(plans), options, kPlans);
}

Result<Output> CoordSchedule(DaemonClient* client, const CommandOptions& options,
                             const CoordArguments& arguments) {
  auto request = Make<api::SchedulePlanRequest>(options, arguments);
  request.type = arguments.plan_type;
  request.forced = arguments.forced;
  request.cancellable = arguments.cancellable;
  request.reason = arguments.reason;
  ASSIGN_OR_RETURN(
      const auto scheduled,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_schedule_plan, request));
  return Show(api::ToJson(scheduled), options);
}

Result<Output> CoordClaim(DaemonClient* client, const CommandOptions& options,
                          const CoordArguments& arguments) {
  auto request = Make<api::ClaimPlanRequest>(options, arguments);
  request.plan_id = arguments.plan_id;
  request.types = arguments.plan_types;
  request.lease_ms = arguments.lease_ms;
  request.wait_ms = arguments.wait_ms;
  request.external_override = arguments.external_override;
  ASSIGN_OR_RETURN(
      const auto claimed,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_claim_plan, request));
  return Show(api::ToJson(claimed), options);
}

Result<Output> CoordCancel(DaemonClient* client, const CommandOptions& options,
                           const CoordArguments& arguments) {
  return EndPlan(client, options, arguments, &api::CatalogdCoordClient::catalogd_coord_cancel_plan);
}

Result<Output> CoordReset(DaemonClient* client, const CommandOptions& options,
                          const CoordArguments& arguments) {
  return EndPlan(client, options, arguments, &api::CatalogdCoordClient::catalogd_coord_reset_plan);
}

Result<Output> CoordSlices(DaemonClient* client, const CommandOptions& options,
                           const CoordArguments& arguments) {
  auto request = Make<api::GetFileSlicesRequest>(options, arguments);
  request.partitions = arguments.partitions;
  request.form = arguments.form;
  if (!arguments.at.empty()) {
    request.read_point.kind = "COMPLETION";
    request.read_point.instant = arguments.at;
  } else if (arguments.version != 0) {
    request.read_point.kind = "ID";
    request.read_point.id_version = arguments.version;
  }
  api::FileSlicePage all;
  do {
    ASSIGN_OR_RETURN(api::FileSlicePage page,
                     Call(client, arguments,
                          &api::CatalogdCoordClient::catalogd_coord_get_file_slices, request));
    page.slices.insert(page.slices.begin(), std::make_move_iterator(all.slices.begin()),
                       std::make_move_iterator(all.slices.end()));
    all = std::move(page);
    request.page_token = all.page_token;
  } while (!all.page_token.empty());
  json value = api::ToJson(all);
  if (options.json) return Show(value, options);
  json rows = json::array();
  for (json& slice : value["slices"]) {
    json names = json::array();
    for (const json& log : slice["logs"]) names.push_back(log["name"]);
    slice["logs"] = std::move(names);
    rows.push_back(std::move(slice));
  }
  return Show(rows, options,
              {"partition", "file_id", "anchor", "base", "logs", "pending_plan", "warnings"});
}

Result<Output> CoordIncremental(DaemonClient* client, const CommandOptions& options,
                                const CoordArguments& arguments) {
  auto request = Make<api::GetIncrementalRequest>(options, arguments);
  request.axis = arguments.axis;
  request.from_exclusive = arguments.from;
  request.to_inclusive = arguments.to;
  request.include_services = arguments.services;
  request.limit = arguments.limit;
  ASSIGN_OR_RETURN(
      const auto result,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_get_incremental, request));
  const json value = api::ToJson(result);
  if (options.json) return Show(value, options);
  json rows = json::array();
  for (const json& change : value["changes"]) {
    for (const char* const what : {"added", "removed"}) {
      for (const json& file : change[what]) {
        rows.push_back({{"id_version", change["id_version"]},
                        {"completed", change["completed"]},
                        {"op", change["op"]},
                        {"what", what},
                        {"partition", file["partition"]},
                        {"name", file["name"]}});
      }
    }
  }
  Output output =
      Show(rows, options, {"id_version", "completed", "op", "what", "partition", "name"});
  output.text += "next from " + result.next_from + (result.more ? ", and there is more\n" : "\n");
  return output;
}

Result<Output> CoordVersions(DaemonClient* client, const CommandOptions& options,
                             const CoordArguments& arguments) {
  auto request = Make<api::ListVersionsRequest>(options, arguments);
  request.limit = arguments.limit;
  ASSIGN_OR_RETURN(
      const auto versions,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_list_versions, request));
  return Show(api::CoordListToJson(versions), options,
              {"id_version", "op", "requested", "completed", "time_version", "added", "removed"});
}

Result<Output> CoordExplain(DaemonClient* client, const CommandOptions& options,
                            const CoordArguments& arguments) {
  auto request = Make<api::ExplainRequest>(options, arguments);
  request.txn_id = arguments.txn_id;
  request.earlier = arguments.earlier;
  request.later = arguments.later;
  ASSIGN_OR_RETURN(
      const auto conflict,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_explain_conflict, request));
  return Show(api::ToJson(conflict), options);
}

Result<Output> CoordConflicts(DaemonClient* client, const CommandOptions& options,
                              const CoordArguments& arguments) {
  auto request = Make<api::ListTxnsRequest>(options, arguments);
  request.limit = arguments.limit;
  ASSIGN_OR_RETURN(
      const auto conflicts,
      Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_list_conflicts, request));
  return Show(api::CoordListToJson(conflicts), options, kConflicts);
}

Result<Output> CoordFsck(DaemonClient* client, const CommandOptions& options,
                         const CoordArguments& arguments) {
  ASSIGN_OR_RETURN(const auto report,
                   Call(client, arguments, &api::CatalogdCoordClient::catalogd_coord_fsck,
                        Make<api::FsckRequest>(options, arguments)));
  Output output = Show(api::ToJson(report), options);
  const bool clean = report.strays.empty() && report.missing.empty() && report.duplicates.empty();
  if (!clean) output.exit_code = ErrorExitCode(ErrorCode::kConflict);
  return output;
}

}  // namespace catalogd::ctl
