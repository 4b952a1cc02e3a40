#include "catalog/coord/service/table_options.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace catalogd::coord {
namespace {

using std::chrono::milliseconds;

struct OptionRow {
  std::string_view name;
  std::function<Status(const std::string& value, TableOptions* options)> set;
};

tl::unexpected<Error> BadValue(const std::string& value, std::string_view allowed) {
  return MakeError(ErrorCode::kInvalidArgument,
                   fmt::format("'{}' is not allowed; allowed: {}", value, allowed));
}

Result<int64_t> Number(const std::string& value, int64_t least, int64_t most) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < least ||
      number > most) {
    return BadValue(value, fmt::format("a number from {} to {}", least, most));
  }
  return number;
}

template <class Into>
auto NumberOption(Into into, int64_t least, int64_t most) {
  return [into, least, most](const std::string& value, TableOptions* options) -> Status {
    ASSIGN_OR_RETURN(const int64_t number, Number(value, least, most));
    into(number, options);
    return Ok();
  };
}

template <class Into>
auto FlagOption(Into into) {
  return [into](const std::string& value, TableOptions* options) -> Status {
    if (value != "true" && value != "false") return BadValue(value, "true, false");
    into(value == "true", options);
    return Ok();
  };
}

Status SetPublish(const std::string& value, TableOptions* options) {
  if (value != "sync" && value != "async") return BadValue(value, "sync, async");
  options->publish = value == "sync" ? PublishMode::kSync : PublishMode::kAsync;
  return Ok();
}

