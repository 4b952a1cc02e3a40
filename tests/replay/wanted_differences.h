#pragma once

#include <string>
#include <vector>

#include "catalog/base/result.h"

namespace catalogd::replay {

// The differences between the embedded metastore and a recorded one that are meant to be, each with
// its reason. A file of lines "VERSION | PATTERN | REASON"; the version is the beginning of a
// recording's name or "*", the pattern an expression for the whole text of a difference.
// Thread safety: none: it counts what each rule was good for.
class WantedDifferences {
 public:
  // Errors: those of ReadFile, kCorrupt with the line.
  static Result<WantedDifferences> Read(const std::string& path, const std::string& recording);

  // Whether some rule wants it.
  bool Wants(const std::string& difference);
  // Patterns that wanted nothing: they are stale.
  [[nodiscard]] std::vector<std::string> Unused() const;
  [[nodiscard]] size_t wanted() const;

 private:
  struct Rule {
    std::string pattern;
    std::string reason;
    size_t used = 0;
  };
  std::vector<Rule> rules_;
};

}  // namespace catalogd::replay
