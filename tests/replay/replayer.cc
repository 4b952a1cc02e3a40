#include "tests/replay/replayer.h"

#include <algorithm>
#include <utility>

#include "tests/replay/struct_diff.h"

namespace catalogd::replay {
namespace {

Follower::Options FollowerOptions(const Recording& recording, const ReplayOptions& options) {
  Follower::Options follower;
  follower.generation = recording.generation;
  follower.payload = options.payload;
  follower.batch = options.chunk;
  return follower;
}

std::string At(EventId id) { return "event " + std::to_string(id.value()); }

bool Has(const std::vector<std::string>& paths, const Difference& difference) {
  return std::any_of(paths.begin(), paths.end(), [&difference](const std::string& path) {
    return path == difference.path || path == difference.generic;
  });
}

}  // namespace

std::string PayloadName(sync::PayloadMode payload) {
  switch (payload) {
    case sync::PayloadMode::kTrust:
      return "trust";
    case sync::PayloadMode::kVerify:
      return "verify";
    case sync::PayloadMode::kStub:
      return "stub";
  }
  return "?";
}

size_t ReplayReport::checkpoints_equal() const {
  const auto equal = [](const auto& checkpoint) { return checkpoint.second; };
  return static_cast<size_t>(std::count_if(checkpoints.begin(), checkpoints.end(), equal));
}

Replayer::Replayer(const Recording* recording, const ReplayOptions& options)
    : recording_(recording),
      options_(options),
      metastore_(recording),
      follower_(&metastore_, FollowerOptions(*recording, options)) {}

Status Replayer::Start() {
  if (options_.chunk < 1) return MakeError(ErrorCode::kInvalidArgument, "chunk must be at least 1");
  std::map<EventId, std::set<ObjectKey>> unused;
  const auto& steps = recording_->steps;
  while (metastore_.steps() < steps.size() && steps[metastore_.steps()].id <= options_.from) {
    TakeStep(&unused);
  }
  if (metastore_.now() != options_.from) {
    return MakeError(ErrorCode::kInvalidArgument, "no call ended at " + At(options_.from) +
                                                      "; the last one before ended at " +
                                                      At(metastore_.now()));
  }
  const int first = options_.first_chunk > 0 ? options_.first_chunk : options_.chunk;
  next_end_ = EventId(options_.from.value() + first);
  return follower_.Start(metastore_.AllNames());
}

void Replayer::TakeStep(std::map<EventId, std::set<ObjectKey>>* by_id) {
  const Step& step = recording_->steps[metastore_.steps()];
  metastore_.Advance();
  for (const ObjectState& object : step.objects) {
    Told& told = told_[object.key];
    if (object.told) told.clear();
    told.push_back(object.thrift);
    if (object.key.kind == ObjectKind::kFunction) {
      ++report_.not_followed;
    } else {
      (*by_id)[step.id].insert(object.key);
    }
  }
}

bool Replayer::Advance() {
  const EventId before = metastore_.now();
  const size_t steps_before = metastore_.steps();
  while (next_end_ <= before) next_end_ = EventId(next_end_.value() + options_.chunk);
  std::map<EventId, std::set<ObjectKey>> by_id;
  while (metastore_.steps() < recording_->steps.size() && metastore_.now() < next_end_) {
    TakeStep(&by_id);
    // The finest cut is between calls, also those that wrote no event.
    if (options_.chunk == 1 && !by_id.empty()) break;
  }
  if (metastore_.steps() == steps_before && !metastore_.Advance() && before == metastore_.now()) {
    return false;
  }
  Follow();
  touched_.clear();
  for (const auto& [id, keys] : by_id) touched_.insert(keys.begin(), keys.end());
  std::map<ObjectKey, bool> equal;
  for (const ObjectKey& key : touched_) equal[key] = CompareTouched(key, At(metastore_.now()));
  report_.objects_compared += touched_.size();
  // An object counts for the newest id at which it was recorded.
  std::set<ObjectKey> newer;
  for (auto at = by_id.rbegin(); at != by_id.rend(); ++at) {
    for (const ObjectKey& key : at->second) {
      if (!newer.insert(key).second) continue;
      bool& all_equal = report_.checkpoints.try_emplace(at->first, true).first->second;
      all_equal = all_equal && equal[key];
    }
  }
  return true;
}

void Replayer::Follow() {
  const Clock& clock = SystemClock();
  const TimePoint start = clock.Now();
  const Status status = follower_.Poll();
  report_.following += clock.Now() - start;
  if (!status) report_.problems.push_back(At(metastore_.now()) + ": " + status.error().message);
}

void Replayer::Differ(const std::string& where, const std::string& text) {
  report_.differences.push_back(where + " " + text);
}

bool Replayer::MayVary(const ObjectKey& key, const std::string& held,
                       const std::string& path) const {
  const auto told = told_.find(key);
  if (told == told_.end() || !told->second.back()) return false;
  const auto equal_there = [&](const std::string& one, const std::string& other) {
    const auto differences = DiffStructs(key.kind, one, other);
    return std::none_of(differences.begin(), differences.end(),
                        [&path](const Difference& difference) { return difference.path == path; });
  };
  const std::string& newest = *told->second.back();
  return std::any_of(told->second.begin(), told->second.end(), [&](const auto& version) {
    return version && equal_there(held, *version) && !equal_there(*version, newest);
  });
}

bool Replayer::Compare(const ObjectKey& key, const std::optional<std::string>& truth,
                       const std::vector<std::string>& unannounced, const std::string& where) {
  const auto cached = follower_.Cached(key);
  if (!cached) {
    Differ(where, key.ToString() + ": " + cached.error().message);
    return false;
  }
  if (!*cached && truth && metastore_.IsHalfDropped(key)) {
    ++report_.half_dropped;
    return true;
  }
  if (cached->has_value() != truth.has_value()) {
    Differ(where, key.ToString() + ": cache " + (*cached ? "has it" : "has none") + ", metastore " +
                      (truth ? "has it" : "has none"));
    return false;
  }
  if (!truth) return true;
  bool equal = true;
  for (const Difference& difference : DiffStructs(key.kind, **cached, *truth)) {
    if (Has(unannounced, difference) || MayVary(key, **cached, difference.path)) continue;
    equal = false;
    Differ(where, key.ToString() + " " + difference.path + ": cache " + difference.left +
                      ", metastore " + difference.right);
  }
  return equal;
}

bool Replayer::ComparePartitionNames(const ObjectName& table, const std::string& where) {
  const auto cached = follower_.PartitionNames(table);
  if (!cached) return true;
  const std::vector<std::string> truth = metastore_.PartitionNames(table);
  std::vector<std::string> different;
  std::set_symmetric_difference(cached->begin(), cached->end(), truth.begin(), truth.end(),
                                std::back_inserter(different));
  for (const std::string& name : different) {
    const bool there = std::find(truth.begin(), truth.end(), name) != truth.end();
    Differ(where, "partition " + table.ToString() + " " + name + ": cache " +
                      (there ? "has none, metastore has it" : "has it, metastore has none"));
  }
  return different.empty();
}

// With a table all its partitions are compared, as far as they need not be read for that.
bool Replayer::CompareTouched(const ObjectKey& key, const std::string& where) {
  bool equal = Compare(key, metastore_.Truth(key), {}, where);
  if (key.kind != ObjectKind::kTable) return equal;
  equal = ComparePartitionNames(key.name, where) && equal;
  const auto names = follower_.PartitionNames(key.name);
  if (!names) return equal;
  for (const std::string& name : *names) {
    const ObjectKey partition{key.name, name, ObjectKind::kPartition};
    if (touched_.count(partition) > 0) continue;
    equal = Compare(partition, metastore_.Truth(partition), {}, where) && equal;
  }
  return equal;
}

void Replayer::CompareNames() {
  std::set<ObjectName> expected;
  for (const EndObject& object : recording_->end) {
    if (object.key.kind == ObjectKind::kDatabase || object.key.kind == ObjectKind::kTable) {
      expected.insert(object.key.name);
    }
  }
  const std::string catalog(kDefaultCatalog);
  const auto databases = follower_.cache().Databases(catalog);
  if (!databases.exact) report_.problems.emplace_back("end: the list of databases is not exact");
  std::vector<ObjectName> names;
  for (const std::string& db : databases.names) {
    const ObjectName database = names.emplace_back(ObjectName::Database(catalog, db));
    const auto tables = follower_.cache().Tables(database);
    if (!tables.exact) {
      report_.problems.push_back("end: the list of tables of " + db + " is not exact");
    }
    for (const std::string& table : tables.names) {
      names.push_back(ObjectName::Table(catalog, db, table));
    }
  }
  for (const ObjectName& name : names) {
    if (expected.count(name) > 0) continue;
    ++report_.end_different;
    Differ("end", name.ToString() + ": the cache lists it, metastore has none");
  }
}

void Replayer::Finish() {
  CompareNames();
  std::set<ObjectName> tables;
  for (const EndObject& object : recording_->end) {
    if (object.key.kind == ObjectKind::kFunction) {
      ++report_.not_followed;
      continue;
    }
    bool equal = Compare(object.key, object.thrift, object.unannounced, "end");
    if (object.key.kind == ObjectKind::kTable) {
      equal = ComparePartitionNames(object.key.name, "end") && equal;
    }
    ++(equal ? report_.end_equal : report_.end_different);
  }
  report_.events = follower_.counters().events_applied.load();
  const auto count = [this](uint64_t number, const std::string& what) {
    if (number > 0) report_.problems.push_back(std::to_string(number) + " " + what);
  };
  count(follower_.counters().contradictions.load(), "contradictions between log and cache");
  count(follower_.counters().malformed_events.load(), "events that could not be understood");
  count(follower_.counters().load_retries.load(), "loads that had to read twice");
  const auto& action = follower_.counters().actions;
  count(action.at(static_cast<size_t>(sync::Action::kMakeUnknown)).load(), "names made unknown");
  const int64_t expected =
      std::count_if(recording_->log.begin(), recording_->log.end(),
                    [this](const auto& row) { return row.id > options_.from; });
  if (static_cast<int64_t>(report_.events) != expected) {
    report_.problems.push_back(std::to_string(expected) + " events expected, " +
                               std::to_string(report_.events) + " applied");
  }
}

Status Replayer::Run() {
  RETURN_IF_ERROR(Start());
  while (Advance()) {
  }
  Finish();
  return Ok();
}

}  // namespace catalogd::replay
