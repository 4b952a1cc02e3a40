#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>

namespace catalogd {

// A 64-bit number that cannot be mixed up with another kind of number.
template <class Tag>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(int64_t value) : value_(value) {}
  [[nodiscard]] constexpr int64_t value() const { return value_; }
  [[nodiscard]] constexpr StrongId Next() const { return StrongId(value_ + 1); }
  friend constexpr auto operator<=>(StrongId, StrongId) = default;
  friend std::ostream& operator<<(std::ostream& out, StrongId id) { return out << id.value_; }

 private:
  int64_t value_ = 0;
};

// Notification id of the metastore; 0 = before everything. Comparable only within one LogEpoch.
using EventId = StrongId<struct EventIdTag>;
// Our own commit counter; never repeats, also across restarts.
using CatalogVersion = StrongId<struct CatalogVersionTag>;
// Rises whenever the notification log turns out to be another one. Kept on disk.
using LogEpoch = StrongId<struct LogEpochTag>;

// A position in the history of a metastore.
struct LogPosition {
  LogEpoch epoch;
  EventId event;
  friend constexpr auto operator<=>(const LogPosition&, const LogPosition&) = default;
};

}  // namespace catalogd

template <class Tag>
struct std::hash<catalogd::StrongId<Tag>> {
  size_t operator()(catalogd::StrongId<Tag> id) const noexcept {
    return std::hash<int64_t>{}(id.value());
  }
};
