#include "catalog/base/probes.h"

#include <vector>

#include "catalog/base/mutex.h"

namespace catalogd {
namespace {

struct Registry {
  Mutex mutex{LockRank::kLeaf};
  std::vector<Probe*> probes GUARDED_BY(mutex);
  std::map<std::string, int> armed GUARDED_BY(mutex);
  std::atomic<int> armed_count{0};
};

Registry& TheRegistry() {
  static auto* registry =
      new Registry;  // Lives as long as the process: probes are function statics.
  return *registry;
}

// The registry is bookkeeping of the test machinery itself, so the simulator must not schedule it.
class WithoutHook {
 public:
  WithoutHook() : hook_(SchedulerHook::Current()) { SchedulerHook::SetCurrent(nullptr); }
  ~WithoutHook() { SchedulerHook::SetCurrent(hook_); }

 private:
  SchedulerHook* hook_;
};

}  // namespace

Probe::Probe(const char* name) : name_(name) {
  const WithoutHook none;
  Registry& registry = TheRegistry();
  const MutexLock lock(registry.mutex);
  registry.probes.push_back(this);
}

std::map<std::string, uint64_t> Probe::Hits() {
  const WithoutHook none;
  Registry& registry = TheRegistry();
  const MutexLock lock(registry.mutex);
  std::map<std::string, uint64_t> hits;
  for (const Probe* probe : registry.probes) hits[probe->name()] += probe->hits();
  return hits;
}

void Probe::ResetAll() {
  const WithoutHook none;
  Registry& registry = TheRegistry();
  const MutexLock lock(registry.mutex);
  for (Probe* probe : registry.probes) probe->hits_.store(0, std::memory_order_relaxed);
}

bool FaultSiteFires(const char* name) {
  if (SchedulerHook* hook = SchedulerHook::Current()) hook->Yield(name);
  Registry& registry = TheRegistry();
  if (registry.armed_count.load(std::memory_order_relaxed) == 0) return false;
  const WithoutHook none;
  const MutexLock lock(registry.mutex);
  const auto it = registry.armed.find(name);
  if (it == registry.armed.end()) return false;
  if (--it->second == 0) {
    registry.armed.erase(it);
    registry.armed_count.fetch_sub(1, std::memory_order_relaxed);
  }
  return true;
}

void ArmFaultSite(const std::string& name, int times) {
  const WithoutHook none;
  Registry& registry = TheRegistry();
  const MutexLock lock(registry.mutex);
  const bool was = registry.armed.erase(name) > 0;
  if (times > 0) registry.armed[name] = times;
  registry.armed_count.fetch_add((times > 0 ? 1 : 0) - (was ? 1 : 0), std::memory_order_relaxed);
}

}  // namespace catalogd
