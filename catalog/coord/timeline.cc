#include "catalog/coord/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace catalogd::coord {
namespace {

// All files of one requested time.
class OneInstant {
 public:
  OneInstant(std::vector<TimelineFile> files, bool clustering, std::vector<Finding>* findings)
      : files_(std::move(files)), clustering_(clustering), findings_(findings) {}

  TimelineInstant Build() {
    // Completed before inflight before requested; of two completed ones the earlier first.
    std::sort(files_.begin(), files_.end(), [](const TimelineFile& a, const TimelineFile& b) {
      if (a.state != b.state) return a.state > b.state;
      if (a.completed != b.completed) return a.completed < b.completed;
      return a.action < b.action;
    });
    const TimelineFile& furthest = files_.front();
    TimelineInstant instant;
    instant.requested = furthest.requested;
    instant.state = furthest.state;
    instant.action = PlannedAction();
    if (furthest.state == FileState::kCompleted && furthest.completed) {
      instant.completed = std::max(*furthest.completed, instant.requested);
    }
    Look();
    return instant;
  }

 private:
  void Report(FindingKind kind, std::string_view what) {
    std::string names;
    for (const TimelineFile& file : files_) {
      names += (names.empty() ? "" : ", ") + TimelineFileName(file);
    }
    findings_->push_back({kind, files_.front().requested, fmt::format("{}: {}", what, names)});
  }

  [[nodiscard]] Action PlannedAction() const {
    const Action done = files_.front().action;
    for (const TimelineFile& file : files_) {
      const bool pending = file.state != FileState::kCompleted;
      if (pending && file.action != done && CompletedAs(file.action) == done) return file.action;
    }
    if (clustering_ && done == Action::kReplaceCommit) return Action::kClustering;
    return done;
  }

  // Whether the files can be those of one operation.
  [[nodiscard]] bool TwoActions() const {
    const Action planned = PlannedAction();
    return std::any_of(files_.begin(), files_.end(), [&](const TimelineFile& file) {
      return CompletedAs(file.action) != CompletedAs(planned) ||
             (file.state != FileState::kCompleted && file.action != planned && !clustering_);
    });
  }

  void Look() {
    const auto completed =
        std::count_if(files_.begin(), files_.end(),
                      [](const TimelineFile& file) { return file.state == FileState::kCompleted; });
    if (TwoActions()) {
      Report(FindingKind::kTwoActions,
             "two actions have one requested time; find out which one is real");
    } else if (completed > 1) {
      Report(FindingKind::kCompletedTwice,
             "one action was completed twice; the earlier completion counts");
    }
    const TimelineFile& furthest = files_.front();
    if (furthest.completed && *furthest.completed < furthest.requested) {
      Report(FindingKind::kCompletedEarly,
             "completed before it was requested; it counts as completed when it was requested");
    }
  }

  std::vector<TimelineFile> files_;
  const bool clustering_;
  std::vector<Finding>* findings_;
};

// Names without completion times are the rule in layout 1, and worth a word among others.
void ReportMissingTimes(Timeline* timeline) {
  const auto has_time = [](const TimelineInstant& one) { return one.completed.has_value(); };
  if (std::none_of(timeline->instants.begin(), timeline->instants.end(), has_time)) return;
  for (const TimelineInstant& one : timeline->instants) {
    if (one.state != FileState::kCompleted || one.completed) continue;
    timeline->findings.push_back(
        {FindingKind::kNoCompletionTime, one.requested,
         fmt::format("{} {} has no completion time in its name; it counts as completed when it "
                     "was requested",
                     ActionWord(one.action), one.requested.text())});
  }
}

}  // namespace

bool TimelineInstant::is_plan() const {
  return action == Action::kCompaction || action == Action::kLogCompaction ||
         action == Action::kClustering || action == Action::kClean || action == Action::kRollback;
}

std::string_view FindingName(FindingKind kind) {
  switch (kind) {
    case FindingKind::kTwoActions:
      return "two_actions";
    case FindingKind::kCompletedTwice:
      return "completed_twice";
    case FindingKind::kCompletedEarly:
      return "completed_early";
    case FindingKind::kNoCompletionTime:
      return "no_completion_time";
  }
  return "?";
}

const TimelineInstant* Timeline::Find(const Instant& requested) const {
  const auto found = std::lower_bound(
      instants.begin(), instants.end(), requested,
      [](const TimelineInstant& one, const Instant& time) { return one.requested < time; });
  return found == instants.end() || found->requested != requested ? nullptr : &*found;
}

Timeline BuildTimeline(std::span<const TimelineFile> files,
                       const std::set<Instant>& clustering_plans) {
  std::map<Instant, std::vector<TimelineFile>> by_time;
  for (const TimelineFile& file : files) by_time[file.requested].push_back(file);
  Timeline timeline;
  for (auto& [requested, group] : by_time) {
    OneInstant one(std::move(group), clustering_plans.contains(requested), &timeline.findings);
    timeline.instants.push_back(one.Build());
  }
  ReportMissingTimes(&timeline);
  return timeline;
}

}  // namespace catalogd::coord
