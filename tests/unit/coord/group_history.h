#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalog/coord/plan_inputs.h"
#include "catalog/coord/slices.h"

// Histories of one file group, written down as the worked examples are: small numbers for times,
// "[20,25]" requested at 20 and completed at 25, "[20,-]" pending.
namespace catalogd::coord::testing {

constexpr int64_t kPending = -1;

struct Span {
  int64_t requested = 0;
  int64_t completed = kPending;
};

class Group {
 public:
  Group& Log(const std::string& label, Span span);
  // One more file of a delta commit, or one with a version and a token of its own.
  Group& LogFile(const std::string& label, Span span, int64_t version, const std::string& token);
  // A base that a writer made, shown as "b10".
  Group& Base(Span span);
  // A compaction of this group; it makes a base when it is completed.
  Group& Plan(Span span);
  Group& LogCompact(const std::string& label, Span span, const std::vector<int64_t>& inputs);
  Group& Replaced(Span span, bool keeps_content);
  // Its files were deleted; with a label, one was left behind.
  Group& RolledBack(int64_t requested, const std::string& left_behind = "");
  // A file of an instant that is on no timeline.
  Group& StrayLog(const std::string& label, int64_t requested);
  Group& StrayBase(int64_t requested);
  Group& Archived(Span span);
  Group& UnreadableArchive();

  [[nodiscard]] const CompletionIndex& times() const;
  [[nodiscard]] GroupView View(int64_t time) const;
  // "60{}, 10{b10; l1,l2}"
  [[nodiscard]] std::string Show(const std::vector<FileSlice>& slices) const;
  // "b10 + l1,l2", "l1", "nothing"
  [[nodiscard]] std::string Reader(const GroupView& view) const;
  [[nodiscard]] std::string Show(const std::optional<BaseName>& base,
                                 const std::vector<LogName>& logs) const;
  [[nodiscard]] std::string Warnings(const GroupView& view) const;

  GroupHistory history;

 private:
  void Act(Action action, Span span);

  std::vector<TimelineFile> files_;
  std::map<std::string, std::string> labels_;  // By file name.
  std::set<Instant> rolled_back_;
  std::optional<std::vector<ArchivedInstant>> archived_ = std::vector<ArchivedInstant>();
  mutable std::optional<CompletionIndex> times_;  // None: something was added since.
};

// What a row of an example says.
struct Row {
  int64_t time;
  const char* slices;
  const char* reader;
};
void Expect(const Group& group, const std::vector<Row>& rows);

}  // namespace catalogd::coord::testing
