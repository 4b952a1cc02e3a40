#include "catalog/sync/fold.h"

#include <algorithm>

#include "catalog/base/mutant.h"
#include "catalog/base/probes.h"
#include "catalog/sync/image.h"
#include "catalog/sync/stored_lengths.h"
#include "thrift/idl/field_ids.h"
#include "thrift/wire/view.h"

namespace catalogd::sync {
namespace {

using cache::PartitionSet;
using cache::SlotState;
using cache::SlotView;
using events::Event;

void Become(SlotState state, FoldState* fold) {
  fold->view.state = state;
  fold->view.snapshot = nullptr;
  fold->changed = true;
}

Status PutTable(const Event& event, const Decision& decision, const SlotView* renamed_from,
                const FoldOptions& options, FoldState* fold) {
  ASSIGN_OR_RETURN(std::string table,
                   NormalizeTableImage(*event.table_image, event.kind, options.generation));
  const cache::SnapshotPtr before = fold->view.snapshot;
  const cache::SnapshotPtr same_object = renamed_from != nullptr ? renamed_from->snapshot : before;
  if (event.kind == events::EventKind::kAlterTable && same_object != nullptr) {
    ASSIGN_OR_RETURN(table, WithKeptMembers(std::move(table), same_object->object));
  }
  PartitionSet::Ptr partitions = before == nullptr ? nullptr : before->partitions;
  if (decision.drop_partitions) partitions = nullptr;
  if (decision.empty_partitions) partitions = PartitionSet::Empty();
  cache::SnapshotPtr next = cache::MakeTableSnapshot(std::move(table), partitions);
  if (next->partition_keys.empty()) {
    next = cache::WithPartitions(*next, PartitionSet::Empty());
  } else if (before != nullptr && before->partition_keys != next->partition_keys &&
             !decision.empty_partitions) {
    next = cache::WithPartitions(*next, nullptr);
  }
  fold->view.state = SlotState::kPresent;
  fold->view.snapshot = std::move(next);
  fold->changed = true;
  return Ok();
}

// As with tables, statistics that move along with a rename are written behind the message's back,
// and only where the image has this parameter. Hive 2 leaves the parameter alone.
bool StatisticsMayFollow(std::string_view partition, const FoldOptions& options) {
  if (options.generation == hms::Generation::kHive2) return false;
  const auto parameters = wire::StructView(partition).Find(ids::partition::kParameters);
  if (!parameters || parameters->type != wire::TType::kMap) return false;
  return wire::StringMapValue(parameters->value, kColumnStatisticsParameter).has_value();
}

// Names that the event takes away: dropped ones, and the old ends of partition renames.
Result<std::vector<std::string>> RemovedNames(const Event& event,
                                              const std::vector<std::string>& keys) {
  std::vector<std::string> names;
  for (const auto& values : event.partition_values) {
    ASSIGN_OR_RETURN(std::string name, MakePartitionName(keys, values));
    names.push_back(std::move(name));
  }
  if (!names.empty()) return names;
  for (const auto& spec : event.partition_specs) {
    ASSIGN_OR_RETURN(std::string name, PartitionNameOf(keys, spec));
    names.push_back(std::move(name));
  }
  return names;
}

Status PatchPartitions(const Event& event, const FoldOptions& options, FoldState* fold) {
  const cache::Snapshot& before = *fold->view.snapshot;
  const std::vector<std::string>& keys = before.partition_keys;
  std::vector<PartitionSet::Entry> put;
  for (const events::PartitionImage& image : event.partitions) {
    ASSIGN_OR_RETURN(std::string bytes, NormalizePartitionImage(image.bytes, options.generation));
    ASSIGN_OR_RETURN(PartitionSet::Entry entry, MakePartitionEntry(keys, std::move(bytes)));
    if (entry.name.size() > kPartitionNameLimit) {
      return MakeError(ErrorCode::kUnsupported, "partition with a name too long to be stored");
    }
    put.push_back(std::move(entry));
  }
  std::vector<std::string> removed;
  if (event.kind != events::EventKind::kAddPartition) {
    ASSIGN_OR_RETURN(removed, RemovedNames(event, keys));
  }
  const bool renamed = event.kind == events::EventKind::kAlterPartition && removed.size() == 1 &&
                       put.size() == 1 && removed[0] != put[0].name;
  if (renamed && StatisticsMayFollow(put[0].bytes, options)) {
    return MakeError(ErrorCode::kUnsupported, "renamed partition with column statistics");
  }
  fold->view.snapshot =
      cache::WithPartitions(before, before.partitions->With(std::move(put), removed));
  fold->changed = true;
  return Ok();
}

// The message has all parameters or only this one, depending on the call; no other changes.
Status PatchStatistics(const Event& event, FoldState* fold) {
  const cache::Snapshot& before = *fold->view.snapshot;
  if (event.partition_statistics->size() > kPartitionParameterLimit) {
    return MakeError(ErrorCode::kUnsupported, "statistics too long to be stored");
  }
  std::vector<PartitionSet::Entry> put;
  for (const auto& values : event.partition_values) {
    ASSIGN_OR_RETURN(const std::string name, MakePartitionName(before.partition_keys, values));
    std::string bytes;
    if (!before.partitions->AppendPartition(name, &bytes)) {
      return MakeError(ErrorCode::kInvalidState, "statistics of a partition that is not there");
    }
    bytes = WithPartitionParameter(bytes, kColumnStatisticsParameter, *event.partition_statistics);
    ASSIGN_OR_RETURN(PartitionSet::Entry entry,
                     MakePartitionEntry(before.partition_keys, std::move(bytes)));
    put.push_back(std::move(entry));
  }
  fold->view.snapshot = cache::WithPartitions(before, before.partitions->With(std::move(put), {}));
  fold->changed = true;
  return Ok();
}

void ForgetPartitions(FoldState* fold) {
  fold->view.snapshot = cache::WithPartitions(*fold->view.snapshot, nullptr);
  fold->changed = true;
}

// An image that cannot be applied after all costs what it would have replaced.
void OnBrokenImage(const Decision& decision, FoldState* fold) {
  MARK("fold.broken_image");
  if (decision.action == Action::kPatchPartitions) {
    ForgetPartitions(fold);
  } else {
    Become(SlotState::kStub, fold);
  }
}

void Perform(const Event& event, const SlotView* renamed_from, const FoldOptions& options,
             Decision* decision, FoldState* fold) {
  Status status = Ok();
  switch (decision->action) {
    case Action::kSkipOld:
    case Action::kAdvance:
    case Action::kAdvanceStub:
      return;
    case Action::kRemove:
      Become(SlotState::kAbsent, fold);
      return;
    case Action::kPutTable:
      status = PutTable(event, *decision, renamed_from, options, fold);
      break;
    case Action::kPatchPartitions:
      status = event.kind == events::EventKind::kUpdatePartitionStats
                   ? PatchStatistics(event, fold)
                   : PatchPartitions(event, options, fold);
      break;
    case Action::kForgetPartitions:
      ForgetPartitions(fold);
      return;
    case Action::kMakeStub:
      Become(SlotState::kStub, fold);
      return;
    case Action::kMakeUnknown:
      Become(SlotState::kUnknown, fold);
      return;
  }
  if (status) return;
  OnBrokenImage(*decision, fold);
  decision->reason = "the image cannot be applied; to be read again";
  decision->action =
      decision->action == Action::kPatchPartitions ? Action::kForgetPartitions : Action::kMakeStub;
}

}  // namespace

Decision FoldEvent(const ObjectName& name, const Event& event, const SlotView* renamed_from,
                   const FoldOptions& options, FoldState* state) {
  DecideOptions decide = options.decide;
  decide.generation = options.generation;
  Decision decision = Decide(state->view, event, name, renamed_from, decide);
  if (decision.action == Action::kSkipOld) {
    MARK("fold.skip_old");
    return decision;
  }
  Perform(event, renamed_from, options, &decision, state);
  if (decision.new_incarnation) {
    state->new_incarnation = true;
    state->view.incarnation = event.id;
  }
  state->view.synced = std::max(state->view.synced, event.id);
  state->why = decision.reason;
  state->reason = event.type;
  return decision;
}

cache::SlotChange ToChange(const ObjectName& name, const FoldState& state) {
  cache::SlotChange change;
  change.name = name;
  change.state = state.view.state;
  change.synced = state.view.synced;
  if (MutantOn(Mutant::kStubBelowSynced) && change.state == SlotState::kStub) {
    change.synced = state.base;
  }
  change.snapshot = state.view.snapshot;
  change.new_incarnation = state.new_incarnation;
  if (state.new_incarnation) change.incarnation = state.view.incarnation;
  change.checks_from = state.view.checks_from;
  change.void_reads = state.void_reads;
  change.reason = state.reason;
  if (!state.why.empty()) change.reason.append(": ").append(state.why);
  return change;
}

}  // namespace catalogd::sync
