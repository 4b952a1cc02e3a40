#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "catalog/base/mutant.h"

namespace catalogd::sim {

// What `sim --mutant` takes.
inline constexpr std::pair<const char*, Mutant> kMutants[] = {
    {"latest-joins-sent-call", Mutant::kLatestJoinsSentCall},
    {"ddl-filters-by-name", Mutant::kDdlFiltersByName},
    {"stub-below-synced", Mutant::kStubBelowSynced},
    {"no-id-guard", Mutant::kNoIdGuard},
    {"current-id-is-own-id", Mutant::kCurrentIdIsOwnId},
    {"no-tombstone", Mutant::kNoTombstone},
    {"early-collection", Mutant::kEarlyCollection},
    {"missing-slot-is-zero", Mutant::kMissingSlotIsZero},
    {"id-after-read", Mutant::kIdAfterRead},
    {"publish-before-catch-up", Mutant::kPublishBeforeCatchUp},
    {"unlock-before-publish", Mutant::kUnlockBeforePublish},
    {"batch-marked-with-last-id", Mutant::kBatchMarkedWithLastId},
    {"payload-across-cascade", Mutant::kPayloadAcrossCascade},
};

inline std::optional<Mutant> FindMutant(std::string_view name) {
  for (const auto& [known, mutant] : kMutants) {
    if (name == known) return mutant;
  }
  return std::nullopt;
}

}  // namespace catalogd::sim
