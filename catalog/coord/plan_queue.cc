#include "catalog/coord/plan_queue.h"

#include <algorithm>
#include <set>

#include "catalog/coord/guard.h"

namespace catalogd::coord {
namespace {

bool IsFree(const PlanRow& plan, TimePoint now) {
  if (plan.state == PlanState::kRequested) return now >= plan.next_attempt;
  return plan.state == PlanState::kClaimed && ClaimExpired(plan, now);
}

}  // namespace

std::vector<PlanId> Offers(std::span<const PlanRow> plans, TimePoint now, QueueOrder order) {
  std::vector<const PlanRow*> free;
  for (const PlanRow& plan : plans) {
    if (IsFree(plan, now)) free.push_back(&plan);
  }
  std::sort(free.begin(), free.end(), [&](const PlanRow* a, const PlanRow* b) {
    return order == QueueOrder::kOldestFirst ? a->requested < b->requested
                                             : b->requested < a->requested;
  });
  std::vector<PlanId> offers;
  offers.reserve(free.size());
  for (const PlanRow* plan : free) offers.push_back(plan->id);
  return offers;
}

std::optional<Offer> NextOffer(std::span<const TablePlans> tables, const std::string& last_table,
                               TimePoint now, QueueOrder order) {
  const auto behind = std::upper_bound(
      tables.begin(), tables.end(), last_table,
      [](const std::string& id, const TablePlans& table) { return id < table.table_id; });
  const auto first = static_cast<size_t>(behind - tables.begin());
  for (size_t i = 0; i < tables.size(); ++i) {
    const TablePlans& table = tables[(first + i) % tables.size()];
    const std::vector<PlanId> offers = Offers(table.plans, now, order);
    if (!offers.empty()) return Offer{table.table_id, offers.front()};
  }
  return std::nullopt;
}

std::vector<Instant> WithoutRow(std::span<const Instant> found, std::span<const PlanRow> plans) {
  std::set<Instant> missing(found.begin(), found.end());
  for (const PlanRow& plan : plans) missing.erase(plan.requested);
  return {missing.begin(), missing.end()};
}

}  // namespace catalogd::coord
