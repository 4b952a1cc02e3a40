#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/base/ids.h"
#include "catalog/base/names.h"
#include "tests/sim/messages.h"

namespace catalogd::sim {

// One object in one state. Immutable.
struct ObjectState {
  std::string bytes;      // As the metastore answers it.
  std::string canonical;  // To compare with.
  TestTable table;        // Tables only.
  SimPartitions partitions;
  std::map<std::string, std::string> parameters;       // Databases only.
  std::map<std::string, std::string> partition_bytes;  // By partition name.
  std::map<std::string, std::string> partition_canonical;
  EventId created;  // The event that brought the object into being.
};
using StatePtr = std::shared_ptr<const ObjectState>;

enum class OpKind {
  kCreateDatabase,
  kAlterDatabase,
  kDropDatabase,
  kCreateTable,
  kAlterTable,   // One parameter.
  kAddColumn,    // `cascade`: of all partitions too, which no event tells.
  kRenameTable,  // To `other`.
  kDropTable,
  kAddPartition,
  kAlterPartition,
  kRenamePartition,
  kDropPartition,
  kTruncate,
  kInsert,       // An event that changes nothing.
  kTransaction,  // An event without a name.
  kStrangeType,  // An event of a type that nobody knows; the object changes.
  kPoison,       // The object changes, and the message is garbage.
};
std::string_view OpKindName(OpKind kind);

// One change that somebody asks the metastore for.
struct Op {
  OpKind kind = OpKind::kInsert;
  ObjectName name;
  ObjectName other;
  std::string value;      // Partition key value.
  std::string new_value;  // Partition renames.
  bool cascade = false;
  bool partitioned = false;
  bool packed = false;  // The message comes as gzip(json-2.0).
  [[nodiscard]] std::string ToString() const;
};

struct OpResult {
  bool done = false;
  std::string problem;          // Why not.
  std::vector<EventId> events;  // Rows that were written.
  std::vector<ObjectName> touched;
};

// The reference: objects and the totally ordered log of what happened to them, one step at a time.
// Knows every state of every name: S(name, e). Not a server: no calls, no faults.
// Thread safety: none; one actor at a time.
class Model {
 public:
  struct Options {
    hms::Generation generation = hms::Generation::kHive4;
    bool tables_before_database = false;  // A database drop writes a row for each table first.
    int64_t max_gap = 0;                  // Ids that may be left out between two events.
  };
  // How the log is seen: see SimMetastore.
  struct Row {
    hms::NotificationEvent event;
    int hidden = 0;  // So many fetches do not show it yet.
  };
  explicit Model(const Options& options);

  OpResult Apply(const Op& op);

  [[nodiscard]] StatePtr Now(const ObjectName& name) const;
  // The state after the last event up to `id`; null: no such object.
  [[nodiscard]] StatePtr At(const ObjectName& name, EventId id) const;
  // Ids of events that concern the name, ascending.
  [[nodiscard]] std::vector<EventId> EventsOf(const ObjectName& name) const;
  [[nodiscard]] EventId current() const { return current_; }
  [[nodiscard]] std::vector<ObjectName> Databases() const;
  [[nodiscard]] std::vector<ObjectName> Tables(const ObjectName& db) const;
  struct Rename {
    EventId id;
    ObjectName from;
    ObjectName to;
  };
  [[nodiscard]] const std::vector<Rename>& renames() const { return renames_; }

  // Odd things that happen to logs.
  void Clean(EventId to);
  // Back to the backup of event `to`: later events never happened.
  void Restore(EventId to, bool other_uuid);
  void HideLast(int fetches);
  [[nodiscard]] int era() const { return era_; }
  [[nodiscard]] const std::string& uuid() const { return uuid_; }
  [[nodiscard]] hms::Generation generation() const { return options_.generation; }
  std::vector<Row>& rows() { return rows_; }

 private:
  using History = std::vector<std::pair<EventId, StatePtr>>;
  // One operation while it is being applied.
  struct Step;

  void Create(const Op& op, Step* step);
  void Alter(const Op& op, Step* step);
  void Rename_(const Op& op, Step* step);
  void Drop(const Op& op, Step* step);
  void ChangePartitions(const Op& op, Step* step);
  void ChangeDatabase(const Op& op, Step* step);
  [[nodiscard]] std::string Stamped(std::string message) const;
  EventId Write(const std::string& type, const ObjectName& name, const std::string& written,
                Step* step);
  void Put(const ObjectName& name, StatePtr state, EventId id, Step* step);
  [[nodiscard]] StatePtr TableState(const TestTable& table, const SimPartitions& partitions,
                                    EventId created) const;
  std::string Fresh() { return std::to_string(++fresh_); }

  const Options options_;
  std::map<ObjectName, History> history_;
  std::vector<Row> rows_;
  std::vector<Rename> renames_;
  EventId current_;
  int era_ = 0;
  std::string uuid_ = "uuid-0";
  int64_t fresh_ = 0;
};

}  // namespace catalogd::sim
