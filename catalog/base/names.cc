#include "catalog/base/names.h"

#include <algorithm>

namespace catalogd {
namespace {

bool IsSpace(char c) { return static_cast<unsigned char>(c) <= ' '; }

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Hive's FileUtils list on Unix: control characters and those below. '}' is not among them.
bool NeedsEscape(unsigned char c) {
  if (c < 0x20 || c == 0x7F) return true;
  return std::string_view("\"#%'*/:=?\\{[]^").find(static_cast<char>(c)) != std::string_view::npos;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// What Java's number parser takes the two characters behind a '%' for, a sign among them; -1: none.
// (It also takes digits of other scripts, which nobody writes.)
int EscapedCharacter(char first, char second) {
  const int low = HexValue(second);
  if (low < 0) return -1;
  if (first == '+') return low;
  if (first == '-') return low == 0 ? 0 : -1;
  const int high = HexValue(first);
  return high < 0 ? -1 : high * 16 + low;
}

}  // namespace

std::string NormalizeName(std::string_view name) {
  while (!name.empty() && IsSpace(name.front())) name.remove_prefix(1);
  while (!name.empty() && IsSpace(name.back())) name.remove_suffix(1);
  std::string out(name);
  std::transform(out.begin(), out.end(), out.begin(), ToLower);
  return out;
}

ObjectName ObjectName::Database(std::string_view catalog, std::string_view db) {
  ObjectName name;
  name.catalog_ = NormalizeName(catalog);
  if (name.catalog_.empty()) name.catalog_ = kDefaultCatalog;
  name.db_ = NormalizeName(db);
  return name;
}

ObjectName ObjectName::Table(std::string_view catalog, std::string_view db,
                             std::string_view table) {
  ObjectName name = Database(catalog, db);
  name.table_ = NormalizeName(table);
  return name;
}

std::string ObjectName::ToString() const {
  std::string text;
  if (catalog_ != kDefaultCatalog) text += catalog_ + ".";
  text += db_;
  if (is_table()) text += "." + table_;
  return text;
}

DatabaseArgument ParseDatabaseArgument(std::string_view argument) {
  DatabaseArgument parsed;
  const size_t hash = argument.find('#');
  if (argument.empty() || argument.front() != '@' || hash == std::string_view::npos) {
    parsed.catalog = kDefaultCatalog;
    parsed.db = NormalizeName(argument);
    return parsed;
  }
  parsed.catalog = NormalizeName(argument.substr(1, hash - 1));
  const std::string_view db = argument.substr(hash + 1);
  if (db == "!") {
    parsed.db = "";
  } else if (!db.empty()) {
    parsed.db = NormalizeName(db);
  }
  return parsed;
}

Result<ObjectName> ParseObjectName(std::string_view text) {
  const size_t first = text.find('.');
  if (first == std::string_view::npos) {
    ObjectName name = ObjectName::Database(kDefaultCatalog, text);
    if (name.db().empty()) return MakeError(ErrorCode::kInvalidArgument, "empty object name");
    return name;
  }
  const size_t second = text.find('.', first + 1);
  ObjectName name;
  if (second == std::string_view::npos) {
    name = ObjectName::Table(kDefaultCatalog, text.substr(0, first), text.substr(first + 1));
  } else {
    name = ObjectName::Table(text.substr(0, first), text.substr(first + 1, second - first - 1),
                             text.substr(second + 1));
  }
  const bool empty_catalog =
      second != std::string_view::npos && NormalizeName(text.substr(0, first)).empty();
  if (empty_catalog || name.db().empty() || name.table().empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "'" + std::string(text) + "' is not DB, DB.TABLE or CATALOG.DB.TABLE");
  }
  return name;
}

std::string EscapePathName(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  if (text.empty()) return std::string(kDefaultPartitionName);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (NeedsEscape(u)) {
      out += '%';
      out += kHex[u >> 4U];
      out += kHex[u & 15U];
    } else {
      out += c;
    }
  }
  return out;
}

std::string UnescapePathName(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const int code =
        text[i] == '%' && i + 2 < text.size() ? EscapedCharacter(text[i + 1], text[i + 2]) : -1;
    if (code < 0) {
      out += text[i];
      continue;
    }
    // A character of Java: those above ASCII have two bytes here.
    if (code >= 0x80) out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(code < 0x80 ? code : 0x80 | (code & 0x3F));
    i += 2;
  }
  return out;
}

Result<std::string> MakePartitionName(const std::vector<std::string>& keys,
                                      const std::vector<std::string>& values) {
  if (keys.size() != values.size()) {
    return MakeError(ErrorCode::kInvalidArgument, "a partition of " + std::to_string(keys.size()) +
                                                      " keys cannot have " +
                                                      std::to_string(values.size()) + " values");
  }
  std::string name;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i > 0) name += '/';
    name += EscapePathName(NormalizeName(keys[i]));
    name += '=';
    name += EscapePathName(values[i]);
  }
  return name;
}

Result<std::vector<std::string>> PartitionNameToValues(std::string_view name) {
  std::vector<std::string> values;
  while (!name.empty()) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "partition name component '" + std::string(part) + "' has no '='");
    }
    values.push_back(UnescapePathName(part.substr(equals + 1)));
    name = slash == std::string_view::npos ? std::string_view() : name.substr(slash + 1);
  }
  return values;
}

}  // namespace catalogd
