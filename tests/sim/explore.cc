#include "tests/sim/explore.h"

#include <charconv>
#include <deque>
#include <memory>
#include <utility>

namespace catalogd::sim {
namespace {

constexpr uint64_t kExpectedSteps = 1500;  // Of a schedule, for the change points of PCT.

std::string current_replay;

struct Way {
  StrategyKind kind = StrategyKind::kRandom;
  int depth = 0;
};

// Every fourth seed of the mix goes the way of PCT.
Way WayOf(const Plan& plan, uint64_t seed) {
  Way way;
  way.kind = plan.strategy;
  if (plan.strategy == StrategyKind::kMixed) {
    way.kind = seed % 4 == 0 ? StrategyKind::kPct : StrategyKind::kRandom;
  }
  way.depth = plan.pct_depth > 0 ? plan.pct_depth : static_cast<int>(2 + seed / 4 % 3);
  return way;
}

std::unique_ptr<Strategy> MakeStrategy(const Way& way, const SimOptions& options) {
  if (way.kind == StrategyKind::kPct) {
    return std::make_unique<Pct>(options.seed, way.depth, kExpectedSteps, options.tick_one_in);
  }
  return std::make_unique<RandomWalk>(options.seed, options.stay, options.tick_one_in);
}

std::string ReplayText(const Way& way, uint64_t seed) {
  if (way.kind == StrategyKind::kPct) {
    return "pct" + std::to_string(way.depth) + ":" + std::to_string(seed);
  }
  return std::to_string(seed);
}

void Add(const RunReport& report, Sum* sum) {
  ++sum->schedules;
  sum->steps += report.steps;
  sum->checks += report.checks;
  sum->writes += report.totals.writes;
  sum->answered += report.totals.answered;
  sum->trace_hash = sum->trace_hash * 0x100000001b3U + report.trace_hash;
  if (!report.violations.empty()) ++sum->failed;
}

// Runs one schedule and tells of what is wrong with it. False when something is.
bool RunOne(const SimOptions& options, const std::function<std::unique_ptr<Strategy>()>& strategy,
            const std::string& replay, const Plan& plan, Sum* sum,
            const std::function<void(const Failure&)>& on_failure) {
  current_replay = replay;
  RunReport report = RunSchedule(options, strategy().get(), plan.print_trace);
  if (plan.twice && !report.stuck()) {
    const RunReport again = RunSchedule(options, strategy().get(), false);
    if (again.trace_hash != report.trace_hash) {
      report.violations.push_back("two runs of one schedule differ");
    }
  }
  Add(report, sum);
  if (report.violations.empty()) return true;
  on_failure({options, report.violations, replay});
  return false;
}

class Until {
 public:
  Until(const Plan& plan, const Clock& clock) : plan_(plan), clock_(clock), start_(clock.Now()) {}
  [[nodiscard]] bool Over(uint64_t schedules) const {
    if (plan_.seconds <= 0) return schedules >= plan_.schedules;
    return std::chrono::duration<double>(clock_.Now() - start_).count() >= plan_.seconds;
  }

 private:
  const Plan& plan_;
  const Clock& clock_;
  const TimePoint start_;
};

// All schedules of small worlds with at most so many preemptions, fewest first; seed after seed.
Sum Exhaust(const Plan& plan, const Clock& clock,
            const std::function<void(const Failure&)>& on_failure) {
  using Decisions = std::vector<Directed::Decision>;
  struct Node {
    Decisions decisions;
    int preemptions = 0;
  };
  Sum sum;
  const Until until(plan, clock);
  for (uint64_t seed = plan.first_seed; !until.Over(sum.schedules); ++seed) {
    const SimOptions options = SmallOptions(seed);
    std::deque<Node> open(1);
    while (!open.empty() && !until.Over(sum.schedules)) {
      const Node node = std::move(open.front());
      open.pop_front();
      Directed* strategy = nullptr;
      auto directed = std::make_unique<Directed>(node.decisions, true);
      strategy = directed.get();
      current_replay = "small:" + std::to_string(seed) + ":" + FormatDecisions(node.decisions);
      const RunReport report = RunSchedule(options, strategy, plan.print_trace);
      Add(report, &sum);
      if (!report.violations.empty()) {
        on_failure({options, report.violations, current_replay});
        return sum;
      }
      for (const Directed::Alternative& other : strategy->alternatives()) {
        const int preemptions = node.preemptions + (other.preempts ? 1 : 0);
        if (preemptions > plan.preemptions) continue;
        Node next{node.decisions, preemptions};
        next.decisions.push_back({other.point, other.actor});
        // Those that preempt less come first.
        if (other.preempts) {
          open.push_back(std::move(next));
        } else {
          open.push_front(std::move(next));
        }
      }
    }
  }
  return sum;
}

}  // namespace

const std::string& CurrentReplay() { return current_replay; }

Sum Explore(const Plan& plan, const Clock& clock,
            const std::function<void(const Failure&)>& on_failure) {
  if (plan.strategy == StrategyKind::kExhaustive) return Exhaust(plan, clock, on_failure);
  Sum sum;
  const Until until(plan, clock);
  for (uint64_t seed = plan.first_seed; !until.Over(sum.schedules); ++seed) {
    const SimOptions options = DrawOptions(seed);
    if (plan.calm && (options.restore || options.resyncs)) continue;
    const Way way = WayOf(plan, seed);
    const auto strategy = [&] { return MakeStrategy(way, options); };
    if (!RunOne(options, strategy, ReplayText(way, seed), plan, &sum, on_failure)) return sum;
  }
  return sum;
}

Result<Sum> Replay(const std::string& text, bool print_trace,
                   const std::function<void(const Failure&)>& on_failure) {
  Way way;
  std::string rest = text;
  const bool small = rest.starts_with("small:");
  if (small) rest = rest.substr(6);
  if (rest.starts_with("pct") && rest.size() > 5 && rest[4] == ':') {
    way.kind = StrategyKind::kPct;
    way.depth = rest[3] - '0';
    rest = rest.substr(5);
  }
  uint64_t seed = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), seed);
  const std::string behind = rest.substr(static_cast<size_t>(parsed.ptr - rest.data()));
  if (parsed.ec != std::errc() || (!behind.empty() && (!small || behind[0] != ':'))) {
    return MakeError(ErrorCode::kInvalidArgument, "not a schedule: '" + text + "'");
  }
  const SimOptions options = small ? SmallOptions(seed) : DrawOptions(seed);
  std::vector<Directed::Decision> decisions;
  if (small && !behind.empty()) {
    ASSIGN_OR_RETURN(decisions, ParseDecisions(behind.substr(1)));
  }
  const auto strategy = [&]() -> std::unique_ptr<Strategy> {
    if (small) return std::make_unique<Directed>(decisions, false);
    return MakeStrategy(way, options);
  };
  Plan plan;
  plan.twice = true;
  plan.print_trace = print_trace;
  Sum sum;
  RunOne(options, strategy, text, plan, &sum, on_failure);
  return sum;
}

}  // namespace catalogd::sim
