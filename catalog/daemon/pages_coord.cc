#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catalog/api/coord_json.h"
#include "catalog/coord/service/infos.h"
#include "catalog/daemon/coordination.h"
#include "catalog/daemon/pages.h"
#include "catalog/daemon/views_coord.h"

// Pages of table coordination: tables, one table, conflicts.
namespace catalogd::daemon {
namespace {

using nlohmann::json;
using web::WebRequest;

constexpr size_t kMostBars = 40;
constexpr size_t kMostPartitions = 200;
// Of the drawing, in its own units.
constexpr double kWidth = 1000;
constexpr double kLeast = 3;
constexpr int kRow = 22;

// What stands on each page when nothing is coordinated.
json Closed(const ViewSources& sources) {
  const auto& why = sources.coordination->closed();
  return {{"closed", why ? why->message : "table coordination has not started"}};
}

json Ages(const CoordGauges& gauges) {
  return {{"oldest_txn_seconds", gauges.oldest_txn_seconds},
          {"oldest_plan_seconds", gauges.oldest_plan_seconds},
          {"least_lease_seconds", gauges.least_lease_seconds},
          {"time_ahead_seconds", gauges.time_ahead_seconds}};
}

Result<json> Tables(const ViewSources& sources, const WebRequest& /*request*/) {
  coord::Coordinator* const coordinator = sources.coordination->open();
  if (coordinator == nullptr) return Closed(sources);
  json rows = json::array();
  for (const api::CoordTable& table : coordinator->tables.List()) {
    json row = api::ToJson(table);
    const auto found = coordinator->context.tables.Find(table.table_id);
    if (found) row.update(Ages(MeasureTable(*coordinator, **found)));
    rows.push_back(std::move(row));
  }
  return json{{"closed", ""}, {"tables", std::move(rows)}};
}

int64_t BeginOf(const api::TxnInfo& txn) { return txn.created_ms; }
int64_t EndOf(const api::TxnInfo& txn, int64_t now) {
  return txn.ended_ms == 0 ? now : txn.ended_ms;
}

// One bar for each transaction, from its request to its end; open ones reach to the edge.
json MakeBars(const std::vector<api::TxnInfo>& txns, int64_t now) {
  const size_t skipped = txns.size() > kMostBars ? txns.size() - kMostBars : 0;
  const std::vector<api::TxnInfo> shown(txns.begin() + static_cast<int64_t>(skipped), txns.end());
  int64_t first = now;
  for (const api::TxnInfo& txn : shown) first = std::min(first, BeginOf(txn));
  int64_t last = first + 1;
  for (const api::TxnInfo& txn : shown) last = std::max(last, EndOf(txn, now));
  const auto at = [&](int64_t time) {
    return static_cast<double>(time - first) / static_cast<double>(last - first) * kWidth;
  };
  json bars = json::array();
  for (size_t i = 0; i < shown.size(); ++i) {
    const api::TxnInfo& txn = shown[i];
    const double from = std::min(at(BeginOf(txn)), kWidth - kLeast);
    const double width = std::max(kLeast, at(EndOf(txn, now)) - from);
    const int y = static_cast<int>(i) * kRow;
    const bool at_right = from > kWidth * 0.6;
    bars.push_back({{"bar_x", fmt::format("{:.1f}", from)},
                    {"bar_y", std::to_string(y + 2)},
                    {"bar_width", fmt::format("{:.1f}", width)},
                    {"bar_height", std::to_string(kRow - 6)},
                    {"bar_state", txn.state},
                    {"text_x", fmt::format("{:.1f}", at_right ? from - 4 : from + 4)},
                    {"text_y", std::to_string(y + 14)},
                    {"text_anchor", at_right ? "end" : "start"},
                    {"bar_text", fmt::format("{} {} {}{}", txn.txn_id, txn.op, txn.requested,
                                             txn.completed.empty() ? " " + txn.state
                                                                   : " to " + txn.completed)}});
  }
  return bars;
}

json PublicationJson(const std::optional<coord::PublishRecord>& publication) {
  static constexpr const char* kStates[] = {"PENDING", "SENT", "DONE", "FAILED"};
  if (!publication) return nullptr;
  return {{"publication_version", publication->version.value()},
          {"publication_state", kStates[static_cast<size_t>(publication->state)]},
          {"publication_event_id",
           publication->event_id ? json(*publication->event_id) : json(nullptr)},
          {"publication_tries", publication->tries},
          {"publication_error", publication->last_error}};
}

// "(the table)" stands for the one partition of a table without any.
json PartitionsJson(const std::vector<std::string>& partitions) {
  json rows = json::array();
  for (const std::string& partition : partitions) {
    if (rows.size() == kMostPartitions) break;
    rows.push_back({{"partition_name", partition},
                    {"partition_text", partition.empty() ? "(the table)" : partition}});
  }
  return rows;
}

void AddSlices(coord::Coordinator* coordinator, const CoordTableView& view,
               const WebRequest& request, json* page) {
  const std::string wanted = request.Get("partition");
  const bool chosen = !wanted.empty() || view.partitions.size() == 1;
  (*page)["partition"] = wanted.empty() && chosen ? view.partitions[0] : wanted;
  (*page)["slices"] = json::array();
  (*page)["too_many_slices"] = false;
  if (!chosen) return;
  const auto slices =
      ViewSlices(coordinator, view.table.table_id, (*page)["partition"].get<std::string>());
  (*page)["too_many_slices"] = !slices.has_value();
  if (slices) (*page)["slices"] = api::CoordListToJson(*slices);
}

Result<json> Table(const ViewSources& sources, const WebRequest& request) {
  coord::Coordinator* const coordinator = sources.coordination->open();
  if (coordinator == nullptr) return Closed(sources);
  const std::string name = request.Get("name");
  if (name.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "parameter name is missing: expected /coord/table?name=db.table; /coord lists "
                     "what there is");
  }
  const auto view = ViewTable(coordinator, name, kMostBars);
  if (!view) return MakeError(ErrorCode::kNotFound, view.error().message);
  const int64_t now = Milliseconds(sources.clock->WallNow());
  json page = api::ToJson(view->table);
  const auto found = coordinator->context.tables.Find(view->table.table_id);
  if (found) page.update(Ages(MeasureTable(*coordinator, **found)));
  page["closed"] = "";
  json options = json::array();
  for (const auto& [key, value] : view->table.table_options) {
    options.push_back({{"option_name", key}, {"option_value", value}});
  }
  page["option_rows"] = std::move(options);
  page["bars"] = MakeBars(view->txns, now);
  page["drawing_height"] = std::to_string(std::max<size_t>(1, page["bars"].size()) * kRow);
  page["txns"] = api::CoordListToJson(view->txns);
  page["plans"] = api::CoordListToJson(view->plans);
  page["partitions"] = PartitionsJson(view->partitions);
  page["partition_count"] = view->partitions.size();
  page["published"] = PublicationJson(view->published);
  page["publishing"] = PublicationJson(view->publishing);
  AddSlices(coordinator, *view, request, &page);
  return page;
}

// `hit`: the cell of the conflict that was asked for, or of the newest one.
json MatrixJson(const coord::CoordCounters& counters, const std::optional<coord::Conflict>& hit) {
  json rows = json::array();
  json heading = json::array();
  for (const coord::MatrixCell& cell : coord::ConflictMatrix()) {
    const auto earlier = static_cast<size_t>(cell.earlier);
    const auto later = static_cast<size_t>(cell.later);
    if (later == 0) {
      rows.push_back({{"row", coord::OpWord(cell.earlier)}, {"cells", json::array()}});
    }
    if (earlier == 0) heading.push_back(coord::OpWord(cell.later));
    const bool is_hit = hit && hit->earlier_op == cell.earlier && hit->later_op == cell.later;
    rows.back()["cells"].push_back(
        {{"letter", std::string(1, coord::OutcomeLetter(cell.outcome))},
         {"why", cell.why},
         {"hit", is_hit},
         {"count", counters.conflict_cells.at(earlier).at(later).load()}});
  }
  return {{"heading", std::move(heading)}, {"rows", std::move(rows)}};
}

Result<json> Conflicts(const ViewSources& sources, const WebRequest& request) {
  coord::Coordinator* const coordinator = sources.coordination->open();
  if (coordinator == nullptr) return Closed(sources);
  const std::vector<coord::NotedConflict> newest = coordinator->context.conflicts.Newest();
  ASSIGN_OR_RETURN(const int64_t marked,
                   request.GetNumber("mark", 0, 0, coord::ConflictLog::kKept - 1));
  std::optional<coord::Conflict> hit;
  json rows = json::array();
  for (size_t i = 0; i < newest.size(); ++i) {
    const bool is_marked = i == static_cast<size_t>(marked);
    if (is_marked) hit = newest[i].conflict;
    json row = api::ToJson(coord::MakeConflictInfo(newest[i]));
    row["mark"] = i;
    row["mark_text"] = std::to_string(i);
    row["is_marked"] = is_marked;
    rows.push_back(std::move(row));
  }
  json page = MatrixJson(coordinator->context.counters, hit);
  page["closed"] = "";
  page["conflicts"] = std::move(rows);
  return page;
}

}  // namespace

void AddCoordPages(const ViewSources* sources, web::Site* site) {
  using Maker = Result<json> (*)(const ViewSources&, const WebRequest&);
  const auto add = [&](const char* path, const char* title, const char* name, bool navigation,
                       Maker maker) {
    site->AddPage({path, title, name, navigation, [sources, maker](const WebRequest& request) {
                     return maker(*sources, request);
                   }});
  };
  add("/coord", "Coordination", "coord.tpl", true, Tables);
  add("/coord/table", "Coordinated table", "coord_table.tpl", false, Table);
  add("/coord/conflicts", "Conflicts", "coord_conflicts.tpl", false, Conflicts);
}

}  // namespace catalogd::daemon
