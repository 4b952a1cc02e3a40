// How histories of file groups are written in tests, and that a wrong expectation is noticed.
#include "tests/unit/coord/group_history.h"

#include <fmt/format.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "tests/unit/coord/instants.h"

namespace catalogd::coord::testing {

void Group::Act(Action action, Span span) {
  times_.reset();
  files_.push_back({At(span.requested), std::nullopt, action, FileState::kRequested});
  if (span.completed == kPending) return;
  files_.push_back(
      {At(span.requested), At(span.completed), CompletedAs(action), FileState::kCompleted});
}

Group& Group::Log(const std::string& label, Span span) {
  Act(Action::kDeltaCommit, span);
  return LogFile(label, span, 1, "0-0-1");
}

Group& Group::LogFile(const std::string& label, Span span, int64_t version,
                      const std::string& token) {
  const LogName log{"f", At(span.requested), version, token, ""};
  if (times().Lookup(log.instant).state == CompletionState::kOrphan) {
    Act(Action::kDeltaCommit, span);
  }
  history.logs.push_back(log);
  labels_[ToFileName(log)] = label;
  return *this;
}

Group& Group::Base(Span span) {
  Act(Action::kCommit, span);
  return StrayBase(span.requested);
}

Group& Group::Plan(Span span) {
  Act(Action::kCompaction, span);
  history.plans.push_back(At(span.requested));
  if (span.completed != kPending) StrayBase(span.requested);
  return *this;
}

Group& Group::LogCompact(const std::string& label, Span span, const std::vector<int64_t>& inputs) {
  Act(Action::kLogCompaction, span);
  LogCompaction compaction{At(span.requested), {}};
  for (const int64_t input : inputs) compaction.inputs.push_back(At(input));
  history.log_compactions.push_back(compaction);
  return StrayLog(label, span.requested);
}

Group& Group::Replaced(Span span, bool keeps_content) {
  Act(keeps_content ? Action::kClustering : Action::kReplaceCommit, span);
  history.replacements.push_back({At(span.requested), keeps_content});
  return *this;
}

Group& Group::RolledBack(int64_t requested, const std::string& left_behind) {
  times_.reset();
  rolled_back_.insert(At(requested));
  return left_behind.empty() ? *this : StrayLog(left_behind, requested);
}

Group& Group::StrayLog(const std::string& label, int64_t requested) {
  const LogName log{"f", At(requested), 1, "0-0-1", ""};
  history.logs.push_back(log);
  labels_[ToFileName(log)] = label;
  return *this;
}

Group& Group::StrayBase(int64_t requested) {
  history.bases.push_back({"f", "0-0-1", At(requested), "parquet"});
  return *this;
}

Group& Group::Archived(Span span) {
  times_.reset();
  archived_->push_back({At(span.requested), At(span.completed)});
  return *this;
}

Group& Group::UnreadableArchive() {
  times_.reset();
  archived_.reset();
  return *this;
}

const CompletionIndex& Group::times() const {
  if (!times_) times_.emplace(BuildTimeline(files_), archived_, rolled_back_);
  return *times_;
}

GroupView Group::View(int64_t time) const { return ViewAt(history, times(), At(time)); }

std::string Group::Show(const std::optional<BaseName>& base,
                        const std::vector<LogName>& logs) const {
  std::string names;
  for (const LogName& log : logs) {
    names += (names.empty() ? "" : ",") + labels_.at(ToFileName(log));
  }
  if (!base) return names.empty() ? "nothing" : names;
  return fmt::format("b{}{}{}", Short(base->instant), names.empty() ? "" : " + ", names);
}

std::string Group::Show(const std::vector<FileSlice>& slices) const {
  std::string text;
  for (const FileSlice& slice : slices) {
    std::string names;
    for (const SliceLog& log : slice.logs) {
      names += (names.empty() ? "" : ",") + labels_.at(ToFileName(log.name));
    }
    const std::string base = slice.base ? "b" + Short(slice.base->instant) : "";
    text += fmt::format("{}{}{{{}{}{}}}", text.empty() ? "" : ", ", Short(slice.anchor), base,
                        base.empty() || names.empty() ? "" : "; ", names);
  }
  return text;
}

std::string Group::Reader(const GroupView& view) const {
  if (!view.merged) return "nothing";
  std::vector<LogName> logs;
  for (const SliceLog& log : view.merged->logs) logs.push_back(log.name);
  return Show(view.merged->base, logs);
}

std::string Group::Warnings(const GroupView& view) const {
  std::string text;
  for (const SliceWarning& warning : view.warnings) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", SliceWarningName(warning.kind),
                        Short(warning.instant));
  }
  return text;
}

void Expect(const Group& group, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const GroupView view = group.View(row.time);
    EXPECT_EQ(group.Show(view.slices), row.slices) << "slices at " << row.time;
    EXPECT_EQ(group.Reader(view), row.reader) << "reader at " << row.time;
  }
}

namespace {

TEST(GroupHistory, AWrongExpectationIsNoticed) {
  static const Group group = Group().Log("w1", {1, 3});
  EXPECT_NONFATAL_FAILURE(Expect(group, {{3, "1{w1}", "w2"}}), "reader at 3");
  EXPECT_NONFATAL_FAILURE(Expect(group, {{3, "2{w1}", "w1"}}), "slices at 3");
}

}  // namespace
}  // namespace catalogd::coord::testing
