#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "catalog/api/api_json.h"
#include "catalog/base/names.h"
#include "catalogd_idl/Catalogd.h"
#include "tools/catalogctl/commands.h"
#include "tools/catalogctl/text.h"

// catalogctl diff: asks the daemon to compare, a few objects at a time.
namespace catalogd::ctl {
namespace {

using nlohmann::json;

constexpr size_t kComparedAtOnce = 20;
constexpr int32_t kListedAtOnce = 1000;

class Differ {
 public:
  Differ(DaemonClient* client, const CommandOptions& options)
      : client_(client), options_(options) {}

  Status Everything() {
    RETURN_IF_ERROR(Compare({""}));
    ASSIGN_OR_RETURN(const std::vector<std::string> databases, List(""));
    for (const std::string& database : databases) RETURN_IF_ERROR(Database(database));
    return Ok();
  }

  Status Database(const std::string& name) {
    RETURN_IF_ERROR(Compare({name}));
    const auto tables = List(name);
    // Not known here: what there is has been told by the comparison.
    if (!tables && tables.error().code == ErrorCode::kNotFound) return Ok();
    if (!tables) return AsError(tables.error());
    for (size_t at = 0; at < tables->size(); at += kComparedAtOnce) {
      const size_t end = std::min(tables->size(), at + kComparedAtOnce);
      RETURN_IF_ERROR(Compare({tables->begin() + static_cast<std::ptrdiff_t>(at),
                               tables->begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    return Ok();
  }

  Status Compare(const std::vector<std::string>& names) {
    api::DiffRequest request;
    request.__set_names(names);
    request.__set_repair(options_.repair);
    request.__set_timeout_ms(options_.timeout_ms);
    std::vector<api::DiffEntry> entries;
    RETURN_IF_ERROR(client_->Call(
        [&](api::CatalogdClient& daemon) { daemon.catalogd_diff(entries, request); }));
    for (api::DiffEntry& entry : entries) {
      if (!told_.emplace(entry.name, entry.outcome).second) continue;
      ++counts_[entry.outcome];
      if (entry.outcome != "equal") unequal_.push_back(std::move(entry));
    }
    if (options_.progress) options_.progress(std::to_string(told_.size()) + " compared");
    return Ok();
  }

  Output Take() {
    Output output;
    if (options_.json) {
      json counts = json::object();
      for (const auto& [outcome, count] : counts_) counts[outcome] = count;
      output.text =
          api::DumpJson({{"counts", std::move(counts)}, {"objects", api::ListToJson(unequal_)}}) +
          "\n";
    } else {
      output.text = Text(unequal_, counts_);
    }
    if (counts_["different"] > 0) output.exit_code = ErrorExitCode(ErrorCode::kConflict);
    if (counts_["failed"] > 0) output.exit_code = ErrorExitCode(ErrorCode::kUnavailable);
    return output;
  }

 private:
  Result<std::vector<std::string>> List(const std::string& database) {
    std::vector<std::string> names;
    api::ListRequest request;
    if (!database.empty()) request.__set_database(database);
    request.__set_limit(kListedAtOnce);
    for (;;) {
      api::ObjectList list;
      RETURN_IF_ERROR(
          client_->Call([&](api::CatalogdClient& daemon) { daemon.catalogd_list(list, request); }));
      for (const api::ObjectSummary& object : list.objects) names.push_back(object.name);
      if (list.objects.empty() || static_cast<int64_t>(names.size()) >= list.total) return names;
      request.__set_offset(static_cast<int32_t>(names.size()));
    }
  }

  DaemonClient* const client_;
  const CommandOptions& options_;
  std::map<std::string, std::string> told_;
  std::map<std::string, int64_t> counts_;
  std::vector<api::DiffEntry> unequal_;
};

}  // namespace

Result<Output> RunDiff(DaemonClient* client, const CommandOptions& options) {
  Differ differ(client, options);
  if (options.names.empty()) {
    RETURN_IF_ERROR(differ.Everything());
    return differ.Take();
  }
  for (const std::string& text : options.names) {
    ASSIGN_OR_RETURN(const ObjectName name, ParseObjectName(text));
    RETURN_IF_ERROR(name.is_table() ? differ.Compare({text}) : differ.Database(text));
  }
  return differ.Take();
}

}  // namespace catalogd::ctl
