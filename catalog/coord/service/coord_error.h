#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "catalog/base/result.h"
#include "catalog/base/scheduler_hook.h"
#include "catalog/coord/guard.h"
#include "catalog/coord/txn_guard.h"

// What a call of table coordination may answer instead of a result.
// Thread safety: plain values and pure functions.
namespace catalogd::coord {

// The numbers are seen by clients and stay what they are; new ones go to the end of their group.
enum class CoordCode : int32_t {
  // The request.
  kInvalidArgument = 1,
  kNotFound = 2,  // No such table, transaction, plan or token.
  kAlreadyRegistered = 3,
  kUnsupportedLayout = 4,
  kInvalidTableType = 5,
  kPermissionDenied = 6,
  // The table.
  kTableGone = 20,
  kNotOwner = 21,  // Another daemon has it: `owner`, `epoch`.
  kTableCorrupt = 22,
  kBusy = 23,  // Open transactions or pending plans.
  kTableRecovering = 24,
  // Transactions.
  kConflict = 40,
  kFenced = 41,
  kTxnNotOpen = 42,
  kTooLate = 43,
  kInputGone = 44,
  kCommitStateUnknown = 45,
  kTxnExpired = 46,
  kThrottled = 47,
  // Plans.
  kPlanBusy = 60,
  kPlanAlreadyCompleted = 61,
  kPlanCancelled = 62,
  kPlanFailed = 63,
  kExternallyClaimed = 64,
  kNoneAvailable = 65,
  kClosed = 66,
  kCancelPending = 67,
  kClaimExpired = 68,
  kInstantAlive = 69,
  kNothingToRollBack = 70,
  kNotCancelled = 71,
  kServiceFailed = 72,
  // Reading.
  kVersionExpired = 80,
  kTimelineCorrupt = 81,
  // The daemon.
  kLockTimeout = 100,
  kTimeout = 101,
  kRetryLater = 102,
  kStoreFailed = 103,
  kMetastoreFailed = 104,
  kStopping = 105,
  kInternal = 106,
  kUnsupported = 107,  // Coordination is switched off.
};
// "PLAN_BUSY"
std::string_view CoordCodeName(CoordCode code);
// The same call may succeed later without anything being done again.
bool CoordIsRetryable(CoordCode code);

struct CoordFailure {
  CoordCode code = CoordCode::kInternal;
  std::string message;
  Duration retry_after{};
  std::map<std::string, std::string> details;
};

template <class T>
class [[nodiscard]] CoordResult : public tl::expected<T, CoordFailure> {
 public:
  using tl::expected<T, CoordFailure>::expected;
};
using CoordStatus = CoordResult<void>;

inline tl::unexpected<CoordFailure> Fail(CoordCode code, std::string message) {
  return tl::make_unexpected(CoordFailure{code, std::move(message), {}, {}});
}
inline tl::unexpected<CoordFailure> AsFailure(CoordFailure failure) {
  return tl::make_unexpected(std::move(failure));
}

// What a base error means to a client here.
CoordFailure FailureOf(const Error& error, std::string_view context);
CoordFailure FailureOf(const GuardAnswer& answer, PlanId plan);
CoordFailure FailureOf(const TxnStep& step, const TxnRow* txn, int64_t txn_id);

}  // namespace catalogd::coord

// COORD_ASSIGN_OR_RETURN(const auto& table, Find(name));
#define COORD_ASSIGN_OR_RETURN(lhs, expr) \
  COORD_ASSIGN_OR_RETURN_IMPL(CATALOGD_CONCAT(result_, __LINE__), lhs, expr)
#define COORD_ASSIGN_OR_RETURN_IMPL(result, lhs, expr)                         \
  auto result = (expr);                                                        \
  if (!result) return ::catalogd::coord::AsFailure(std::move(result).error()); \
  lhs = std::move(*result)
#define COORD_RETURN_IF_FAILED(expr)                                               \
  do {                                                                             \
    auto status_ = (expr);                                                         \
    if (!status_) return ::catalogd::coord::AsFailure(std::move(status_).error()); \
  } while (false)
