#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/replay/follower.h"
#include "tests/replay/recorded_metastore.h"
#include "tests/replay/recording.h"

namespace catalogd::replay {

struct ReplayOptions {
  // Events that become visible at once and are fetched at once. A call's events are not torn apart
  // when they become visible (the server commits them together), but when they are fetched.
  int chunk = 1;
  // The first chunk's size, to move the ends of all that follow; 0: as the others.
  int first_chunk = 0;
  EventId from;  // 0, or the id after a call: the cache begins with the names listed there.
  sync::PayloadMode payload = sync::PayloadMode::kTrust;
};

struct ReplayReport {
  size_t events = 0;
  Duration following{};  // Time spent in fetching, decoding, deciding and applying.
  // By id at which objects were recorded: whether all of them were equal. Ids are left out when all
  // their objects changed again before the chunk ended.
  std::map<EventId, bool> checkpoints;
  size_t objects_compared = 0;  // At checkpoints.
  size_t end_equal = 0;
  size_t end_different = 0;  // Objects that should not be there included.
  size_t half_dropped = 0;   // RecordedMetastore::IsHalfDropped, and not in the cache: left out.
  size_t not_followed = 0;   // Functions, at checkpoints and at the end.
  std::vector<std::string> differences;
  // Everything else that must not happen with one writer and a whole log.
  std::vector<std::string> problems;

  [[nodiscard]] size_t checkpoints_equal() const;
  [[nodiscard]] bool all_equal() const { return differences.empty() && problems.empty(); }
};

// Lets a follower follow a recording chunk by chunk and compares what it holds with what the server
// answered at that moment, field by field.
//
// What the log does not tell: a field that was changed by calls without content in the log may
// still have any value that it had since the log last told; at the end, `unannounced` fields are
// left out. Thread safety: none.
class Replayer {
 public:
  // `recording` must outlive it.
  Replayer(const Recording* recording, const ReplayOptions& options);

  // Goes to options.from. kInvalidArgument when no call ended there.
  Status Start();
  // One chunk: follows and compares. False at the end of the recording.
  bool Advance();
  // Compares everything with the end state.
  void Finish();
  // All of the above.
  Status Run();

  [[nodiscard]] const ReplayReport& report() const { return report_; }
  [[nodiscard]] Follower& follower() { return follower_; }
  [[nodiscard]] const RecordedMetastore& metastore() const { return metastore_; }
  // Objects that the last chunk changed, functions left out.
  [[nodiscard]] const std::set<ObjectKey>& touched() const { return touched_; }
  // Could a follower that has read the object at another time hold another value there? True when
  // calls changed the field without telling and `held` is what it was before.
  [[nodiscard]] bool MayVary(const ObjectKey& key, const std::string& held,
                             const std::string& path) const;

 private:
  using Told = std::vector<std::optional<std::string>>;
  void TakeStep(std::map<EventId, std::set<ObjectKey>>* by_id);
  void Follow();
  // True when equal. `where`: for the difference's text.
  bool Compare(const ObjectKey& key, const std::optional<std::string>& truth,
               const std::vector<std::string>& unannounced, const std::string& where);
  bool ComparePartitionNames(const ObjectName& table, const std::string& where);
  bool CompareTouched(const ObjectKey& key, const std::string& where);
  void CompareNames();
  void Differ(const std::string& where, const std::string& text);

  const Recording* const recording_;
  const ReplayOptions options_;
  RecordedMetastore metastore_;
  Follower follower_;
  ReplayReport report_;
  EventId next_end_;  // Of the chunk.
  std::set<ObjectKey> touched_;
  // Per object: what it was when the log last told of it, and what it has been since.
  std::map<ObjectKey, Told> told_;
};

std::string PayloadName(sync::PayloadMode payload);

}  // namespace catalogd::replay
