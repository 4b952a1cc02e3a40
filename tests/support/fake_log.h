#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/base/mutex.h"
#include "hms_client/metastore.h"

namespace catalogd::testing {

// A notification log in memory that a test may bend as real ones bend: cleaned, restored, with
// holes, duplicates and late rows.
// Thread safety: yes.
class FakeLog {
 public:
  // Appends with the next id and returns it.
  EventId Append(hms::NotificationEvent event) {
    MutexLock lock(mutex_);
    event.id = current_id_.Next();
    current_id_ = event.id;
    log_.push_back(event);
    return event.id;
  }
  EventId Append(const std::string& type, const ObjectName& name, const std::string& message) {
    return Append(MakeRow(type, name, message));
  }
  // A row as it is, at its place by id (behind equal ids): late ids, duplicates, holes.
  void Insert(const hms::NotificationEvent& event) {
    MutexLock lock(mutex_);
    const auto at =
        std::upper_bound(log_.begin(), log_.end(), event.id,
                         [](EventId id, const hms::NotificationEvent& row) { return id < row.id; });
    log_.insert(at, event);
    current_id_ = std::max(current_id_, event.id);
  }
  // Removes rows up to `id`, as the metastore's cleaner does. The current id stays.
  void Clean(EventId id) {
    MutexLock lock(mutex_);
    std::erase_if(log_, [id](const auto& row) { return row.id <= id; });
  }
  // Removes one row: a hole.
  void Erase(EventId id) {
    MutexLock lock(mutex_);
    std::erase_if(log_, [id](const auto& row) { return row.id == id; });
  }
  // Back to a backup: rows behind `id` are gone and ids go on from there.
  void RestoreTo(EventId id) {
    MutexLock lock(mutex_);
    std::erase_if(log_, [id](const auto& row) { return row.id > id; });
    current_id_ = id;
  }
  void SetCurrentId(EventId id) {
    MutexLock lock(mutex_);
    current_id_ = id;
  }
  // Rows per reply are cut to this, whatever the caller asks for; 0: no limit.
  void SetMaxReply(size_t rows) {
    MutexLock lock(mutex_);
    max_reply_ = rows;
  }
  [[nodiscard]] std::vector<hms::NotificationEvent> log() const {
    MutexLock lock(mutex_);
    return log_;
  }
  [[nodiscard]] EventId current_id() const {
    MutexLock lock(mutex_);
    return current_id_;
  }

  static hms::NotificationEvent MakeRow(const std::string& type, const ObjectName& name,
                                        const std::string& message) {
    hms::NotificationEvent row;
    row.time = 1717200000;
    row.type = type;
    row.message = message;
    row.format = "json-0.2";
    if (!name.catalog().empty()) row.catalog = name.catalog();
    if (!name.db().empty()) row.db = name.db();
    if (name.is_table()) row.table = name.table();
    return row;
  }

  // Rows behind `after`, in log order.
  [[nodiscard]] std::vector<hms::NotificationEvent> Next(EventId after, int max) const {
    MutexLock lock(mutex_);
    size_t limit = max <= 0 ? log_.size() : static_cast<size_t>(max);
    if (max_reply_ != 0) limit = std::min(limit, max_reply_);
    std::vector<hms::NotificationEvent> rows;
    for (const auto& row : log_) {
      if (rows.size() >= limit) break;
      if (row.id > after) rows.push_back(row);
    }
    return rows;
  }

 private:
  mutable Mutex mutex_{LockRank::kLeaf};
  std::vector<hms::NotificationEvent> log_ GUARDED_BY(mutex_);
  EventId current_id_ GUARDED_BY(mutex_);
  size_t max_reply_ GUARDED_BY(mutex_) = 0;
};

}  // namespace catalogd::testing
