#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/names.h"
#include "tests/fuzz/fuzz_target.h"

// Whatever a partition is called: its name is made of its values and gives them back, each value is
// one part of one name, and names that nobody made are read or refused.
namespace catalogd::fuzz {
namespace {

using Strings = std::vector<std::string>;

// Values are what lies between zero bytes.
Strings Split(std::string_view text) {
  Strings parts;
  for (;;) {
    const size_t end = text.find('\0');
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool IsMarkup(char c) { return c == '/' || c == '=' || static_cast<unsigned char>(c) < 0x20; }

void CheckEscapes(std::string_view text) {
  const std::string escaped = EscapePathName(text);
  Require(!escaped.empty());
  Require(std::none_of(escaped.begin(), escaped.end(), IsMarkup));
  if (!text.empty()) Require(UnescapePathName(escaped) == text);
  // What was escaped once is escaped again only where it has percent signs.
  if (escaped.find('%') == std::string::npos) Require(EscapePathName(escaped) == escaped);
  // A byte of Latin-1 becomes two of UTF-8, and took three to write.
  Require(UnescapePathName(text).size() <= text.size());
}

void CheckNames(const Strings& values) {
  Strings keys;
  for (size_t i = 0; i < values.size(); ++i) keys.push_back("k" + std::to_string(i));
  const auto name = MakePartitionName(keys, values);
  Require(name.has_value());
  const auto read = PartitionNameToValues(*name);
  Require(read && read->size() == values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const bool stands_for_none = values[i].empty();
    Require((*read)[i] == (stands_for_none ? kDefaultPartitionName : values[i]));
  }
  Require(MakePartitionName(keys, *read) == *name);
  Require(!MakePartitionName(Strings(values.size() + 1, "k"), values));
}

void CheckForeignName(std::string_view text) {
  const auto values = PartitionNameToValues(text);
  if (!values) {
    Require(!values.error().message.empty());
    return;
  }
  const auto slashes = static_cast<size_t>(std::count(text.begin(), text.end(), '/'));
  Require(values->size() <= slashes + 1);
}

void CheckObjectNames(std::string_view text) {
  const std::string normal = NormalizeName(text);
  Require(normal.size() <= text.size());
  Require(NormalizeName(normal) == normal);
  const DatabaseArgument argument = ParseDatabaseArgument(text);
  if (argument.db) Require(NormalizeName(*argument.db) == *argument.db);
  Require(NormalizeName(argument.catalog) == argument.catalog);
  const auto name = ParseObjectName(text);
  if (!name) return;
  Require(!name->db().empty() && !name->catalog().empty());
  const ObjectName again = name->is_table()
                               ? ObjectName::Table(name->catalog(), name->db(), name->table())
                               : ObjectName::Database(name->catalog(), name->db());
  Require(again == *name);
}

}  // namespace

void NamesTarget(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckEscapes(text);
  CheckNames(Split(text));
  CheckForeignName(text);
  CheckObjectNames(text);
}

}  // namespace catalogd::fuzz

FUZZ_ENTRY(catalogd::fuzz::NamesTarget);
