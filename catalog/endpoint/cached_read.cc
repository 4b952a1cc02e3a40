#include "catalog/endpoint/cached_read.h"

#include <algorithm>

#include "catalog/base/utf8.h"
#include "catalog/endpoint/cached_text.h"
#include "thrift/wire/write.h"

namespace catalogd::endpoint {

using cache::SlotState;
using wire::TType;

ReadAnswer CachedRead::Answer(const ReadRequest& request, std::string* reply) {
  ReadAnswer answer;
  switch (row_.read.shape) {
    case ReadShape::kTable:
    case ReadShape::kDatabase:
      Object(request, &answer, reply);
      break;
    case ReadShape::kTables:
      Tables(request, &answer, reply);
      break;
    case ReadShape::kDatabaseNames:
    case ReadShape::kTableNames:
      Names(request, &answer, reply);
      break;
    case ReadShape::kPartition:
    case ReadShape::kPartitionByName:
      Partition(request, &answer, reply);
      break;
    case ReadShape::kPartitions:
      Partitions(request, &answer, reply);
      break;
    case ReadShape::kPartitionsByNames:
      PartitionsByNames(request, &answer, reply);
      break;
    case ReadShape::kPartitionNames:
      PartitionNames(request, &answer, reply);
      break;
    case ReadShape::kPartitionsPs:
    case ReadShape::kPartitionNamesPs:
      PartitionsPs(request, &answer, reply);
      break;
    case ReadShape::kPartitionsByFilter:
    case ReadShape::kPartitionCount:
      PartitionsByFilter(request, &answer, reply);
      break;
    case ReadShape::kNone:
      break;
  }
  return answer;
}

std::optional<cache::SlotView> CachedRead::Slot(const ObjectName& name, ReadAnswer* answer) {
  const EventId floor = std::max(floor_, view_.FloorOf(name));
  sync::ReadPosition at = view_.Look(name);
  if (at.effective < floor) at = view_.LookAtLeast(name, floor);
  if (at.effective < floor) {
    // With several names the first one below is waited for; the others are looked at after it.
    answer->status = ReadAnswer::Status::kBelowFloor;
    answer->floor = floor;
    answer->wait_names = {name};
    return std::nullopt;
  }
  if (at.view.state == SlotState::kStub || at.view.state == SlotState::kUnknown) {
    answer->load = name;
    return std::nullopt;
  }
  if (!position_ || at.effective < *position_) position_ = at.effective;
  return std::move(at.view);
}

cache::SnapshotPtr CachedRead::Table(const ObjectName& name, ReadAnswer* answer) {
  const auto slot = Slot(name, answer);
  if (!slot || slot->state != SlotState::kPresent || slot->snapshot == nullptr) return nullptr;
  const cache::Snapshot& table = *slot->snapshot;
  // Views that change with their sources; tables whose answer depends on the client's capabilities
  // and transactions; tables that are not followed.
  if (table.materialized_view || table.transactional || table.sync_disabled) return nullptr;
  return slot->snapshot;
}

cache::SnapshotPtr CachedRead::PartitionedTable(const ReadRequest& request, ReadAnswer* answer) {
  cache::SnapshotPtr table = Table(request.target, answer);
  if (table == nullptr) return nullptr;
  if (table->partitions == nullptr) {
    answer->load = request.target;
    return nullptr;
  }
  if (row_.read.with_auth && HasPartitionPrivileges(*table)) return nullptr;
  return table;
}

// Hive 3 and 4 read one partition, and Hive 3 also those of `_ps`, `_with_auth` and LIKE, in a way
// that shows members of the serde which a read of many leaves out; from that the cache may come.
bool CachedRead::MayLackMembers(const cache::Snapshot& table, bool singly) const {
  if (table.partitions->whole()) return false;
  const bool one =
      row_.read.shape == ReadShape::kPartition || row_.read.shape == ReadShape::kPartitionByName;
  switch (view_.Generation()) {
    case hms::Generation::kHive2:  // Its serde has no such members.
      return false;
    case hms::Generation::kHive4:
      return one;
    case hms::Generation::kHive3:
    case hms::Generation::kUnknown:
      return one || singly || row_.read.with_auth || row_.read.shape == ReadShape::kPartitionsPs;
  }
  return true;
}

void CachedRead::Begin(TType type, std::string* reply) const {
  wire::Writer out(reply);
  out.MessageBegin(wire::MessageType::kReply, header_.method, header_.sequence_id);
  if (row_.read.result == ReadResult::kWrapped) {
    out.Field(TType::kStruct, 0);
    out.Field(type, 1);
  } else {
    out.Field(type, 0);
  }
}

void CachedRead::End(ReadAnswer* answer, std::string* reply) const {
  if (row_.read.result == ReadResult::kWrapped) reply->push_back('\0');
  reply->push_back('\0');
  answer->status = ReadAnswer::Status::kAnswered;
  answer->position = position_.value_or(EventId());
}

void CachedRead::NotFound(const std::string& text, ReadAnswer* answer, std::string* reply) const {
  wire::Writer out(reply);
  out.MessageBegin(wire::MessageType::kReply, header_.method, header_.sequence_id);
  out.Field(TType::kStruct, row_.read.not_found);
  out.StringField(1, ValidUtf8(text));
  out.Stop();
  out.Stop();
  answer->status = ReadAnswer::Status::kAnswered;
  answer->position = position_.value_or(EventId());
}

void CachedRead::Object(const ReadRequest& request, ReadAnswer* answer, std::string* reply) {
  const auto slot = Slot(request.target, answer);
  if (!slot) return;
  if (slot->state == SlotState::kAbsent) {
    const auto text = AbsentText(request, view_.Generation());
    if (text) NotFound(*text, answer, reply);
    return;
  }
  if (slot->snapshot == nullptr) return;
  const cache::Snapshot& object = *slot->snapshot;
  if (object.materialized_view || object.transactional || object.sync_disabled) return;
  reply->reserve(object.object.size() + header_.method.size() + 32);
  Begin(TType::kStruct, reply);
  reply->append(object.object);
  End(answer, reply);
}

void CachedRead::Tables(const ReadRequest& request, ReadAnswer* answer, std::string* reply) {
  std::vector<ObjectName> names;
  names.reserve(request.list.size());
  for (const std::string& table : request.list) {
    names.push_back(ObjectName::Table(request.target.catalog(), request.target.db(), table));
    if (names.back().is_database()) return;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<cache::SnapshotPtr> found;
  for (const ObjectName& name : names) {
    if (!view_.Serves(name)) return;
    const auto slot = Slot(name, answer);
    if (!slot) return;
    if (slot->state == SlotState::kAbsent) continue;
    cache::SnapshotPtr table = Table(name, answer);
    if (table == nullptr) return;
    found.push_back(std::move(table));
  }
  // Only then does the metastore look whether there is such a database.
  if (found.empty()) {
    const auto db = Slot(request.target, answer);
    if (!db || db->state != SlotState::kPresent) return;
  }
  Begin(TType::kList, reply);
  wire::Writer(reply).ListBegin(TType::kStruct, found.size());
  for (const auto& table : found) reply->append(table->object);
  End(answer, reply);
}

void CachedRead::Names(const ReadRequest& request, ReadAnswer* answer, std::string* reply) {
  const bool databases = row_.read.shape == ReadShape::kDatabaseNames;
  if (!view_.ListsAreExact()) return;
  const EventId watermark = view_.Watermark();
  const EventId floor = std::max(floor_, view_.FloorOf(request.target));
  if (watermark < floor) {
    answer->status = ReadAnswer::Status::kBelowFloor;
    answer->floor = floor;
    return;
  }
  auto listing =
      databases ? view_.Databases(request.target.catalog()) : view_.Tables(request.target);
  // An empty catalog is more likely an unknown one.
  if (!listing.exact || (databases && listing.names.empty())) return;
  if (request.names && !request.names->matches_all()) {
    std::erase_if(listing.names,
                  [&](const std::string& name) { return !request.names->Matches(name); });
  }
  position_ = watermark;
  Begin(TType::kList, reply);
  AppendStrings(listing.names, reply);
  End(answer, reply);
}

void CachedRead::Partition(const ReadRequest& request, ReadAnswer* answer, std::string* reply) {
  const cache::SnapshotPtr table = PartitionedTable(request, answer);
  if (table == nullptr) return;
  std::string name(request.text);
  if (row_.read.shape == ReadShape::kPartition) {
    if (table->partition_keys.empty() || table->partition_keys.size() != request.list.size()) {
      return;
    }
    auto made = MakePartitionName(table->partition_keys, request.list);
    if (!made) return;
    name = std::move(*made);
  }
  // Names that are not written as the metastore writes them are understood by it all the same.
  const auto asked = [&] {
    return row_.read.shape == ReadShape::kPartition
               ? std::optional(request.list)
               : ValuesOfExactName(table->partition_keys, name);
  };
  if (table->partitions->Contains(name)) {
    if (MayLackMembers(*table)) return;
    if (MayHaveOtherValues(name) && asked() != ValuesOf(*table->partitions, name)) return;
    Begin(TType::kStruct, reply);
    table->partitions->AppendPartition(name, reply);
    End(answer, reply);
    return;
  }
  const auto values = asked();
  if (values && !row_.read.with_auth) NotFound(AbsentPartitionText(*values), answer, reply);
}

void CachedRead::Partitions(const ReadRequest& request, ReadAnswer* answer, std::string* reply) {
  const cache::SnapshotPtr table = PartitionedTable(request, answer);
  if (table == nullptr || MayLackMembers(*table)) return;
  size_t count = table->partitions->size();
  if (request.max >= 0) count = std::min(count, static_cast<size_t>(request.max));
  Begin(TType::kList, reply);
  wire::Writer(reply).ListBegin(TType::kStruct, count);
  table->partitions->AppendFirst(request.max, reply);
  End(answer, reply);
}

void CachedRead::PartitionNames(const ReadRequest& request, ReadAnswer* answer,
                                std::string* reply) {
  const cache::SnapshotPtr table = PartitionedTable(request, answer);
  if (table == nullptr) return;
  Begin(TType::kList, reply);
  AppendStrings(table->partitions->Names(request.max), reply);
  End(answer, reply);
}

void CachedRead::PartitionsByNames(const ReadRequest& request, ReadAnswer* answer,
                                   std::string* reply) {
  const cache::SnapshotPtr table = PartitionedTable(request, answer);
  if (table == nullptr) return;
  std::vector<std::string> names = request.list;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  Begin(TType::kList, reply);
  CountedList list(TType::kStruct, reply);
  for (const std::string& name : names) {
    if (table->partitions->AppendPartition(name, reply)) list.Count();
  }
  list.Finish();
  End(answer, reply);
}

void CachedRead::PartitionsPs(const ReadRequest& request, ReadAnswer* answer, std::string* reply) {
  const cache::SnapshotPtr table = PartitionedTable(request, answer);
  if (table == nullptr || MayLackMembers(*table)) return;
  const auto match = ValuePrefix::Of(table->partition_keys, request.list);
  // Servers of different age choose different ones when not all are asked for.
  if (!match || request.max >= 0) return;
  const bool names_only = row_.read.shape == ReadShape::kPartitionNamesPs;
  Begin(TType::kList, reply);
  CountedList list(names_only ? TType::kString : TType::kStruct, reply);
  table->partitions->ForEach([&](std::string_view name, const cache::PartitionSet::Append& append) {
    if (!match->Matches(name)) return true;
    if (names_only) {
      wire::Writer(reply).String(name);
    } else {
      append(reply);
    }
    list.Count();
    return true;
  });
  list.Finish();
  End(answer, reply);
}

}  // namespace catalogd::endpoint