Status SetTrigger(const std::string& value, TableOptions* options) {
  std::string allowed;
  for (const auto strategy :
       {TriggerStrategy::kNumCommits, TriggerStrategy::kNumCommitsAfterLastRequest,
        TriggerStrategy::kTimeElapsed, TriggerStrategy::kNumAndTime, TriggerStrategy::kNumOrTime}) {
    if (value == TriggerStrategyName(strategy)) {
      options->service.trigger.strategy = strategy;
      return Ok();
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string(TriggerStrategyName(strategy));
  }
  return BadValue(value, allowed);
}

// Who plans and who executes: the three fields contradict each other easily, so they are one word.
Status SetServices(const std::string& value, TableOptions* options) {
  ServiceOptions& service = options->service;
  if (value == "async" || value == "inline" || value == "schedule-inline" || value == "off") {
    service.asynchronous = value == "async" || value == "schedule-inline";
    service.inline_execution = value == "inline";
    service.inline_schedule = value == "schedule-inline";
    return Ok();
  }
  return BadValue(value, "async, inline, schedule-inline, off");
}

constexpr int64_t kDay = 24LL * 3600 * 1000;

std::vector<OptionRow> LifeRows() {
  return {
      {"publish", SetPublish},
      {"lease_ms", NumberOption(
                       [](int64_t n, TableOptions* o) {
                         o->txn.lease = milliseconds(n);
                         o->guard.lease = milliseconds(n);
                       },
                       100, kDay)},
      {"max_lease_ms",
       NumberOption([](int64_t n, TableOptions* o) { o->txn.max_lease = milliseconds(n); }, 100,
                    7 * kDay)},
      {"strict_expiry", FlagOption([](bool on, TableOptions* o) {
         o->txn.strict_expiry = on;
         o->guard.strict_expiry = on;
       })},
      {"lock_timeout_ms",
       NumberOption([](int64_t n, TableOptions* o) { o->lock_timeout = milliseconds(n); }, 1,
                    kDay)},
      {"commit_retries",
       NumberOption([](int64_t n, TableOptions* o) { o->retry.max_rounds = static_cast<int>(n); },
                    1, 1000)},
      {"commit_retry_ms",
       NumberOption([](int64_t n, TableOptions* o) { o->retry.total = milliseconds(n); }, 1, kDay)},
      {"retain_hours",
       NumberOption([](int64_t n, TableOptions* o) { o->retain = std::chrono::hours(n); }, 0,
                    24 * 3650)},
      {"pin_ms", NumberOption([](int64_t n, TableOptions* o) { o->pin_life = milliseconds(n); }, 1,
                              7 * kDay)},
  };
}

std::vector<OptionRow> ConflictRows() {
  return {
      {"partitioned", FlagOption([](bool on, TableOptions* o) { o->check.partitioned = on; })},
      {"strict_inputs", FlagOption([](bool on, TableOptions* o) { o->check.strict_inputs = on; })},
      {"inserts_commute",
       FlagOption([](bool on, TableOptions* o) { o->check.matrix.inserts_commute = on; })},
  };
}

std::vector<OptionRow> ServiceRows() {
  return {
      {"services", SetServices},
      {"trigger", SetTrigger},
      {"max_delta_commits",
       NumberOption([](int64_t n, TableOptions* o) { o->service.trigger.max_delta_commits = n; }, 1,
                    1'000'000)},
      {"max_delta_seconds",
       NumberOption([](int64_t n, TableOptions* o) { o->service.trigger.max_delta_seconds = n; }, 1,
                    3650LL * 24 * 3600)},
      {"throttle", FlagOption([](bool on, TableOptions* o) { o->service.throttle = on; })},
      {"max_pending",
       NumberOption(
           [](int64_t n, TableOptions* o) { o->service.max_pending = static_cast<size_t>(n); }, 1,
           100'000)},
      {"lag_warn_seconds",
       NumberOption(
           [](int64_t n, TableOptions* o) { o->service.lag_warn = std::chrono::seconds(n); }, 1,
           3650LL * 24 * 3600)},
      {"max_attempts",
       NumberOption([](int64_t n, TableOptions* o) { o->guard.max_attempts = static_cast<int>(n); },
                    1, 1000)},
      {"backoff_ms",
       NumberOption([](int64_t n, TableOptions* o) { o->guard.backoff = milliseconds(n); }, 0,
                    kDay)},
      {"max_backoff_ms",
       NumberOption([](int64_t n, TableOptions* o) { o->guard.max_backoff = milliseconds(n); }, 0,
                    kDay)},
      {"min_logs",
       NumberOption([](int64_t n, TableOptions* o) { o->min_logs = static_cast<size_t>(n); }, 1,
                    100'000)},
      {"log_compact_min_logs",
       NumberOption(
           [](int64_t n, TableOptions* o) { o->log_compact_min_logs = static_cast<size_t>(n); }, 2,
           100'000)},
  };
}

std::vector<OptionRow> InternalRows() {
  return {
      {"cas", FlagOption([](bool on, TableOptions* o) { o->cas = on; })},
      {"incarnation",
       [](const std::string& value, TableOptions* o) -> Status {
         o->incarnation = value;
         return Ok();
       }},
  };
}

const std::vector<OptionRow>& Rows() {
  static const std::vector<OptionRow> rows = [] {
    std::vector<OptionRow> all = LifeRows();
    for (const auto& part : {ConflictRows(), ServiceRows(), InternalRows()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return rows;
}

Status SetOne(const std::string& name, const std::string& value, TableOptions* options) {
  std::string known;
  for (const OptionRow& row : Rows()) {
    if (row.name == name) {
      const Status set = row.set(value, options);
      if (!set) return AsError(Error(set.error()).WithContext("table option " + name));
      return Ok();
    }
    if (!IsInternalOption(row.name)) {
      known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
  }
  return MakeError(ErrorCode::kInvalidArgument,
                   fmt::format("there is no table option '{}'; there are: {}", name, known));
}

}  // namespace

bool IsInternalOption(std::string_view name) { return name == "cas" || name == "incarnation"; }

Result<TableOptions> WithOptions(const TableOptions& options,
                                 const std::map<std::string, std::string>& values) {
  TableOptions made;
  made.set = options.set;
  for (const auto& [name, value] : values) {
    if (value.empty()) {
      made.set.erase(name);
    } else {
      made.set[name] = value;
    }
  }
  for (const auto& [name, value] : made.set) RETURN_IF_ERROR(SetOne(name, value, &made));
  RETURN_IF_ERROR(CheckTriggerOptions(made.service.trigger));
  RETURN_IF_ERROR(CheckServiceOptions(made.service));
  return made;
}

std::string OptionsToJson(const TableOptions& options) {
  return nlohmann::json(options.set).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<TableOptions> OptionsFromJson(const std::string& json) {
  const auto parsed = nlohmann::json::parse(json.empty() ? "{}" : json, nullptr, false);
  std::map<std::string, std::string> values;
  if (!parsed.is_object()) {
    return MakeError(ErrorCode::kCorrupt, "the options of a table are no JSON object");
  }
  for (const auto& [name, value] : parsed.items()) {
    if (!value.is_string()) {
      return MakeError(ErrorCode::kCorrupt, "the table option '" + name + "' is no text");
    }
    values[name] = value.get<std::string>();
  }
  return WithOptions({}, values);
}

}  // namespace catalogd::coord
