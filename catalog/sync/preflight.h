#pragma once

#include <string>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/sync/decide.h"
#include "hms_client/metastore.h"

namespace catalogd::sync {

// Whether the metastore judges who may read what (option --authorization): then an answer for one
// user says nothing about another. kAuto: as its configuration looks.
enum class Authorization { kAuto, kNone, kPerUser };

enum class FindingLevel { kOk, kWarning, kFatal };
std::string_view FindingLevelName(FindingLevel level);

// One thing the preflight looked at.
struct Finding {
  std::string check;  // "notification listener".
  FindingLevel level = FindingLevel::kOk;
  std::string text;    // What was found.
  std::string advice;  // What to do; empty when all is well.
};

// Whether this metastore's log can be trusted to tell everything. Any kFatal: the daemon is a pure
// proxy, because nothing would ever look stale.
struct PreflightReport {
  hms::ServerFacts facts;
  std::vector<Finding> findings;
  // The server may answer get_aggr_stats_for from a cache of its own that no event empties.
  bool caches_aggregates = true;
  // Reads are answered only to users to whom the metastore has answered them.
  bool reads_per_user = true;
  [[nodiscard]] bool exact() const;
  // The fatal findings in one line; empty when exact.
  [[nodiscard]] std::string reason() const;
};

// Asks the server: transactional listener there, notifications readable, parameters not excluded
// from messages, no CachedStore, no filter hooks, who may read, uuid, version. kUnavailable etc.
// when it cannot be asked. `payload`: what messages leave out does not matter where they are not
// believed.
Result<PreflightReport> RunPreflight(hms::Metastore* metastore, TimePoint deadline,
                                     PayloadMode payload = PayloadMode::kTrust,
                                     Authorization authorization = Authorization::kAuto);

}  // namespace catalogd::sync
