#include "catalog/sync/collapsed_lane.h"

#include <algorithm>

namespace catalogd::sync {
namespace {

using cache::SlotState;
using events::EventKind;

// Kinds that leave the object as it is (decide.cc).
bool LeavesObject(EventKind kind) {
  switch (kind) {
    case EventKind::kInsert:
    case EventKind::kCreateFunction:
    case EventKind::kDropFunction:
    case EventKind::kConstraint:
    case EventKind::kTransaction:
    case EventKind::kIndex:
    case EventKind::kDeleteStats:
      return true;
    default:
      return false;
  }
}

}  // namespace

void CollapsedLane::Add(const events::Event& event) {
  ++events_;
  last_ = std::max(last_, event.id);
  late_ = late_ || event.late;
  switch (event.kind) {
    case EventKind::kCreateDatabase:
    case EventKind::kCreateTable:
      existence_ = Existence::kExists;
      existence_since_ = event.id;
      return;
    case EventKind::kDropDatabase:
    case EventKind::kDropTable:
      if (existence_ == Existence::kGone) doubtful_at_ = event.id;
      existence_ = Existence::kGone;
      existence_since_ = event.id;
      return;
    default:
      break;
  }
  if (LeavesObject(event.kind)) return;
  changed_at_ = event.id;
  // A broken ALTER_TABLE may have been a rename.
  const bool unreadable = event.kind == EventKind::kAlterTable && !event.problem.empty();
  if (unreadable || existence_ == Existence::kGone) doubtful_at_ = event.id;
}

CollapsedLane::Outcome CollapsedLane::For(const cache::SlotView& slot) const {
  Outcome outcome;
  outcome.moves = last_ > slot.synced || late_;
  if (!outcome.moves) return outcome;
  const bool doubtful = doubtful_at_ > slot.synced && doubtful_at_ >= existence_since_;
  if (late_ || doubtful) return outcome;
  if (existence_since_ > slot.synced) {
    if (existence_ == Existence::kGone) {
      outcome.state = SlotState::kAbsent;
    } else {
      outcome.state = SlotState::kStub;
      outcome.incarnation = existence_since_;
    }
    return outcome;
  }
  outcome.state = slot.state;
  if (changed_at_ <= slot.synced) return outcome;
  // Something that is not there cannot have changed.
  if (slot.state == SlotState::kAbsent) outcome.state = SlotState::kUnknown;
  if (slot.state == SlotState::kPresent) outcome.state = SlotState::kStub;
  return outcome;
}

}  // namespace catalogd::sync
