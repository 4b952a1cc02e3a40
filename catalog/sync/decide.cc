#include "catalog/sync/decide.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catalog/base/mutant.h"
#include "catalog/sync/image.h"
#include "catalog/sync/struct_fields.h"
#include "thrift/idl/field_ids.h"
#include "thrift/wire/view.h"

namespace catalogd::sync {
namespace {

using cache::SlotState;
using cache::SlotView;
using events::Event;
using events::EventKind;

Decision Just(Action action, std::string_view reason) {
  Decision decision;
  decision.action = action;
  decision.reason = reason;
  return decision;
}

Decision Contradiction(Action action, std::string_view reason) {
  Decision decision = Just(action, reason);
  decision.contradiction = true;
  return decision;
}

bool Exists(const SlotView& slot) {
  return slot.state == SlotState::kPresent || slot.state == SlotState::kStub;
}

// Before the end of the listing or load that made the slot, the log repeats what it has seen.
bool Checked(const SlotView& slot, const Event& event) { return event.id > slot.checks_from; }

// What the image itself says about whether it may be believed.
struct ImageTraits {
  bool materialized_view = false;
  bool full_acid = false;
  bool states_statistics = false;  // Has a parameter COLUMN_STATS_ACCURATE, whatever is in it.
};

ImageTraits TraitsOf(const StructFields& table) {
  ImageTraits traits;
  const wire::Field* type = table.Find(ids::table::kTableType, wire::TType::kString);
  traits.materialized_view =
      type != nullptr && wire::DecodeString(type->value) == "MATERIALIZED_VIEW";
  const wire::Field* parameters = table.Find(ids::table::kParameters, wire::TType::kMap);
  if (parameters == nullptr) return traits;
  traits.full_acid = IsFullAcid(table);
  traits.states_statistics =
      wire::StringMapValue(parameters->value, kColumnStatisticsParameter).has_value();
  return traits;
}

ImageTraits TraitsOf(std::string_view table) { return TraitsOf(StructFields(table)); }

// Encoded list of columns; empty when there is none.
std::string_view ColumnsOf(const StructFields& table) {
  const wire::Field* sd = table.Find(ids::table::kSd, wire::TType::kStruct);
  if (sd == nullptr) return {};
  const auto columns = wire::StructView(sd->value).Find(ids::storage_descriptor::kCols);
  return columns && columns->type == wire::TType::kList ? columns->value : std::string_view();
}

// Hive 3 and later keep the sources' state inside a materialized view and tell nobody when it
// changes.
bool ChangesUnseen(bool materialized_view, const DecideOptions& options) {
  return materialized_view && options.generation != hms::Generation::kHive2;
}

// Hive 4.1 writes statistics anew when a table is renamed or loses columns, and their parameter
// with them, after the message. No message tells whether there are any.
bool RewritesStatistics(const DecideOptions& options) {
  return options.generation != hms::Generation::kHive2 &&
         options.generation != hms::Generation::kHive3;
}

// Name and type of each column, as the metastore compares them.
std::vector<std::pair<std::string, std::string>> NamesAndTypes(std::string_view table) {
  std::vector<std::pair<std::string, std::string>> columns;
  const std::string_view list = cache::ColumnsOf(table);
  if (list.empty()) return columns;
  for (const std::string_view column : wire::ListView(list).Elements()) {
    const wire::StructView view(column);
    columns.emplace_back(NormalizeName(view.String(ids::field_schema::kName).value_or("")),
                         NormalizeName(view.String(ids::field_schema::kType).value_or("")));
  }
  return columns;
}

// A column of `before` is gone or has another type.
bool LosesColumns(std::string_view before, std::string_view after) {
  const auto kept = NamesAndTypes(after);
  const auto old = NamesAndTypes(before);
  return std::any_of(old.begin(), old.end(), [&kept](const auto& column) {
    return std::find(kept.begin(), kept.end(), column) == kept.end();
  });
}

// Known to exist, but what the log says next cannot hold for something that does not.
Decision OnAbsent(const SlotView& slot, const Event& event) {
  if (Checked(slot, event)) {
    return Contradiction(Action::kMakeUnknown, "the log changes a name that does not exist");
  }
  return Just(Action::kMakeUnknown, "changed before the listing ended");
}

Decision CreateTable(const SlotView& slot, const Event& event, const DecideOptions& options) {
  if (Exists(slot) && Checked(slot, event)) {
    return Contradiction(Action::kMakeStub, "the log creates a table that exists");
  }
  Decision stub = Just(Action::kMakeStub, "created; the message does not suffice");
  stub.new_incarnation = true;
  if (options.payload == PayloadMode::kStub || !event.problem.empty() || !event.table_image) {
    return stub;
  }
  const ImageTraits traits = TraitsOf(*event.table_image);
  const bool exact = options.generation == hms::Generation::kHive2 ||
                     (!traits.materialized_view && !traits.full_acid);
  if (!exact) return stub;
  Decision put = Just(Action::kPutTable, "created");
  put.new_incarnation = true;
  put.empty_partitions = true;
  return put;
}

Decision RenameTarget(const SlotView& slot, const Event& event, const SlotView& from,
                      const DecideOptions& options) {
  if (from.state == SlotState::kAbsent) {
    return Checked(from, event)
               ? Contradiction(Action::kMakeUnknown, "renamed from a name that does not exist")
               : Just(Action::kMakeUnknown, "renamed before the listing ended");
  }
  if (Exists(slot) && Checked(slot, event)) {
    return Contradiction(Action::kMakeStub, "renamed to a name that exists");
  }
  Decision decision = Just(Action::kMakeStub, "renamed; the message does not suffice");
  decision.new_incarnation = true;
  const bool known = from.state == SlotState::kPresent && from.snapshot != nullptr;
  if (!known || options.payload == PayloadMode::kStub || !event.table_image) return decision;
  const ImageTraits traits = TraitsOf(*event.table_image);
  // Column statistics move along: the server takes them out of the parameter before it writes the
  // message and puts them back later. Hive 2 and 3 only do so by writing the parameter; Hive 4.1
  // can take it away too (Iceberg).
  if (RewritesStatistics(options) || traits.states_statistics) return decision;
  if (ChangesUnseen(traits.materialized_view, options)) return decision;
  decision.action = Action::kPutTable;
  decision.drop_partitions = true;
  decision.reason = "renamed";
  return decision;
}

Decision RenameSource(const SlotView& slot, const Event& event) {
  if (slot.state == SlotState::kAbsent) return OnAbsent(slot, event);
  return Just(Action::kRemove, "renamed away");
}

// Hive 3 announces a truncate before it does anything, and what it does with an event of its own.
Decision TruncateTable(const DecideOptions& options) {
  if (options.generation == hms::Generation::kHive3) {
    return Just(Action::kAdvance, "a truncate begins");
  }
  return Just(Action::kMakeStub, "a truncate may have failed");
}

Decision AlterTable(const SlotView& slot, const Event& event, const DecideOptions& options) {
  if (!event.problem.empty()) return Just(Action::kMakeUnknown, "the message cannot be understood");
  if (slot.state == SlotState::kAbsent) return OnAbsent(slot, event);
  if (slot.state != SlotState::kPresent) return Just(Action::kAdvanceStub, "not loaded");
  if (event.truncate) return TruncateTable(options);
  if (options.payload == PayloadMode::kStub || !event.table_image) {
    return Just(Action::kMakeStub, "the message has no image");
  }
  const StructFields image(*event.table_image);
  if (ChangesUnseen(TraitsOf(image).materialized_view, options)) {
    return Just(Action::kMakeStub, "materialized view");
  }
  const std::string& before = slot.snapshot->object;
  const bool columns = event.columns_changed || slot.snapshot->columns() != ColumnsOf(image);
  if (!columns) return Just(Action::kPutTable, "altered");
  if (RewritesStatistics(options) && LosesColumns(before, *event.table_image)) {
    return Just(Action::kMakeStub, "columns are gone; statistics of others may have changed");
  }
  Decision put = Just(Action::kPutTable, "altered with its columns");
  put.drop_partitions = !MutantOn(Mutant::kPayloadAcrossCascade);
  return put;
}

Decision ChangePartitions(const SlotView& slot, const Event& event, const DecideOptions& options) {
  if (slot.state == SlotState::kAbsent) return OnAbsent(slot, event);
  if (slot.state != SlotState::kPresent) return Just(Action::kAdvanceStub, "not loaded");
  if (slot.snapshot->partitions == nullptr) {
    return Just(Action::kAdvance, "partitions are not loaded");
  }
  if (event.truncate && options.generation == hms::Generation::kHive3 && event.problem.empty()) {
    return TruncateTable(options);
  }
  if (!event.problem.empty() || event.partitions_missing || options.payload == PayloadMode::kStub) {
    return Just(Action::kForgetPartitions, "the message has no list of partitions");
  }
  // Of an altered one the metastore keeps the storage that it had, whatever the image says.
  if (event.kind == EventKind::kAlterPartition && slot.snapshot->virtual_view) {
    return Just(Action::kForgetPartitions, "a partition of a view was altered");
  }
  return Just(Action::kPatchPartitions, "partitions changed");
}

Decision Drop(const SlotView& slot, const Event& event) {
  if (slot.state != SlotState::kAbsent) return Just(Action::kRemove, "dropped");
  if (Checked(slot, event)) {
    return Contradiction(Action::kMakeUnknown, "the log drops a name that does not exist");
  }
  return Just(Action::kAdvance, "dropped before the listing ended");
}

Decision DropDatabase(const SlotView& slot, const Event& event, const ObjectName& name) {
  if (name.is_database()) return Drop(slot, event);
  if (slot.state == SlotState::kAbsent) return Just(Action::kAdvance, "gone already");
  return Just(Action::kRemove, "went with its database");
}

Decision CreateDatabase(const SlotView& slot, const Event& event) {
  if (Exists(slot) && Checked(slot, event)) {
    return Contradiction(Action::kMakeStub, "the log creates a database that exists");
  }
  Decision decision = Just(Action::kMakeStub, "created; its message is the client's image");
  decision.new_incarnation = true;
  return decision;
}

// The object exists and something about it changed that the message does not show.
Decision MustRead(const SlotView& slot, std::string_view reason) {
  if (slot.state == SlotState::kPresent) return Just(Action::kMakeStub, reason);
  return Just(Action::kAdvanceStub, "not loaded");
}

Decision TableStats(const SlotView& slot, const Event& event, const DecideOptions& options) {
  if (slot.state != SlotState::kPresent) return Just(Action::kAdvanceStub, "not loaded");
  if (!event.problem.empty() || !event.table_image || options.payload == PayloadMode::kStub ||
      ChangesUnseen(slot.snapshot->materialized_view, options)) {
    return Just(Action::kMakeStub, "statistics changed; no usable image");
  }
  return Just(Action::kPutTable, "statistics changed");
}

Decision PartitionStats(const SlotView& slot, const Event& event, const DecideOptions& options) {
  if (slot.state != SlotState::kPresent) return Just(Action::kAdvanceStub, "not loaded");
  if (slot.snapshot->partitions == nullptr) {
    return Just(Action::kAdvance, "partitions are not loaded");
  }
  // The write id of a partition changes too where there are transactions.
  if (!event.problem.empty() || !event.partition_statistics || slot.snapshot->transactional ||
      options.payload == PayloadMode::kStub) {
    return Just(Action::kForgetPartitions, "statistics of a partition changed");
  }
  return Just(Action::kPatchPartitions, "statistics of a partition changed");
}

Decision ByKind(const SlotView& slot, const Event& event, const ObjectName& name,
                const SlotView* renamed_from, const DecideOptions& options) {
  switch (event.kind) {
    case EventKind::kCreateDatabase:
      return CreateDatabase(slot, event);
    case EventKind::kAlterDatabase:
      if (slot.state == SlotState::kAbsent) return OnAbsent(slot, event);
      return MustRead(slot, "altered; its message is the client's image");
    case EventKind::kDropDatabase:
      return DropDatabase(slot, event, name);
    case EventKind::kCreateTable:
      return CreateTable(slot, event, options);
    case EventKind::kAlterTable:
      if (!event.old_name) return AlterTable(slot, event, options);
      if (name == *event.old_name) return RenameSource(slot, event);
      return RenameTarget(slot, event, renamed_from == nullptr ? SlotView{} : *renamed_from,
                          options);
    case EventKind::kDropTable:
      return Drop(slot, event);
    case EventKind::kAddPartition:
    case EventKind::kAlterPartition:
    case EventKind::kDropPartition:
      return ChangePartitions(slot, event, options);
    case EventKind::kReload:
      return MustRead(slot, "reload was asked for");
    case EventKind::kCommitCompaction:
      return MustRead(slot, "compacted");
    case EventKind::kUpdateTableStats:
      return TableStats(slot, event, options);
    case EventKind::kUpdatePartitionStats:
      return PartitionStats(slot, event, options);
    case EventKind::kInsert:
    case EventKind::kCreateFunction:
    case EventKind::kDropFunction:
    case EventKind::kConstraint:
    case EventKind::kTransaction:
    case EventKind::kIndex:
    case EventKind::kDeleteStats:
      return Just(Action::kAdvance, "does not change the object");
    case EventKind::kUnknown:
      return MustRead(slot, "event type is not known to this build");
  }
  return MustRead(slot, "event kind without a rule");
}

}  // namespace

std::string_view ActionName(Action action) {
  switch (action) {
    case Action::kSkipOld:
      return "skip-old";
    case Action::kAdvance:
      return "advance";
    case Action::kAdvanceStub:
      return "advance-stub";
    case Action::kRemove:
      return "remove";
    case Action::kPutTable:
      return "put-table";
    case Action::kPatchPartitions:
      return "patch-partitions";
    case Action::kForgetPartitions:
      return "forget-partitions";
    case Action::kMakeStub:
      return "make-stub";
    case Action::kMakeUnknown:
      return "make-unknown";
  }
  return "?";
}

Decision Decide(const SlotView& slot, const Event& event, const ObjectName& name,
                const SlotView* renamed_from, const DecideOptions& options) {
  // An object that is there and has not got that far takes a late event of its own. Existence is
  // not its own: the drop of its database, or the other end of a rename, may have gone before.
  const bool in_place = Exists(slot) && event.id > slot.synced && !event.CrossesNames();
  if (event.late && !in_place) return Just(Action::kMakeUnknown, "the event came late");
  if (event.id <= slot.synced && !MutantOn(Mutant::kNoIdGuard)) {
    return Just(Action::kSkipOld, "already reflected");
  }
  Decision decision = ByKind(slot, event, name, renamed_from, options);
  const bool stays = decision.action == Action::kAdvance ||
                     decision.action == Action::kPatchPartitions ||
                     decision.action == Action::kForgetPartitions;
  if (stays && slot.snapshot != nullptr &&
      ChangesUnseen(slot.snapshot->materialized_view, options)) {
    return Just(Action::kMakeStub, "materialized view");
  }
  return decision;
}

}  // namespace catalogd::sync
