#include <algorithm>
#include <utility>

#include "catalog/endpoint/endpoint.h"
#include "thrift/wire/write.h"

// Reads whose answers are kept as the metastore gave them: functions, constraints, statistics.
namespace catalogd::endpoint {

bool Endpoint::MayKeepSide(const MethodRow& row, const SideRequest& request) const {
  if (!parts_.view->Serves(request.target)) return false;
  const hms::Generation generation = parts_.view->Generation();
  if (generation == hms::Generation::kUnknown) return false;
  if (row.AnnouncedOn(generation) == ddl::Announced::kNever) return false;
  if (row.side != sync::SideKind::kStatistics) return true;
  if (row.name == "get_aggr_stats_for" && parts_.view->CachesAggregates()) return false;
  // Statistics of a transactional table hold for some write ids only, and commits name no table.
  const cache::SlotView slot = parts_.view->Look(request.target).view;
  if (slot.state == cache::SlotState::kStub) parts_.view->RequestLoad(request.target);
  return slot.state == cache::SlotState::kPresent && slot.snapshot != nullptr &&
         !slot.snapshot->transactional && !slot.snapshot->materialized_view;
}

ReadAnswer Endpoint::AnswerSide(const wire::MessageHeader& header, const SideRequest& request,
                                EventId floor, std::string* reply) const {
  ReadAnswer answer;
  const bool of_all = request.question.owners.empty();
  if (of_all && !parts_.view->ListsAreExact()) return answer;
  // Before the look-up: an event of then or earlier would have dropped the answer.
  answer.position = parts_.view->FetchedTo();
  for (const ObjectName& owner : request.question.owners) {
    floor = std::max(floor, parts_.view->FloorOf(owner));
  }
  if (of_all) floor = std::max(floor, parts_.view->FloorOf(request.target));
  if (answer.position < floor) {
    answer.status = ReadAnswer::Status::kBelowFloor;
    answer.floor = floor;
    answer.wait_names = request.question.owners;
    return answer;
  }
  const auto kept = parts_.view->side_answers().Find(request.question.call);
  if (kept == nullptr) return answer;
  *reply = *kept;
  wire::SetSequenceId(reply, header.sequence_id);
  parts_.view->side_answers().CountHit();
  answer.status = ReadAnswer::Status::kAnswered;
  return answer;
}

std::optional<Endpoint::Keeping> Endpoint::BeginKeeping(const Call& call) {
  if (call.row == nullptr || call.row->kind != Kind::kSideRead) return std::nullopt;
  parts_.view->side_answers().CountMiss();
  // Settings that a client has made for its connection may change what it is answered.
  if (call.state->has_own_channel()) return std::nullopt;
  auto question = ParseQuestion(*call.row, call.Arguments());
  if (!question.side) return std::nullopt;
  auto reading = parts_.view->side_answers().Begin(question.side->question);
  if (!reading) return std::nullopt;
  return Keeping{std::move(*question.side), std::move(*reading)};
}

void Endpoint::Keep(const Call& call, Keeping keeping, const std::string& reply) {
  const auto owners = OwnersInReply(*call.row, keeping.request.target, reply);
  if (!owners) return;
  parts_.view->side_answers().Keep(std::move(keeping.reading), reply, *owners);
}

}  // namespace catalogd::endpoint
