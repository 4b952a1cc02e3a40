#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "catalog/coord/service/coord_context.h"

// What of a table the metastore has, compared with what the daemon knows; and bringing it there.
// Invariant C-I12: the metastore has the newest committed version, an earlier one on its way to it,
// or one prepared step more.
namespace catalogd::coord {

enum class Standing {
  kAsKnown,      // The version that was published last.
  kPrepared,     // The one that is being published now.
  kBehind,       // An earlier one of ours: somebody wrote parameters from an old copy, or we lag.
  kMissing,      // Somebody took it away.
  kDetached,     // Somebody took it away and said that it is meant.
  kAhead,        // One that the store has never made: the store was restored from a copy.
  kHigherEpoch,  // Another daemon has taken the table over.
  kForeign,      // It was registered elsewhere.
  kReplaced,     // Another object has its name.
};
struct Seen {
  Standing standing = Standing::kMissing;
  std::string text;  // Of the parameter, to be expected by the next publication.
  PublishedState state;
};
// Thread safety: pure, under the table's mutex.
Seen Judge(const TableState& state, const PublishedTable& table);

// The parameters that tell of a version. REQUIRES: it is 0 or known to `state`.
Publication MakePublication(const TableState& state, IdVersion version, const std::string& nonce,
                            int64_t epoch);

std::string NewNonce();
std::string NewTableId();

// Under the table's mutex: what Judge has found decides about the table's state. OK: go on with
// `seen.text` as the expected value.
CoordStatus TakeStanding(CoordContext* context, ManagedTable* table, const Seen& seen)
    REQUIRES(table->mutex);

// Finds out on workers what became of a prepared commit that nobody can tell about, for as long as
// it takes, and settles it: committed if the metastore has it; undone once it can never get there.
// Then `then`, if given.
void SettleSoon(CoordContext* context, const ManagedTablePtr& table, Duration delay,
                std::function<void()> then = nullptr);

enum class PublishWhy {
  kNewest,      // If the metastore has an earlier version.
  kRaiseEpoch,  // In any case, so that an earlier owner with the same rows loses.
  kOverride,    // In any case, whatever the metastore has: an operator says so.
};
// Publishes the newest committed version; tries for as long as it takes. One runs for a table at a
// time; what comes meanwhile is published with the next one.
void PublishSoon(CoordContext* context, const ManagedTablePtr& table,
                 PublishWhy why = PublishWhy::kNewest, std::function<void()> then = nullptr);

}  // namespace catalogd::coord
