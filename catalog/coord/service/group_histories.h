#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "catalog/coord/completion_index.h"
#include "catalog/coord/service/table_state.h"
#include "catalog/coord/slices.h"

// The live files of a coordinated table in the terms of slicing (slices.h).
//
// Names of MOR and COW tables tell what they are. Other names get a place in the same order: their
// group is the one they were committed with, their instant that of the transaction that added
// them, and their write token is the whole name. FileNameOf gives the name back in both cases.
// Thread safety: pure functions; under the mutex of the state.
namespace catalogd::coord {

struct GroupSizes {
  std::vector<int64_t> bases;  // In the order of `GroupHistory::bases`.
  std::vector<int64_t> logs;   // In the order of `GroupHistory::logs`.
};

struct GroupHistories {
  std::vector<GroupHistory> groups;  // By partition and file id.
  std::vector<GroupSizes> sizes;     // In the order of `groups`.
  // What was completed at the version; whatever is live then has its completion in it.
  CompletionIndex times;

  [[nodiscard]] int64_t SizeOf(size_t group, const BaseName& base) const;
  [[nodiscard]] int64_t SizeOf(size_t group, const LogName& log) const;
};

// What pending and completed plans say of file groups.
struct GroupPlans {
  struct LogCompaction {
    Instant instant;
    std::vector<std::string> inputs;  // Names.
  };
  struct Group {
    std::vector<Instant> compactions;
    std::vector<LogCompaction> log_compactions;
  };
  std::map<FileGroup, Group> groups;
};
GroupPlans MakeGroupPlans(const TableState& state);

// What is live at version `at`; of one partition, or of all when it is nullptr.
GroupHistories MakeGroupHistories(const TableState& state, const std::string* partition,
                                  IdVersion at);

// The same for whoever goes through a table in steps: of some groups, with what was made of the
// whole table before. Without `times` in the answer.
struct TableContext {
  const GroupPlans& plans;
  const CompletionIndex& times;
};
GroupHistories MakeGroupHistories(const TableState& state, std::span<const FileGroup> groups,
                                  const TableContext& context, IdVersion at);
// `times` of it alone.
CompletionIndex MakeCompletionIndex(const TableState& state, IdVersion at);

// The name as it was committed.
std::string FileNameOf(const BaseName& base);
std::string FileNameOf(const LogName& log);

}  // namespace catalogd::coord
