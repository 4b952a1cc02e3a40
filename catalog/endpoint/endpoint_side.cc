#include <algorithm>
#include <array>
#include <utility>

#include "catalog/endpoint/endpoint.h"
#include "thrift/idl/object_field_ids.h"
#include "thrift/wire/write.h"

// Reads whose answers are kept as the metastore gave them: functions, constraints, statistics.
namespace catalogd::endpoint {
namespace {

bool IsOfOneTable(sync::SideKind kind) {
  return kind == sync::SideKind::kStatistics || kind == sync::SideKind::kSchema ||
         kind == sync::SideKind::kContent;
}

// Other serdes are asked for the columns, and may read them from a file that changes by itself.
bool HasItsSchemaInTheMetastore(const cache::Snapshot& table) {
  constexpr std::array<std::string_view, 6> kSerdes = {
      "org.apache.hadoop.hive.ql.io.orc.OrcSerde",
      "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
      "org.apache.hadoop.hive.serde2.columnar.ColumnarSerDe",
      "org.apache.hadoop.hive.serde2.columnar.LazyBinaryColumnarSerDe",
      "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
      "org.apache.hadoop.hive.serde2.lazybinary.LazyBinarySerDe"};
  const auto storage = wire::StructView(table.object).Struct(ids::table::kSd);
  const auto serde = storage ? storage->Struct(ids::storage_descriptor::kSerdeInfo) : std::nullopt;
  const auto library = serde ? serde->String(ids::serde_info::kSerializationLib) : std::nullopt;
  return library && std::find(kSerdes.begin(), kSerdes.end(), *library) != kSerdes.end();
}

}  // namespace

bool Endpoint::MayKeepSide(const MethodRow& row, const SideRequest& request) const {
  if (!parts_.view->Serves(request.target)) return false;
  const hms::Generation generation = parts_.view->Generation();
  if (generation == hms::Generation::kUnknown) return false;
  if (row.AnnouncedOn(generation) == ddl::Announced::kNever) return false;
  if (!IsOfOneTable(row.side.kind)) return true;
  if (row.side.is_aggregate && parts_.view->CachesAggregates()) return false;
  // What is told of a transactional table holds for some write ids only, and commits name no table.
  const cache::SlotView slot = parts_.view->Look(request.target).view;
  if (slot.state == cache::SlotState::kStub) parts_.view->RequestLoad(request.target);
  if (slot.state != cache::SlotState::kPresent || slot.snapshot == nullptr) return false;
  const cache::Snapshot& table = *slot.snapshot;
  if (table.transactional || table.materialized_view) return false;
  if (row.side.kind == sync::SideKind::kStatistics) return true;
  return !table.sync_disabled &&
         (row.side.kind != sync::SideKind::kSchema || HasItsSchemaInTheMetastore(table));
}

ReadAnswer Endpoint::AnswerSide(const wire::MessageHeader& header, const SideRequest& request,
                                EventId floor, std::string* reply) const {
  ReadAnswer answer;
  const bool of_all = request.question.owners.empty();
  const bool is_list = request.question.kind == sync::SideKind::kTableList;
  if ((of_all || is_list) && !parts_.view->ListsAreExact()) return answer;
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
  if (parts_.view->ReadsPerUser()) return std::nullopt;
  parts_.view->side_answers().CountMiss();
  // Settings that a client has made for its connection may change what it is answered.
  if (call.state->has_own_channel()) return std::nullopt;
  auto question = ParseQuestion(*call.row, call.Arguments(), call.state->release);
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
