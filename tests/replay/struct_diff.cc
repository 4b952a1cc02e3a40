#include "tests/replay/struct_diff.h"

namespace catalogd::replay {
namespace {

sync::StructKind StructOf(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kDatabase:
      return sync::StructKind::kDatabase;
    case ObjectKind::kTable:
      return sync::StructKind::kTable;
    case ObjectKind::kPartition:
      return sync::StructKind::kPartition;
    case ObjectKind::kFunction:
      return sync::StructKind::kOther;
  }
  return sync::StructKind::kOther;
}

}  // namespace

std::string ObjectKey::ToString() const {
  switch (kind) {
    case ObjectKind::kDatabase:
      return "database " + name.ToString();
    case ObjectKind::kTable:
      return "table " + name.ToString();
    case ObjectKind::kPartition:
      return "partition " + name.ToString() + " " + part;
    case ObjectKind::kFunction:
      return "function " + name.ToString() + "." + part;
  }
  return "?";
}

std::vector<Difference> DiffStructs(ObjectKind kind, std::string_view left,
                                    std::string_view right) {
  return sync::DiffStructs(StructOf(kind), left, right);
}

}  // namespace catalogd::replay
