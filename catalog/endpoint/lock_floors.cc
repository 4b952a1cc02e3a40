#include "catalog/endpoint/lock_floors.h"

#include <utility>

#include "catalog/endpoint/names_in.h"

namespace catalogd::endpoint {
namespace {

constexpr int32_t kSharedRead = 1;  // LockType
constexpr int32_t kAcquired = 1;    // LockState
constexpr int32_t kWaiting = 2;

// What a LockRequest wants to change.
std::vector<ObjectName> WantedNames(const wire::StructView& arguments) {
  std::vector<ObjectName> names;
  const auto request = arguments.Struct(1);
  const auto components = request ? request->Find(1) : std::nullopt;
  if (!components || components->type != wire::TType::kList) return names;
  const wire::ListView list(components->value);
  if (list.element_type() != wire::TType::kStruct) return names;
  for (const std::string_view element : list.Elements()) {
    const wire::StructView component(element);
    const auto db = component.String(3);
    if (!db || db->empty() || component.I32(1) == kSharedRead) continue;
    const DatabaseArgument database = DatabaseOf(component.String(9), *db);
    if (!database.db) continue;
    names.push_back(
        ObjectName::Table(database.catalog, *database.db, component.String(4).value_or("")));
  }
  return names;
}

}  // namespace

LockFloors::Granted LockFloors::OnReply(const Call& call, std::string_view reply) {
  const bool lock = call.header.method == "lock";
  if (!lock && call.header.method != "check_lock") return {};
  const auto header = wire::ParseMessageHeader(reply);
  if (!header || header->type != wire::MessageType::kReply) return {};
  const auto response = wire::StructView(reply.substr(header->body)).Struct(0);
  if (!response) return {};
  const int64_t id = response->I64(1).value_or(0);
  const int32_t state = response->I32(2).value_or(0);
  std::vector<ObjectName> names = lock ? WantedNames(call.Arguments()) : std::vector<ObjectName>();
  if (state == kAcquired) {
    if (!lock) names = Forget(id);
    return {!names.empty(), std::move(names)};
  }
  if (lock && state == kWaiting && !names.empty()) Remember(id, std::move(names));
  if (!lock && state != kWaiting) Forget(id);
  return {};
}

std::vector<ObjectName> LockFloors::Forget(int64_t lock_id) {
  const MutexLock lock(mutex_);
  const auto it = waiting_.find(lock_id);
  if (it == waiting_.end()) return {};
  std::vector<ObjectName> names = std::move(it->second);
  waiting_.erase(it);
  return names;
}

void LockFloors::Remember(int64_t lock_id, std::vector<ObjectName> names) {
  const MutexLock lock(mutex_);
  waiting_[lock_id] = std::move(names);
  order_.push_back(lock_id);
  while (order_.size() > max_waiting_) {
    waiting_.erase(order_.front());
    order_.pop_front();
  }
}

size_t LockFloors::waiting() const {
  const MutexLock lock(mutex_);
  return waiting_.size();
}

}  // namespace catalogd::endpoint
