#pragma once

#include <string>
#include <vector>

#include "catalog/base/scheduler_hook.h"

namespace catalogd::testing {

// A hook that writes down what it is asked and lets everything through, for as long as it lives.
// Thread safety: none; for the thread that made it.
class RecordingHook final : public SchedulerHook {
 public:
  RecordingHook() { SetCurrent(this); }
  ~RecordingHook() override { SetCurrent(nullptr); }
  RecordingHook(const RecordingHook&) = delete;
  RecordingHook& operator=(const RecordingHook&) = delete;

  void Lock(const void*, bool shared) override {
    calls.emplace_back(shared ? "lock_shared" : "lock");
  }
  void Unlock(const void*, bool shared) override {
    calls.emplace_back(shared ? "unlock_shared" : "unlock");
  }
  bool Wait(const void*, const void*, TimePoint deadline) override {
    calls.emplace_back(deadline == TimePoint::max() ? "wait" : "wait_until");
    return wait_result;
  }
  void Notify(const void*, bool all) override {
    calls.emplace_back(all ? "notify_all" : "notify_one");
  }
  void Yield(const char* where) override { calls.emplace_back(std::string("yield ") + where); }

  std::vector<std::string> calls;
  bool wait_result = true;
};

}  // namespace catalogd::testing
