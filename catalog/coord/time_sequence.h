#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "catalog/base/scheduler_hook.h"
#include "catalog/coord/instant.h"

// The times of one table: requested and completion times come from one strictly rising sequence,
// which survives restarts and clocks that run backwards.
// Thread safety: pure functions; a table's calls come one after the other.
// Invariants: C-I1 no time is given twice, also across restarts and failed transactions.
// Errors: kResourceExhausted past the year 9999.
// Units: milliseconds in the calendar of the table's time zone, as `InstantMillis` gives them.
namespace catalogd::coord {

struct TimeState {
  int64_t last = 0;  // Every time given is at or below it.
  // On disk before any time up to it is given out: after a restart the sequence goes on behind it.
  int64_t reserved = 0;
};

struct TimeOptions {
  std::chrono::milliseconds reserve_ahead{1000};  // So that most calls write nothing.
  std::chrono::milliseconds warn_behind = std::chrono::minutes(5);
};

struct NextTime {
  Instant instant;
  TimeState state;  // For the next call.
  // `state.reserved` has risen: it must be durable before the instant is given to anybody.
  bool must_store = false;
  // How far the wall clock is behind the sequence, once that is worth a warning. Times go on by a
  // millisecond each until it has caught up.
  std::optional<std::chrono::milliseconds> clock_behind;
};

// max(wall clock, last + 1).
Result<NextTime> TakeTime(const TimeState& state, int64_t wall_millis, const TimeOptions& options);
// What a process that starts knows: nothing but the reservation.
TimeState TimesAfterRestart(int64_t reserved);

}  // namespace catalogd::coord
