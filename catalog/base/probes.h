#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "catalog/base/scheduler_hook.h"

namespace catalogd {

// A coverage mark: counts how often a rare path was taken. The simulator's fixed seeds must hit
// every mark, or a rule is not being tested. Use: MARK("applier.skip_older");
class Probe {
 public:
  explicit Probe(const char* name);
  void Hit() { hits_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  [[nodiscard]] const char* name() const { return name_; }

  // All probes that have been reached by code at least once, by name.
  static std::map<std::string, uint64_t> Hits();
  static void ResetAll();

 private:
  const char* name_;
  std::atomic<uint64_t> hits_{0};
};

// True when a test or the simulator has armed the site; also a scheduling point. In production
// nothing is armed and this is one relaxed load.
bool FaultSiteFires(const char* name);
// Arms a site for the next `times` visits; 0 disarms.
void ArmFaultSite(const std::string& name, int times);

}  // namespace catalogd

#define MARK(name)                             \
  do {                                         \
    static ::catalogd::Probe probe_here(name); \
    probe_here.Hit();                          \
  } while (false)

#define FAULT_SITE(name) (::catalogd::FaultSiteFires(name))
