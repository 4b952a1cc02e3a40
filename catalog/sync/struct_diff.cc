#include "catalog/sync/struct_diff.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

namespace catalogd::sync {
namespace {

using wire::TType;

// Which struct a value is: only for the names of its fields.
enum class Struct {
  kOther,
  kDatabase,
  kTable,
  kPartition,
  kStorage,
  kSerde,
  kSkewed,
  kColumn,
  kOrder,
  kCreation,
  kSource,
};

struct Member {
  Struct of;
  int16_t id;
  std::string_view name;
  Struct is = Struct::kOther;
};

constexpr std::array kMembers = {
    Member{Struct::kDatabase, 1, "name"},
    Member{Struct::kDatabase, 2, "description"},
    Member{Struct::kDatabase, 3, "locationUri"},
    Member{Struct::kDatabase, 4, "parameters"},
    Member{Struct::kDatabase, 5, "privileges"},
    Member{Struct::kDatabase, 6, "ownerName"},
    Member{Struct::kDatabase, 7, "ownerType"},
    Member{Struct::kDatabase, 8, "catalogName"},
    Member{Struct::kDatabase, 9, "createTime"},
    Member{Struct::kDatabase, 10, "managedLocationUri"},
    Member{Struct::kDatabase, 11, "type"},
    Member{Struct::kTable, 1, "tableName"},
    Member{Struct::kTable, 2, "dbName"},
    Member{Struct::kTable, 3, "owner"},
    Member{Struct::kTable, 4, "createTime"},
    Member{Struct::kTable, 5, "lastAccessTime"},
    Member{Struct::kTable, 6, "retention"},
    Member{Struct::kTable, 7, "sd", Struct::kStorage},
    Member{Struct::kTable, 8, "partitionKeys", Struct::kColumn},
    Member{Struct::kTable, 9, "parameters"},
    Member{Struct::kTable, 10, "viewOriginalText"},
    Member{Struct::kTable, 11, "viewExpandedText"},
    Member{Struct::kTable, 12, "tableType"},
    Member{Struct::kTable, 13, "privileges"},
    Member{Struct::kTable, 14, "temporary"},
    Member{Struct::kTable, 15, "rewriteEnabled"},
    Member{Struct::kTable, 16, "creationMetadata", Struct::kCreation},
    Member{Struct::kTable, 17, "catName"},
    Member{Struct::kTable, 18, "ownerType"},
    Member{Struct::kTable, 19, "writeId"},
    Member{Struct::kTable, 25, "id"},
    Member{Struct::kPartition, 1, "values"},
    Member{Struct::kPartition, 2, "dbName"},
    Member{Struct::kPartition, 3, "tableName"},
    Member{Struct::kPartition, 4, "createTime"},
    Member{Struct::kPartition, 5, "lastAccessTime"},
    Member{Struct::kPartition, 6, "sd", Struct::kStorage},
    Member{Struct::kPartition, 7, "parameters"},
    Member{Struct::kPartition, 8, "privileges"},
    Member{Struct::kPartition, 9, "catName"},
    Member{Struct::kPartition, 10, "writeId"},
    Member{Struct::kStorage, 1, "cols", Struct::kColumn},
    Member{Struct::kStorage, 2, "location"},
    Member{Struct::kStorage, 3, "inputFormat"},
    Member{Struct::kStorage, 4, "outputFormat"},
    Member{Struct::kStorage, 5, "compressed"},
    Member{Struct::kStorage, 6, "numBuckets"},
    Member{Struct::kStorage, 7, "serdeInfo", Struct::kSerde},
    Member{Struct::kStorage, 8, "bucketCols"},
    Member{Struct::kStorage, 9, "sortCols", Struct::kOrder},
    Member{Struct::kStorage, 10, "parameters"},
    Member{Struct::kStorage, 11, "skewedInfo", Struct::kSkewed},
    Member{Struct::kStorage, 12, "storedAsSubDirectories"},
    Member{Struct::kSerde, 1, "name"},
    Member{Struct::kSerde, 2, "serializationLib"},
    Member{Struct::kSerde, 3, "parameters"},
    Member{Struct::kSerde, 4, "description"},
    Member{Struct::kSerde, 5, "serializerClass"},
    Member{Struct::kSerde, 6, "deserializerClass"},
    Member{Struct::kSerde, 7, "serdeType"},
    Member{Struct::kSkewed, 1, "skewedColNames"},
    Member{Struct::kSkewed, 2, "skewedColValues"},
    Member{Struct::kSkewed, 3, "skewedColValueLocationMaps"},
    Member{Struct::kColumn, 1, "name"},
    Member{Struct::kColumn, 2, "type"},
    Member{Struct::kColumn, 3, "comment"},
    Member{Struct::kOrder, 1, "col"},
    Member{Struct::kOrder, 2, "order"},
    Member{Struct::kCreation, 1, "catName"},
    Member{Struct::kCreation, 2, "dbName"},
    Member{Struct::kCreation, 3, "tblName"},
    Member{Struct::kCreation, 4, "tablesUsed"},
    Member{Struct::kCreation, 5, "validTxnList"},
    Member{Struct::kCreation, 6, "materializationTime"},
    Member{Struct::kCreation, 7, "sourceTables", Struct::kSource},
    Member{Struct::kSource, 1, "table", Struct::kTable},
    Member{Struct::kSource, 2, "insertedCount"},
    Member{Struct::kSource, 3, "updatedCount"},
    Member{Struct::kSource, 4, "deletedCount"},
};

Member MemberOf(Struct of, int16_t id) {
  const auto* const at = std::find_if(kMembers.begin(), kMembers.end(), [&](const Member& member) {
    return member.of == of && member.id == id;
  });
  return at == kMembers.end() ? Member{of, id, {}} : *at;
}

struct Elements {
  TType type = TType::kStop;
  std::vector<std::string_view> values;
};

Elements ElementsOf(std::string_view value) {
  const wire::ListView list(value);
  return {list.element_type(), list.Elements()};
}

struct Entries {
  TType key = TType::kStop;
  TType value = TType::kStop;
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
};

Entries EntriesOf(std::string_view map) {
  Entries entries;
  if (map.size() < 6) return entries;
  entries.key = static_cast<TType>(map[0]);
  entries.value = static_cast<TType>(map[1]);
  const int32_t count = wire::DecodeI32(map.substr(2));
  std::string_view rest = map.substr(6);
  for (int32_t i = 0; i < count; ++i) {
    std::array<std::string_view, 2> parts;
    for (size_t part = 0; part < 2; ++part) {
      const auto length = wire::ValueLength(part == 0 ? entries.key : entries.value, rest);
      if (!length) return entries;
      parts.at(part) = rest.substr(0, *length);
      rest.remove_prefix(*length);
    }
    entries.pairs.emplace_back(parts[0], parts[1]);
  }
  return entries;
}

void AppendSized(std::string_view text, std::string* out) {
  out->append(std::to_string(text.size())).append(":").append(text);
}

char TypeCode(TType type) { return static_cast<char>(static_cast<uint8_t>(type)); }

std::string CanonicalStruct(std::string_view value) {
  std::map<int16_t, std::string> fields;
  for (const wire::Field& field : wire::StructView(value).Fields()) {
    fields[field.id] = TypeCode(field.type) + Canonical(field.type, field.value);
  }
  std::string text;
  for (const auto& [id, field] : fields) {
    text.append(std::to_string(id)).append("=");
    AppendSized(field, &text);
  }
  return text;
}

// Types of the elements only count where there are some.
std::string CanonicalElements(TType type, std::string_view value) {
  const Elements elements = ElementsOf(value);
  std::vector<std::string> texts;
  for (const std::string_view element : elements.values) {
    texts.push_back(TypeCode(elements.type) + Canonical(elements.type, element));
  }
  if (type == TType::kSet) std::sort(texts.begin(), texts.end());
  std::string text;
  for (const std::string& element : texts) AppendSized(element, &text);
  return text;
}

std::string CanonicalMap(std::string_view value) {
  const Entries entries = EntriesOf(value);
  std::vector<std::string> texts;
  for (const auto& [key, mapped] : entries.pairs) {
    std::string& entry = texts.emplace_back();
    AppendSized(TypeCode(entries.key) + Canonical(entries.key, key), &entry);
    AppendSized(TypeCode(entries.value) + Canonical(entries.value, mapped), &entry);
  }
  std::sort(texts.begin(), texts.end());
  std::string text;
  for (const std::string& entry : texts) AppendSized(entry, &text);
  return text;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20;
    quoted += plain ? std::string(1, c) : "\\x" + std::to_string(static_cast<int>(c));
  }
  return quoted + "\"";
}

std::string Text(TType type, std::string_view value) {
  switch (type) {
    case TType::kString:
      return Quoted(wire::DecodeString(value));
    case TType::kBool:
      return value == std::string_view("\0", 1) ? "false" : "true";
    case TType::kI32:
      return std::to_string(wire::DecodeI32(value));
    case TType::kI64:
      return std::to_string(wire::DecodeI64(value));
    case TType::kStruct: {
      std::string text = "{";
      for (const wire::Field& field : wire::StructView(value).Fields()) {
        text += std::to_string(field.id) + ":" + Text(field.type, field.value) + " ";
      }
      return text + "}";
    }
    case TType::kList:
    case TType::kSet: {
      const Elements elements = ElementsOf(value);
      std::string text = "[";
      for (const auto element : elements.values) text += Text(elements.type, element) + " ";
      return text + "]";
    }
    case TType::kMap: {
      const Entries entries = EntriesOf(value);
      std::string text = "{";
      for (const auto& [key, mapped] : entries.pairs) {
        text += Text(entries.key, key) + ":" + Text(entries.value, mapped) + " ";
      }
      return text + "}";
    }
    default:
      return "type " + std::to_string(static_cast<int>(type)) + " of " +
             std::to_string(value.size()) + " bytes";
  }
}

std::string Short(const std::string& text) {
  constexpr size_t kLongest = 160;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

class Walk {
 public:
  void Structs(Struct is, const std::string& path, std::string_view left, std::string_view right) {
    std::map<int16_t, std::pair<std::optional<wire::Field>, std::optional<wire::Field>>> fields;
    for (const wire::Field& field : wire::StructView(left).Fields()) fields[field.id].first = field;
    for (const wire::Field& field : wire::StructView(right).Fields()) {
      fields[field.id].second = field;
    }
    for (const auto& [id, sides] : fields) {
      const Member member = MemberOf(is, id);
      std::string at = path.empty() ? "" : path + ".";
      at += member.name.empty() ? "#" + std::to_string(id) : std::string(member.name);
      const auto& [a, b] = sides;
      if (!a || !b || a->type != b->type) {
        Note(at, a ? Text(a->type, a->value) : "absent", b ? Text(b->type, b->value) : "absent");
      } else {
        Values(member.is, a->type, at, a->value, b->value);
      }
    }
  }

  std::vector<Difference> Take() { return std::move(found_); }

 private:
  void Note(const std::string& path, const std::string& left, const std::string& right) {
    Difference difference;
    difference.path = path;
    const size_t open = path.find('{');
    difference.generic = open == std::string::npos ? path : path.substr(0, open) + "{*}";
    difference.left = Short(left);
    difference.right = Short(right);
    found_.push_back(std::move(difference));
  }

  void Values(Struct is, TType type, const std::string& path, std::string_view left,
              std::string_view right) {
    if (left == right || Canonical(type, left) == Canonical(type, right)) return;
    switch (type) {
      case TType::kStruct:
        Structs(is, path, left, right);
        return;
      case TType::kList:
      case TType::kSet:
        Lists(is, type, path, left, right);
        return;
      case TType::kMap:
        Maps(is, path, left, right);
        return;
      default:
        Note(path, Text(type, left), Text(type, right));
    }
  }

  void Lists(Struct is, TType type, const std::string& path, std::string_view left,
             std::string_view right) {
    Elements a = ElementsOf(left);
    Elements b = ElementsOf(right);
    if (a.values.size() != b.values.size() || a.type != b.type) {
      Note(path + "[]", Text(type, left), Text(type, right));
      return;
    }
    if (type == TType::kSet) {
      const auto by_content = [&](std::string_view x, std::string_view y) {
        return Canonical(a.type, x) < Canonical(a.type, y);
      };
      std::sort(a.values.begin(), a.values.end(), by_content);
      std::sort(b.values.begin(), b.values.end(), by_content);
    }
    for (size_t i = 0; i < a.values.size(); ++i) {
      Values(is, a.type, path + "[]", a.values[i], b.values[i]);
    }
  }

  void Maps(Struct is, const std::string& path, std::string_view left, std::string_view right) {
    const Entries a = EntriesOf(left);
    const Entries b = EntriesOf(right);
    const bool mixed =
        !a.pairs.empty() && !b.pairs.empty() && (a.key != b.key || a.value != b.value);
    if (mixed || (!a.pairs.empty() ? a.key : b.key) != TType::kString) {
      Note(path, Text(TType::kMap, left), Text(TType::kMap, right));
      return;
    }
    std::map<std::string_view,
             std::pair<std::optional<std::string_view>, std::optional<std::string_view>>>
        keys;
    for (const auto& [key, value] : a.pairs) keys[wire::DecodeString(key)].first = value;
    for (const auto& [key, value] : b.pairs) keys[wire::DecodeString(key)].second = value;
    for (const auto& [key, sides] : keys) {
      const auto& [x, y] = sides;
      const std::string at = path + "{" + std::string(key) + "}";
      if (x && y) {
        Values(is, a.value, at, *x, *y);
      } else {
        Note(at, x ? Text(a.value, *x) : "absent", y ? Text(b.value, *y) : "absent");
      }
    }
  }

  std::vector<Difference> found_;
};

Struct StructOf(StructKind kind) {
  switch (kind) {
    case StructKind::kDatabase:
      return Struct::kDatabase;
    case StructKind::kTable:
      return Struct::kTable;
    case StructKind::kPartition:
      return Struct::kPartition;
    case StructKind::kOther:
      return Struct::kOther;
  }
  return Struct::kOther;
}

}  // namespace

std::string Canonical(TType type, std::string_view value) {
  switch (type) {
    case TType::kStruct:
      return CanonicalStruct(value);
    case TType::kMap:
      return CanonicalMap(value);
    case TType::kList:
    case TType::kSet:
      return CanonicalElements(type, value);
    default:
      return std::string(value);
  }
}

std::vector<Difference> DiffStructs(StructKind kind, std::string_view left,
                                    std::string_view right) {
  Walk walk;
  walk.Structs(StructOf(kind), "", left, right);
  return walk.Take();
}

}  // namespace catalogd::sync
