#include "events/event.h"

namespace catalogd::events {

std::string_view EventKindName(EventKind kind) {
  switch (kind) {
    case EventKind::kCreateDatabase:
      return "create database";
    case EventKind::kAlterDatabase:
      return "alter database";
    case EventKind::kDropDatabase:
      return "drop database";
    case EventKind::kCreateTable:
      return "create table";
    case EventKind::kAlterTable:
      return "alter table";
    case EventKind::kDropTable:
      return "drop table";
    case EventKind::kAddPartition:
      return "add partition";
    case EventKind::kAlterPartition:
      return "alter partition";
    case EventKind::kDropPartition:
      return "drop partition";
    case EventKind::kInsert:
      return "insert";
    case EventKind::kReload:
      return "reload";
    case EventKind::kCreateFunction:
      return "create function";
    case EventKind::kDropFunction:
      return "drop function";
    case EventKind::kConstraint:
      return "constraint";
    case EventKind::kTransaction:
      return "transaction";
    case EventKind::kIndex:
      return "index";
    case EventKind::kUpdateTableStats:
      return "update table statistics";
    case EventKind::kUpdatePartitionStats:
      return "update partition statistics";
    case EventKind::kDeleteStats:
      return "delete statistics";
    case EventKind::kCommitCompaction:
      return "commit compaction";
    case EventKind::kUnknown:
      return "unknown";
  }
  return "unknown";
}

bool Event::Touches(const ObjectName& object) const {
  if (kind == EventKind::kDropDatabase && object.is_table()) {
    return name.db() == object.db() && name.catalog() == object.catalog() && !name.db().empty();
  }
  if (name == object) return !name.db().empty();
  return old_name.has_value() && *old_name == object;
}

}  // namespace catalogd::events
