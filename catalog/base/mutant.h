#pragma once

#ifdef CATALOGD_SIMULATION
#include <optional>
#include <string_view>
#endif

namespace catalogd {

// Rules that the simulator breaks on purpose, one at a time, to show that it would notice. Each is
// one place in the code: `if (MutantOn(Mutant::kNoTombstone)) ...`, which is nothing at all outside
// of the simulator's own build.
enum class Mutant {
  kNone,
  kLatestJoinsSentCall,    // A reader that wants the latest joins a call already sent.
  kDdlFiltersByName,       // A DDL reads only the rows of its own names.
  kStubBelowSynced,        // A stub is published with the synced id from before its event.
  kNoIdGuard,              // Events are applied whatever the slot has seen.
  kCurrentIdIsOwnId,       // A DDL takes the current id for its own event.
  kNoTombstone,            // A drop leaves no slot.
  kEarlyCollection,        // Tombstones go before the watermark has passed them.
  kMissingSlotIsZero,      // A name without a slot counts as synced to 0.
  kIdAfterRead,            // A load asks for its lower id after it has read.
  kPublishBeforeCatchUp,   // A DDL publishes its names before it has read the log.
  kUnlockBeforePublish,    // A DDL gives its locks back before it has brought its names up.
  kBatchMarkedWithLastId,  // Every event of a batch marks its names with the batch's last id.
  kPayloadAcrossCascade,   // Partitions are kept when the columns of their table change.
};

#ifdef CATALOGD_SIMULATION
// The mutant in force; set before anything runs.
inline Mutant mutant_in_force = Mutant::kNone;
inline bool MutantOn(Mutant mutant) { return mutant_in_force == mutant; }
#else
constexpr bool MutantOn(Mutant) { return false; }
#endif

}  // namespace catalogd
