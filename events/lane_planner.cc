#include "events/lane_planner.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace catalogd::events {
namespace {

// Index of a task; its events may still be joined by later events of the same name.
class Planner {
 public:
  explicit Planner(size_t max_per_task) : max_per_task_(std::max<size_t>(max_per_task, 1)) {}

  void Add(const EventPtr& event) {
    if (event->CrossesNames()) {
      Barrier(event);
    } else {
      Join(event);
    }
  }
  std::vector<LaneTask> Take() { return std::move(tasks_); }

 private:
  struct Hash {
    size_t operator()(const ObjectName* name) const { return std::hash<ObjectName>{}(*name); }
  };
  struct Equal {
    bool operator()(const ObjectName* a, const ObjectName* b) const { return *a == *b; }
  };

  void Join(const EventPtr& event) {
    // Events without a name have a lane of their own: their order means nothing to anybody.
    const auto [at, is_new] = open_.try_emplace(&event->name, tasks_.size());
    if (!is_new && tasks_[at->second].events.size() < max_per_task_) {
      tasks_[at->second].events.push_back(event);
      return;
    }
    at->second = tasks_.size();
    LaneTask& task = tasks_.emplace_back();
    if (!event->name.db().empty()) task.names.push_back(event->name);
    task.events.push_back(event);
  }

  void Barrier(const EventPtr& event) {
    LaneTask& task = tasks_.emplace_back();
    task.events.push_back(event);
    if (!event->name.db().empty()) task.names.push_back(event->name);
    if (event->old_name) task.names.push_back(*event->old_name);
    std::sort(task.names.begin(), task.names.end());
    task.names.erase(std::unique(task.names.begin(), task.names.end()), task.names.end());
    if (event->kind == EventKind::kDropDatabase) {
      std::erase_if(open_, [&event](const auto& lane) {
        return lane.first->db() == event->name.db() &&
               lane.first->catalog() == event->name.catalog();
      });
      return;
    }
    for (const ObjectName& name : task.names) open_.erase(&name);
  }

  const size_t max_per_task_;
  std::vector<LaneTask> tasks_;
  // The task at which events of a name are gathered. Keys point into the events.
  std::unordered_map<const ObjectName*, size_t, Hash, Equal> open_;
};

}  // namespace

std::vector<LaneTask> PlanLanes(const std::vector<EventPtr>& events, size_t max_per_task) {
  Planner planner(max_per_task);
  for (const EventPtr& event : events) planner.Add(event);
  return planner.Take();
}

}  // namespace catalogd::events
