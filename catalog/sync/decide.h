#pragma once

#include <string>
#include <string_view>

#include "catalog/cache/snapshot.h"
#include "events/event.h"
#include "hms_client/metastore.h"

// What an event does to one name: a pure function of what is published about the name and of the
// event. Nothing here reads, locks or publishes.
namespace catalogd::sync {

// How far messages are believed (option events.payload).
enum class PayloadMode {
  kTrust,   // Applied where the measured table says they are exact.
  kVerify,  // The same, and a sample is read again and compared.
  kStub,    // Never: every change makes a stub.
};

enum class Action {
  kSkipOld,           // The slot's synced id is at or above the event.
  kAdvance,           // Nothing of the object changes; the synced id moves.
  kAdvanceStub,       // The content is not loaded, so the change costs nothing.
  kRemove,            // The name becomes absent.
  kPutTable,          // Table image replaces the table; partitions stay (or start empty on create).
  kPatchPartitions,   // Partitions are put and removed.
  kForgetPartitions,  // The table stays, its partitions must be read again.
  kMakeStub,          // Exists, must be read again.
  kMakeUnknown,       // The log contradicts what we know, or the message cannot be understood.
};
inline constexpr int kActionCount = static_cast<int>(Action::kMakeUnknown) + 1;
std::string_view ActionName(Action action);

struct Decision {
  Action action = Action::kAdvance;
  bool new_incarnation = false;
  bool drop_partitions = false;   // kPutTable: the partition set is not known any more.
  bool empty_partitions = false;  // kPutTable: a new table has an empty, complete set.
  bool contradiction = false;     // Counted and shown.
  std::string_view reason;        // Literal, for the journal.
};

struct DecideOptions {
  PayloadMode payload = PayloadMode::kTrust;
  // Servers differ in what their messages leave out; of an unknown one the least is believed.
  hms::Generation generation = hms::Generation::kUnknown;
};

// The effect of `event` on the slot of `name`. REQUIRES: event.Touches(name).
// `renamed_from`: for the new end of a rename, what is published about the old end.
Decision Decide(const cache::SlotView& slot, const events::Event& event, const ObjectName& name,
                const cache::SlotView* renamed_from, const DecideOptions& options);

}  // namespace catalogd::sync
