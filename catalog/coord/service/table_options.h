#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "catalog/base/result.h"
#include "catalog/coord/commit_retry.h"
#include "catalog/coord/conflict_check.h"
#include "catalog/coord/guard.h"
#include "catalog/coord/service_status.h"
#include "catalog/coord/txn_guard.h"

// The options of a coordinated table: what a client sets by name, and what the pure core takes.
// Thread safety: plain values and pure functions.
namespace catalogd::coord {

enum class PublishMode {
  kSync,   // A commit is in the metastore before it is answered.
  kAsync,  // It is committed once it is stored; the newest one is published soon.
};

struct TableOptions {
  PublishMode publish = PublishMode::kSync;
  TxnOptions txn;
  GuardOptions guard;
  ServiceOptions service;
  CheckOptions check;
  RetryOptions retry;
  Duration lock_timeout = std::chrono::seconds(30);
  std::chrono::hours retain = std::chrono::hours(24);
  Duration pin_life = std::chrono::minutes(10);
  size_t min_logs = 1;              // Of a group, for a compaction.
  size_t log_compact_min_logs = 5;  // Of a group, for a log compaction.
  // Of the metastore, found out when the table was registered: it compares before it alters.
  bool cas = false;
  // Which object of the metastore was registered: another one of that name is not this table.
  std::string incarnation;

  // As they were set; what is not in it has its default.
  std::map<std::string, std::string> set;
};

// Sets what `values` names; an empty value goes back to the default.
// Errors: kInvalidArgument with the name, the value and what is allowed.
Result<TableOptions> WithOptions(const TableOptions& options,
                                 const std::map<std::string, std::string>& values);

// True for what only the daemon sets.
bool IsInternalOption(std::string_view name);

// As the store keeps them, and back.
std::string OptionsToJson(const TableOptions& options);
Result<TableOptions> OptionsFromJson(const std::string& json);

}  // namespace catalogd::coord
