#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog/base/random.h"
#include "catalog/cache/name_locks.h"
#include "tests/support/fake_time.h"

namespace catalogd::cache {
namespace {

using std::chrono::seconds;
using Modes = std::map<ObjectName, LockMode>;

// One request in the model: granted iff nothing earlier that is still there conflicts.
struct ModelRequest {
  int id = 0;
  Modes modes;
  TimePoint deadline;
  bool granted = false;
};

bool Conflict(const Modes& a, const Modes& b) {
  return std::any_of(a.begin(), a.end(), [&b](const auto& mine) {
    const auto other = b.find(mine.first);
    if (other == b.end()) return false;
    if (mine.second == LockMode::kExclusive || other->second == LockMode::kExclusive) return true;
    return mine.second == LockMode::kAlone && other->second == LockMode::kAlone;
  });
}

Modes ModesOf(const NameLocks::Request& request) {
  Modes modes;
  const auto parents = [&modes](const std::vector<ObjectName>& names) {
    for (const ObjectName& name : names) {
      if (name.is_table()) modes.emplace(name.DatabaseName(), LockMode::kShared);
    }
  };
  for (const ObjectName& name : request.alone) modes[name] = LockMode::kAlone;
  for (const ObjectName& name : request.exclusive) modes[name] = LockMode::kExclusive;
  for (const ObjectName& name : request.shared) modes.emplace(name, LockMode::kShared);
  parents(request.exclusive);
  parents(request.shared);
  return modes;
}

// The real locks and the model side by side, under one seed.
class SideBySide {
 public:
  explicit SideBySide(uint64_t seed) : random_(seed) {}

  void Step() {
    switch (random_.Below(8)) {
      case 0:
      case 1:
      case 2:
      case 3:
        Acquire();
        break;
      case 4:
        PassTime();
        break;
      default:
        Release();
    }
    executor_.RunAll();
    Compare();
  }

  // Everything that is held is released until nobody is left.
  void Finish() {
    while (!guards_.empty()) {
      Release();
      executor_.RunAll();
      Compare();
    }
    EXPECT_TRUE(model_.empty()) << "somebody waits for nobody";
    EXPECT_EQ(locks_.Snapshot().size(), 0U);
    EXPECT_EQ(timer_.pending(), 0U);
  }

 private:
  ObjectName AnyName() {
    const std::string db(1, static_cast<char>('a' + random_.Below(2)));
    if (random_.OneIn(4)) return ObjectName::Database("hive", db);
    return ObjectName::Table("hive", db, "t" + std::to_string(random_.Below(3)));
  }

  void Acquire() {
    NameLocks::Request request;
    for (uint64_t n = random_.Below(3); n > 0; --n) request.exclusive.push_back(AnyName());
    for (uint64_t n = random_.Below(2); n > 0; --n) request.shared.push_back(AnyName());
    if (random_.OneIn(4)) {
      request.alone.push_back(ObjectName::Database("hive", random_.OneIn(2) ? "a" : "b"));
    }
    if (random_.OneIn(2)) {
      request.deadline = clock_.Now() + seconds(static_cast<int64_t>(random_.Below(5)));
    }
    const int id = next_id_++;
    model_.push_back({id, ModesOf(request), request.deadline, false});
    Grant();
    const std::vector<ObjectName> exclusive = request.exclusive;
    std::optional<NameGuard> guard =
        locks_.Acquire(std::move(request), [this, id](Result<NameGuard> result) {
          if (result) {
            guards_[id] = std::move(*result);
          } else {
            EXPECT_EQ(result.error().code, ErrorCode::kTimedOut);
            timed_out_.push_back(id);
          }
        });
    EXPECT_EQ(guard.has_value(), model_.back().granted);
    if (!guard) return;
    for (const ObjectName& name : exclusive) EXPECT_TRUE(guard->Covers(name));
    guards_[id] = std::move(*guard);
  }

  void Release() {
    if (guards_.empty()) return;
    auto it = guards_.begin();
    std::advance(it, static_cast<ptrdiff_t>(random_.Below(guards_.size())));
    const int id = it->first;
    guards_.erase(it);
    std::erase_if(model_, [id](const ModelRequest& request) { return request.id == id; });
    Grant();
  }

  void PassTime() {
    const TimePoint end = clock_.Now() + seconds(2);
    timer_.AdvanceAndRun(seconds(2));
    for (;;) {
      auto due = model_.end();
      for (auto it = model_.begin(); it != model_.end(); ++it) {
        if (it->granted || it->deadline > end) continue;
        if (due == model_.end() || it->deadline < due->deadline) due = it;
      }
      if (due == model_.end()) return;
      expected_timeouts_.push_back(due->id);
      model_.erase(due);
      Grant();
    }
  }

  void Grant() {
    for (size_t i = 0; i < model_.size(); ++i) {
      if (model_[i].granted) continue;
      model_[i].granted = std::none_of(
          model_.begin(), model_.begin() + static_cast<ptrdiff_t>(i),
          [&](const ModelRequest& earlier) { return Conflict(earlier.modes, model_[i].modes); });
    }
  }

  void Compare() {
    size_t granted = 0;
    for (const ModelRequest& request : model_) {
      ASSERT_EQ(guards_.contains(request.id), request.granted) << "request " << request.id;
      if (request.granted) ++granted;
    }
    ASSERT_EQ(guards_.size(), granted);
    ASSERT_EQ(locks_.waiting(), model_.size() - granted);
    ASSERT_EQ(timed_out_, expected_timeouts_);
    const auto infos = locks_.Snapshot();
    ASSERT_EQ(infos.size(), model_.size());
    for (size_t i = 0; i < infos.size(); ++i) {
      ASSERT_EQ(infos[i].granted, model_[i].granted);
      ASSERT_EQ(Modes(infos[i].names.begin(), infos[i].names.end()), model_[i].modes);
      ASSERT_EQ(infos[i].behind.empty(), model_[i].granted);
    }
  }

  Random random_;
  testing::FakeClock clock_;
  testing::ManualExecutor executor_;
  testing::ManualTimer timer_{&clock_};
  NameLocks locks_{&executor_, &timer_, &clock_};
  int next_id_ = 0;
  std::vector<ModelRequest> model_;  // In ticket order.
  std::map<int, NameGuard> guards_;
  std::vector<int> timed_out_;
  std::vector<int> expected_timeouts_;
};

// Random requests, releases and deadlines: who holds, who waits and who timed out, in which order,
// is what the plain rule "nothing earlier conflicts" says.
TEST(NameLocksModelTest, EqualsThePlainRule) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SideBySide run(seed);
    for (int step = 0; step < 100; ++step) run.Step();
    run.Finish();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace catalogd::cache
