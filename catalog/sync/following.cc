#include "catalog/sync/following.h"

#include <algorithm>
#include <utility>

namespace catalogd::sync {
namespace {

using cache::SyncSwitch;

// `pattern` with * for any text, the empty one included.
bool Matches(std::string_view text, std::string_view pattern) {
  size_t at = 0;
  size_t in_pattern = 0;
  size_t star = std::string_view::npos;
  size_t after_star = 0;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      after_star = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == text[at]) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++after_star;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

std::vector<std::string> Normalized(std::vector<std::string> patterns) {
  const std::string of_default = std::string(kDefaultCatalog) + ".";
  for (std::string& pattern : patterns) {
    pattern = NormalizeName(pattern);
    // Names of the default catalog are compared as they are written: without it.
    const bool full = std::count(pattern.begin(), pattern.end(), '.') > 1;
    if (full && pattern.starts_with(of_default)) pattern.erase(0, of_default.size());
  }
  std::erase(patterns, std::string());
  return patterns;
}

}  // namespace

Following::Following(std::vector<std::string> patterns)
    : patterns_(Normalized(std::move(patterns))) {}

Status Following::CheckPattern(std::string_view pattern) {
  const std::string name = NormalizeName(pattern);
  const bool empty_part = name.empty() || name.front() == '.' || name.back() == '.' ||
                          name.find("..") != std::string::npos;
  const bool odd = name.find_first_of(" \t\"'`/,;") != std::string::npos;
  if (!empty_part && !odd) return Ok();
  return MakeError(
      ErrorCode::kInvalidArgument,
      "'" + std::string(pattern) +
          "' names no table: expected db, db.table or catalog.db.table, with * for any text");
}

void Following::Note(const ObjectName& name, SyncSwitch value) {
  if (value == SyncSwitch::kUnset && known_.load(std::memory_order_acquire) == 0) return;
  const WriterLock lock(mutex_);
  if (value == SyncSwitch::kUnset) {
    switches_.erase(name);
  } else {
    switches_[name] = value;
  }
  known_.store(switches_.size(), std::memory_order_release);
}

void Following::Reset() {
  const WriterLock lock(mutex_);
  switches_.clear();
  known_.store(0, std::memory_order_release);
}

const std::string* Following::PatternOf(const ObjectName& name) const {
  if (patterns_.empty()) return nullptr;
  const std::string text = name.ToString();
  const std::string db = name.DatabaseName().ToString();
  const auto found = std::find_if(
      patterns_.begin(), patterns_.end(),
      [&](const std::string& pattern) { return Matches(text, pattern) || Matches(db, pattern); });
  return found == patterns_.end() ? nullptr : &*found;
}

SyncSwitch Following::SwitchOf(const ObjectName& name) const {
  const auto found = switches_.find(name);
  return found == switches_.end() ? SyncSwitch::kUnset : found->second;
}

bool Following::Disabled(const ObjectName& name) const {
  if (known_.load(std::memory_order_acquire) == 0) return PatternOf(name) != nullptr;
  SyncSwitch own = SyncSwitch::kUnset;
  {
    const ReaderLock lock(mutex_);
    own = SwitchOf(name);
  }
  return DisabledWith(name, own);
}

bool Following::DisabledWith(const ObjectName& name, SyncSwitch own) const {
  if (name.db().empty()) return false;
  if (PatternOf(name) != nullptr || own == SyncSwitch::kDisabled) return true;
  if (own == SyncSwitch::kFollowed || name.is_database()) return false;
  if (known_.load(std::memory_order_acquire) == 0) return false;
  const ReaderLock lock(mutex_);
  return SwitchOf(name.DatabaseName()) == SyncSwitch::kDisabled;
}

std::string Following::Why(const ObjectName& name) const {
  if (!Disabled(name)) return {};
  if (const std::string* pattern = PatternOf(name)) return "option sync-disabled: " + *pattern;
  const ReaderLock lock(mutex_);
  if (SwitchOf(name) == SyncSwitch::kDisabled) {
    return std::string("a parameter of the ") + (name.is_table() ? "table" : "database");
  }
  return "a parameter of database " + name.DatabaseName().ToString();
}

size_t Following::switched_off() const {
  const ReaderLock lock(mutex_);
  return static_cast<size_t>(
      std::count_if(switches_.begin(), switches_.end(),
                    [](const auto& item) { return item.second == SyncSwitch::kDisabled; }));
}

}  // namespace catalogd::sync
