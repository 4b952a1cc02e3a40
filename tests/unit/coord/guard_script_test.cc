// The runner of the scripts that the interleavings of the guard are written in, and that it does
// notice a result that is not the expected one.
#include "tests/unit/coord/guard_script.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

#include "tests/unit/coord/instants.h"

namespace catalogd::coord::testing {

struct GuardScript::Line {
  std::string who, verb, expected;
  PlanId plan{1};
  std::string table_id = "t1";
  bool held = false, gone = false;
  std::optional<ExternalBeat> external;
  std::vector<std::string> names;
};

namespace {

using std::chrono::milliseconds;

int64_t Millis(Duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration).count();
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::string Render(const GuardAnswer& answer) {
  std::string text(GuardCodeName(answer.code));
  if (answer.attempt > 0) {
    text += fmt::format(" fence {} attempt {}", answer.fence.value(), answer.attempt);
  }
  if (answer.takeover) text += " takeover";
  if (answer.cancel_requested) text += " cancel";
  if (!answer.owner.empty()) text += " by " + answer.owner;
  if (answer.code != GuardCode::kOk && answer.remaining > Duration{}) {
    text += fmt::format(" for {}", Millis(answer.remaining));
  }
  if (answer.completion) {
    text += fmt::format(" {} v{}", Short(answer.completion->time),
                        answer.completion->id_version.value());
  }
  if (!answer.earlier_files.empty()) text += " remove " + Joined(answer.earlier_files);
  if (!answer.warning.empty()) text += fmt::format(" warning {}", answer.warning);
  return text;
}

GuardScript::GuardScript(GuardOptions given) : options(given) {
  table.table_id = "t1";
  now = TimePoint(milliseconds(1'000'000));
  PlanRow& plan = plans[PlanId(1)];
  plan.id = PlanId(1);
  plan.requested = At(30);
}

const PlanRow* GuardScript::Find(PlanId id) const {
  const auto found = plans.find(id);
  return found == plans.end() ? nullptr : &found->second;
}

Holder GuardScript::HolderOf(const Line& line) const {
  const auto fence = fences_.find({line.who, line.plan});
  return {line.table_id, fence == fences_.end() ? Fence() : fence->second};
}

std::string GuardScript::Store(const GuardStep& step, PlanId id) {
  if (step.table) table = *step.table;
  if (step.plan) plans[id] = *step.plan;
  return Render(step.answer);
}

std::string GuardScript::Show(PlanId id) const {
  const PlanRow* plan = Find(id);
  if (plan == nullptr) return "none";
  std::string text = fmt::format("{} fence {}", PlanStateName(plan->state), plan->fence.value());
  if (plan->claim) {
    text += fmt::format(" by {} until {}", plan->claim->owner, Millis(plan->claim->deadline - now));
  }
  if (plan->completion) text += fmt::format(" v{}", plan->completion->id_version.value());
  const std::vector<std::string> remove = FilesToRemove(*plan);
  if (!remove.empty()) text += " remove " + Joined(remove);
  return text;
}

std::string GuardScript::Claim(const Line& line) {
  ClaimRequest request;
  request.table_id = line.table_id;
  request.owner = line.who;
  request.external = line.external;
  if (line.held) request.held = HolderOf(line).fence;
  const GuardStep step = ClaimPlan(table, Find(line.plan), request, now, options);
  if (line.verb == "lose") return Render(step.answer);
  if (step.answer.code == GuardCode::kOk) fences_[{line.who, line.plan}] = step.answer.fence;
  return Store(step, line.plan);
}

std::string GuardScript::Rollback(const Line& line) {
  RollbackRequest request;
  request.table_id = line.table_id;
  request.owner = line.who;
  request.new_plan = PlanId(100 + static_cast<int64_t>(plans.size()));
  request.new_instant = At(1000 + static_cast<int64_t>(plans.size()));
  const PlanRow* target = Find(line.plan);
  const PlanRow* pending = nullptr;
  for (const auto& [id, plan] : plans) {
    if (plan.target && IsPending(plan.state)) pending = &plan;
  }
  const RollbackStep step = ClaimRollback(table, target, pending, request, now, options);
  if (step.table) table = *step.table;
  if (step.target) plans[step.target->id] = *step.target;
  if (step.rollback) plans[step.rollback->id] = *step.rollback;
  if (step.answer.code != GuardCode::kOk) return Render(step.answer);
  fences_[{line.who, step.rollback->id}] = step.answer.fence;
  return fmt::format("plan {} {}", step.rollback->id.value(), Render(step.answer));
}

std::string GuardScript::Complete(const Line& line) {
  CompleteRequest request;
  request.time = At(last_time_ + 1);
  request.inputs_alive = !line.gone;
  const GuardStep step =
      BeginComplete(table, Find(line.plan), HolderOf(line), request, now, options);
  const std::string answer = Store(step, line.plan);
  if (!step.plan || step.plan->state != PlanState::kCommitting) return answer;
  ++last_time_;
  if (line.verb == "prepare") return answer;
  return Store(SettleComplete(table, plans[line.plan], Settled::kCommitted), line.plan);
}

std::string GuardScript::Daemon(const Line& line) {
  if (line.verb == "show") return Show(line.plan);
  if (line.verb == "commit") {
    return Store(SettleComplete(table, plans[line.plan], Settled::kCommitted), line.plan);
  }
  if (line.verb == "undo") {
    return Store(SettleComplete(table, plans[line.plan], Settled::kUndone), line.plan);
  }
  if (line.verb == "restart") {
    for (auto& [id, plan] : plans) {
      const bool alive = !ClaimExpired(plan, now);
      plan = RestoreClaim(plan, alive, now + milliseconds(5000));
    }
    // Another process, another origin of its clock, five seconds of outage.
    now += milliseconds(5000);
    return "done";
  }
  if (line.verb == "drop") {
    table.dropped = true;
    return "done";
  }
  // Dropped and created again under the same name: rows of the old plans belong to the old table.
  table = TableRow{};
  table.table_id = "t2";
  plans.clear();
  return "done";
}

std::string GuardScript::Do(const Line& line) {
  const PlanRow* plan = Find(line.plan);
  const Holder holder = HolderOf(line);
  if (line.verb == "claim" || line.verb == "lose") return Claim(line);
  if (line.verb == "rollback") return Rollback(line);
  if (line.verb == "prepare" || line.verb == "complete") return Complete(line);
  if (line.verb == "beat") return Store(BeatPlan(table, plan, holder, now, options), line.plan);
  if (line.verb == "files") {
    return Store(RegisterFiles(table, plan, holder, line.names), line.plan);
  }
  if (line.verb == "fail") {
    return Store(FailPlan(table, plan, holder, "exit code 1", now, options), line.plan);
  }
  if (line.verb == "abort") return Store(AbortPlan(table, plan, holder), line.plan);
  if (line.verb == "cancel") return Store(CancelPlan(table, plan, line.table_id, now), line.plan);
  if (line.verb == "reset") return Store(ResetPlan(table, plan, line.table_id), line.plan);
  return Daemon(line);
}

std::vector<std::string> GuardScript::Run(std::string_view script) {
  std::vector<std::string> wrong;
  std::istringstream lines{std::string(script)};
  for (std::string text; std::getline(lines, text);) {
    const size_t equals = text.find('=');
    std::istringstream words(text.substr(0, equals));
    Line line;
    if (!(words >> line.who)) continue;
    if (line.who == "wait") {
      int64_t millis = 0;
      words >> millis;
      now += milliseconds(millis);
      continue;
    }
    words >> line.verb;
    int64_t number = 0;
    for (std::string word; words >> word;) {
      if (word == "plan" && words >> number) {
        line.plan = PlanId(number);
      } else if (word == "table") {
        words >> line.table_id;
      } else if (word == "age" && words >> number) {
        line.external = ExternalBeat{milliseconds(number), false};
      } else if (word == "override") {
        line.external->override = true;
      } else if (word == "held") {
        line.held = true;
      } else if (word == "gone") {
        line.gone = true;
      } else {
        line.names.push_back(word);
      }
    }
    line.expected = equals == std::string::npos ? "" : Trimmed(text.substr(equals + 1));
    const std::string result = Do(line);
    if (result != line.expected) wrong.push_back(Trimmed(text) + "  but was: " + result);
  }
  return wrong;
}

namespace {

TEST(GuardScript, AResultThatIsNotExpectedIsReportedWithItsLine) {
  GuardScript script;
  const std::vector<std::string> wrong = script.Run(R"(
    A claim = OK fence 1 attempt 1
    wait 1000
    B claim = PLAN_BUSY by A for 120000
  )");
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong[0], "B claim = PLAN_BUSY by A for 120000  but was: PLAN_BUSY by A for 119000");
}

}  // namespace
}  // namespace catalogd::coord::testing
