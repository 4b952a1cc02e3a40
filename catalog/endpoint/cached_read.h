#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/endpoint/catalog_view.h"
#include "catalog/endpoint/read_request.h"
#include "thrift/wire/scan.h"

namespace catalogd::endpoint {

// What became of a read.
struct ReadAnswer {
  enum class Status {
    kAnswered,    // The reply is whole.
    kBelowFloor,  // Wait for `wait_names` (none: the watermark) to reach `floor`, then again.
    kNotExact,    // The cache cannot answer: the metastore must.
  };
  Status status = Status::kNotExact;
  EventId position;  // kAnswered: every event up to it is reflected.
  EventId floor;
  std::vector<ObjectName> wait_names;
  std::optional<ObjectName> load;  // kNotExact because this is not loaded.
};

// Answers from what is published right now, byte for byte as the metastore would, or says why not.
// Never blocks. `reply` is only touched when the status is kAnswered.
class CachedRead {
 public:
  CachedRead(const CatalogView& view, const MethodRow& row, const wire::MessageHeader& header,
             EventId floor)
      : view_(view), row_(row), header_(header), floor_(floor) {}

  ReadAnswer Answer(const ReadRequest& request, std::string* reply);

 private:
  // The slot of a name, when it may be used: exact and not below its floor. Otherwise `answer` says
  // what is in the way.
  std::optional<cache::SlotView> Slot(const ObjectName& name, ReadAnswer* answer);
  // A present table that the cache may answer for.
  cache::SnapshotPtr Table(const ObjectName& name, ReadAnswer* answer);
  cache::SnapshotPtr PartitionedTable(const ReadRequest& request, ReadAnswer* answer);

  void Object(const ReadRequest& request, ReadAnswer* answer, std::string* reply);
  void Tables(const ReadRequest& request, ReadAnswer* answer, std::string* reply);
  void Names(const ReadRequest& request, ReadAnswer* answer, std::string* reply);
  void Partition(const ReadRequest& request, ReadAnswer* answer, std::string* reply);
  void Partitions(const ReadRequest& request, ReadAnswer* answer, std::string* reply);
  void PartitionsByNames(const ReadRequest& request, ReadAnswer* answer, std::string* reply);
  void PartitionNames(const ReadRequest& request, ReadAnswer* answer, std::string* reply);
  void PartitionsPs(const ReadRequest& request, ReadAnswer* answer, std::string* reply);
  // cached_filter.cc
  void PartitionsByFilter(const ReadRequest& request, ReadAnswer* answer, std::string* reply);

  // `singly`: the metastore reads even many as it reads one.
  [[nodiscard]] bool MayLackMembers(const cache::Snapshot& table, bool singly = false) const;
  // Everything before and after the value.
  void Begin(wire::TType type, std::string* reply) const;
  void End(ReadAnswer* answer, std::string* reply) const;
  void NotFound(const std::string& text, ReadAnswer* answer, std::string* reply) const;

  const CatalogView& view_;
  const MethodRow& row_;
  const wire::MessageHeader& header_;
  const EventId floor_;
  std::optional<EventId> position_;  // The least of what was used.
};

}  // namespace catalogd::endpoint
