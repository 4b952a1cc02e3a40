#include "tests/sim/model.h"

#include <algorithm>
#include <utility>

#include "tests/support/fake_log.h"

namespace catalogd::sim {

using wire::TType;

struct Model::Step {
  const Op* op = nullptr;
  OpResult result;
};

std::string_view OpKindName(OpKind kind) {
  switch (kind) {
    case OpKind::kCreateDatabase:
      return "create_database";
    case OpKind::kAlterDatabase:
      return "alter_database";
    case OpKind::kDropDatabase:
      return "drop_database";
    case OpKind::kCreateTable:
      return "create_table";
    case OpKind::kAlterTable:
      return "alter_table";
    case OpKind::kAddColumn:
      return "add_column";
    case OpKind::kRenameTable:
      return "rename_table";
    case OpKind::kDropTable:
      return "drop_table";
    case OpKind::kAddPartition:
      return "add_partition";
    case OpKind::kAlterPartition:
      return "alter_partition";
    case OpKind::kRenamePartition:
      return "rename_partition";
    case OpKind::kDropPartition:
      return "drop_partition";
    case OpKind::kTruncate:
      return "truncate_table";
    case OpKind::kInsert:
      return "insert";
    case OpKind::kTransaction:
      return "open_txn";
    case OpKind::kStrangeType:
      return "strange_event";
    case OpKind::kPoison:
      return "poison_event";
  }
  return "?";
}

std::string Op::ToString() const {
  std::string text(OpKindName(kind));
  text += " " + name.ToString();
  if (kind == OpKind::kRenameTable) text += " to " + other.ToString();
  if (!value.empty()) text += " " + value;
  if (!new_value.empty()) text += " to " + new_value;
  if (cascade) text += " cascade";
  return text;
}

Model::Model(const Options& options) : options_(options) {}

StatePtr Model::Now(const ObjectName& name) const { return At(name, current_); }

StatePtr Model::At(const ObjectName& name, EventId id) const {
  const auto it = history_.find(name);
  if (it == history_.end()) return nullptr;
  StatePtr state;
  for (const auto& [since, then] : it->second) {
    if (since > id) break;
    state = then;
  }
  return state;
}

std::vector<EventId> Model::EventsOf(const ObjectName& name) const {
  std::vector<EventId> ids;
  const auto it = history_.find(name);
  if (it == history_.end()) return ids;
  for (const auto& [id, state] : it->second) ids.push_back(id);
  return ids;
}

std::vector<ObjectName> Model::Databases() const {
  std::vector<ObjectName> names;
  for (const auto& [name, history] : history_) {
    if (name.is_database() && history.back().second != nullptr) names.push_back(name);
  }
  return names;
}

std::vector<ObjectName> Model::Tables(const ObjectName& db) const {
  std::vector<ObjectName> names;
  for (const auto& [name, history] : history_) {
    if (name.is_table() && name.DatabaseName() == db && history.back().second != nullptr) {
      names.push_back(name);
    }
  }
  return names;
}

StatePtr Model::TableState(const TestTable& table, const SimPartitions& partitions,
                           EventId created) const {
  auto state = std::make_shared<ObjectState>();
  state->bytes = TableStruct(table, options_.generation);
  state->canonical = Canonical(TType::kStruct, state->bytes);
  state->table = table;
  state->partitions = partitions;
  state->created = created;
  for (const auto& [value, partition] : partitions) {
    const std::string name = table.keys.front() + "=" + value;
    std::string bytes = sim::PartitionStruct(table, value, partition, options_.generation);
    state->partition_canonical[name] = Canonical(TType::kStruct, bytes);
    state->partition_bytes[name] = std::move(bytes);
  }
  return state;
}

// What happens again after a restore, under the same id, does not happen at the same time.
std::string Model::Stamped(std::string message) const {
  constexpr std::string_view kTime = "\"timestamp\":1";
  const size_t at = message.rfind(kTime);
  if (at != std::string::npos)
    message.replace(at, kTime.size(), "\"timestamp\":" + std::to_string(1 + era_));
  return message;
}

EventId Model::Write(const std::string& type, const ObjectName& name, const std::string& written,
                     Step* step) {
  const std::string message = Stamped(written);
  Row row;
  row.event = testing::FakeLog::MakeRow(type, name, message);
  if (step->op->packed) {
    row.event.message = Packed(message);
    row.event.format = "gzip(json-2.0)";
  }
  if (options_.generation == hms::Generation::kHive2) row.event.catalog.reset();
  current_ = EventId(current_.value() + 1 +
                     (options_.max_gap > 0 ? (fresh_ * 7) % (options_.max_gap + 1) : 0));
  row.event.id = current_;
  rows_.push_back(std::move(row));
  step->result.events.push_back(current_);
  return current_;
}

void Model::Put(const ObjectName& name, StatePtr state, EventId id, Step* step) {
  History& history = history_[name];
  if (!history.empty() && history.back().first == id) {
    history.back().second = std::move(state);
  } else {
    history.emplace_back(id, std::move(state));
  }
  step->result.touched.push_back(name);
}

OpResult Model::Apply(const Op& op) {
  Step step;
  step.op = &op;
  switch (op.kind) {
    case OpKind::kCreateDatabase:
    case OpKind::kAlterDatabase:
    case OpKind::kDropDatabase:
      ChangeDatabase(op, &step);
      break;
    case OpKind::kCreateTable:
      Create(op, &step);
      break;
    case OpKind::kRenameTable:
      Rename_(op, &step);
      break;
    case OpKind::kDropTable:
      Drop(op, &step);
      break;
    case OpKind::kTransaction:
      Write("OPEN_TXN", ObjectName(), "{\"txnIds\":[1],\"timestamp\":1}", &step);
      break;
    case OpKind::kAddPartition:
    case OpKind::kAlterPartition:
    case OpKind::kRenamePartition:
    case OpKind::kDropPartition:
      ChangePartitions(op, &step);
      break;
    case OpKind::kAlterTable:
    case OpKind::kAddColumn:
    case OpKind::kTruncate:
    case OpKind::kInsert:
    case OpKind::kStrangeType:
    case OpKind::kPoison:
      Alter(op, &step);
      break;
  }
  step.result.done = step.result.problem.empty();
  return std::move(step.result);
}

void Model::ChangeDatabase(const Op& op, Step* step) {
  const StatePtr before = Now(op.name);
  if ((before == nullptr) != (op.kind == OpKind::kCreateDatabase)) {
    step->result.problem = "database " + op.name.ToString() +
                           (before == nullptr ? " does not exist" : " exists already");
    return;
  }
  const std::string message = "{\"db\":\"" + op.name.db() + "\",\"timestamp\":1}";
  if (op.kind == OpKind::kDropDatabase) {
    const std::vector<ObjectName> tables = Tables(op.name);
    if (!tables.empty() && !op.cascade) {
      step->result.problem = "database " + op.name.ToString() + " is not empty";
      return;
    }
    if (options_.tables_before_database) {
      for (const ObjectName& table : tables) {
        const EventId id =
            Write("DROP_TABLE", table, PlainMessage(table.db(), table.table()), step);
        Put(table, nullptr, id, step);
      }
    }
    const EventId id = Write("DROP_DATABASE", op.name, message, step);
    Put(op.name, nullptr, id, step);
    for (const ObjectName& table : Tables(op.name)) Put(table, nullptr, id, step);
    return;
  }
  const bool create = op.kind == OpKind::kCreateDatabase;
  auto after = std::make_shared<ObjectState>();
  after->parameters = {{"v", Fresh()}};
  const EventId id = Write(create ? "CREATE_DATABASE" : "ALTER_DATABASE", op.name, message, step);
  after->created = create ? id : before->created;
  after->bytes = DatabaseStruct(op.name.db(), after->parameters);
  after->canonical = Canonical(TType::kStruct, after->bytes);
  Put(op.name, std::move(after), id, step);
}

void Model::Create(const Op& op, Step* step) {
  if (Now(op.name.DatabaseName()) == nullptr) {
    step->result.problem = "database " + op.name.db() + " does not exist";
    return;
  }
  if (Now(op.name) != nullptr) {
    step->result.problem = "table " + op.name.ToString() + " exists already";
    return;
  }
  TestTable table;
  table.db = op.name.db();
  table.name = op.name.table();
  table.type = "MANAGED_TABLE";
  table.parameters = {{"v", Fresh()}};
  if (op.partitioned) table.keys = {"p"};
  const EventId id = Write("CREATE_TABLE", op.name, testing::CreateTableMessage(table), step);
  Put(op.name, TableState(table, {}, id), id, step);
}

void Model::Alter(const Op& op, Step* step) {
  const StatePtr before = Now(op.name);
  if (before == nullptr) {
    step->result.problem = "table " + op.name.ToString() + " does not exist";
    return;
  }
  const std::string plain = PlainMessage(op.name.db(), op.name.table());
  if (op.kind == OpKind::kInsert) {
    const EventId id = Write("INSERT", op.name, plain, step);
    Put(op.name, before, id, step);
    return;
  }
  TestTable after = before->table;
  SimPartitions partitions = before->partitions;
  if (op.kind == OpKind::kAddColumn) {
    after.columns.push_back("c" + Fresh());
    if (op.cascade) {
      for (auto& [value, partition] : partitions) partition.columns = after.columns;
    }
  } else {
    after.parameters["v"] = Fresh();
  }
  EventId id;
  if (op.kind == OpKind::kStrangeType) {
    id = Write("STRANGE_EVENT", op.name, plain, step);
  } else if (op.kind == OpKind::kPoison) {
    id = Write("ALTER_TABLE", op.name, "{\"tableObjAfterJson\": \"{]", step);
  } else {
    id = Write("ALTER_TABLE", op.name,
               AlterMessage(before->table, after, op.kind == OpKind::kTruncate), step);
  }
  Put(op.name, TableState(after, partitions, before->created), id, step);
}

void Model::Rename_(const Op& op, Step* step) {
  const StatePtr before = Now(op.name);
  if (before == nullptr || Now(op.other) != nullptr || Now(op.other.DatabaseName()) == nullptr) {
    step->result.problem = "cannot rename " + op.name.ToString() + " to " + op.other.ToString();
    return;
  }
  TestTable after = before->table;
  after.db = op.other.db();
  after.name = op.other.table();
  const EventId id =
      Write("ALTER_TABLE", op.other, AlterMessage(before->table, after, false), step);
  Put(op.name, nullptr, id, step);
  Put(op.other, TableState(after, before->partitions, id), id, step);
  renames_.push_back({id, op.name, op.other});
}

void Model::Drop(const Op& op, Step* step) {
  if (Now(op.name) == nullptr) {
    step->result.problem = "table " + op.name.ToString() + " does not exist";
    return;
  }
  const EventId id =
      Write("DROP_TABLE", op.name, PlainMessage(op.name.db(), op.name.table()), step);
  Put(op.name, nullptr, id, step);
}

void Model::ChangePartitions(const Op& op, Step* step) {
  const StatePtr before = Now(op.name);
  const bool add = op.kind == OpKind::kAddPartition;
  const bool possible =
      before != nullptr && !before->table.keys.empty() &&
      before->partitions.contains(op.value) != add &&
      (op.kind != OpKind::kRenamePartition || !before->partitions.contains(op.new_value));
  if (!possible) {
    step->result.problem = op.ToString() + " is not possible";
    return;
  }
  const TestTable& table = before->table;
  SimPartitions after = before->partitions;
  std::string type;
  std::string message;
  if (add) {
    after[op.value] = {table.columns, {{"v", Fresh()}}};
    type = "ADD_PARTITION";
    message = AddPartitionMessageOf(table, {op.value}, after);
  } else if (op.kind == OpKind::kDropPartition) {
    after.erase(op.value);
    type = "DROP_PARTITION";
    message = DropPartitionMessage(table, op.value);
  } else {
    SimPartition changed = after[op.value];
    changed.parameters["v"] = Fresh();
    const bool rename = op.kind == OpKind::kRenamePartition;
    const std::string& value = rename ? op.new_value : op.value;
    after.erase(op.value);
    after[value] = changed;
    type = "ALTER_PARTITION";
    message = AlterPartitionMessage(table, op.value, value, changed);
  }
  const EventId id = Write(type, op.name, message, step);
  Put(op.name, TableState(table, after, before->created), id, step);
}

void Model::Clean(EventId to) {
  std::erase_if(rows_, [to](const Row& row) { return row.event.id <= to; });
}

void Model::Restore(EventId to, bool other_uuid) {
  for (auto it = history_.begin(); it != history_.end();) {
    std::erase_if(it->second, [to](const auto& entry) { return entry.first > to; });
    it = it->second.empty() ? history_.erase(it) : std::next(it);
  }
  std::erase_if(rows_, [to](const Row& row) { return row.event.id > to; });
  std::erase_if(renames_, [to](const Rename& rename) { return rename.id > to; });
  current_ = to;
  ++era_;
  if (other_uuid) uuid_ = "uuid-" + std::to_string(era_);
}

void Model::HideLast(int fetches) {
  if (!rows_.empty()) rows_.back().hidden = fetches;
}

}  // namespace catalogd::sim
