#pragma once

namespace catalogd::sim {

// Rare paths of the code under test that a run of the fixed seeds must take.
inline constexpr const char* kKnownProbes[] = {
    "applier.old_epoch",     "applier.joined",
    "catch_up.also_lock",    "catch_up.database_dropped",
    "ddl.own_event_missing", "fold.pass_over",
    "catch_up.far_behind",   "ddl.not_brought_up",
    "ddl.unknown_outcome",   "fold.contradiction",
    "fold.rename",           "fold.skip_old",
    "loader.failed",         "loader.read_void",
    "log.other_log",         "log.stopped",
    "read_index.shared",
};

}  // namespace catalogd::sim
