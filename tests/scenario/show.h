#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/scenario/world.h"

namespace catalogd::scenario {

// What `show` prints. Journal, deltas, calls and counters: what is new since they were shown last.
class Show {
 public:
  explicit Show(World* world) : world_(world) {}

  // kInvalidArgument: no such thing to show.
  Result<std::string> Print(const std::vector<std::string>& words);
  // What has happened so far, the start, is not new.
  void StartOver();

  // "#5 ALTER_TABLE db1.t1"
  static std::string Row(const hms::NotificationEvent& row);
  [[nodiscard]] std::string Status() const;

 private:
  [[nodiscard]] std::string Slot(const ObjectName& name, bool always) const;
  [[nodiscard]] std::string Slots(const std::vector<std::string>& names) const;
  [[nodiscard]] std::string Log() const;
  [[nodiscard]] std::string Locks() const;
  [[nodiscard]] std::string Floors() const;
  std::string Journal();
  std::string Deltas();
  std::string Calls(bool all);
  std::string Counters();

  World* const world_;
  size_t journal_shown_ = 0;
  CatalogVersion deltas_shown_;
  std::map<ObjectName, EventId> incarnations_;  // As the deltas have said.
  std::map<std::string, uint64_t> counted_;
};

// What differs between cache and metastore, one line per name. Loads nothing: a stub differs from
// nothing that exists, an unknown name from nothing at all.
std::string CompareWithTruth(World* world);

}  // namespace catalogd::scenario
