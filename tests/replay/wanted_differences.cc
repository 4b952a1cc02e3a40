#include "tests/replay/wanted_differences.h"

#include <re2/re2.h>

#include "tests/replay/json_lines.h"

namespace catalogd::replay {

namespace {

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

Result<WantedDifferences> WantedDifferences::Read(const std::string& path,
                                                  const std::string& recording) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  WantedDifferences wanted;
  size_t number = 0;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    start = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const size_t first = line.find(" | ");
    const size_t last = line.rfind(" | ");
    if (first == std::string::npos || first == last) {
      return MakeError(ErrorCode::kCorrupt,
                       path + ":" + std::to_string(number) + ": not VERSION | PATTERN | REASON");
    }
    const std::string version = Trimmed(line.substr(0, first));
    if (version != "*" && !recording.starts_with(version)) continue;
    const std::string pattern = Trimmed(line.substr(first + 3, last - first - 3));
    if (!re2::RE2(pattern).ok()) {
      return MakeError(ErrorCode::kCorrupt,
                       path + ":" + std::to_string(number) + ": " + pattern + " cannot be read");
    }
    wanted.rules_.push_back({pattern, Trimmed(line.substr(last + 3))});
  }
  return wanted;
}

bool WantedDifferences::Wants(const std::string& difference) {
  for (Rule& rule : rules_) {
    if (!re2::RE2::FullMatch(difference, rule.pattern)) continue;
    ++rule.used;
    return true;
  }
  return false;
}

std::vector<std::string> WantedDifferences::Unused() const {
  std::vector<std::string> unused;
  for (const Rule& rule : rules_) {
    if (rule.used == 0) unused.push_back(rule.pattern);
  }
  return unused;
}

size_t WantedDifferences::wanted() const {
  size_t count = 0;
  for (const Rule& rule : rules_) count += rule.used;
  return count;
}

}  // namespace catalogd::replay
