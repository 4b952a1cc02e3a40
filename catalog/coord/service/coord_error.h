#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "catalog/base/error.h"
#include "catalog/coord/guard.h"
#include "catalog/coord/txn_guard.h"

namespace catalogd::coord {

// What a coordination call answers when it does not do what was asked. The numbers are part of the
// protocol (catalogd_coord.thrift): they never change and none is used again.
enum class CoordCode : int32_t {
  kInvalidArgument = 1,
  kNotFound = 2,
  kTableGone = 3,
  kAlreadyRegistered = 4,
  kUnsupportedLayout = 5,
  kNotOwner = 6,
  kBusy = 7,
  kLockTimeout = 8,
  kThrottled = 9,
  kFenced = 10,
  kTxnNotOpen = 11,
  kTxnExpired = 12,
  kConflict = 13,
  kInputGone = 14,
  kCommitStateUnknown = 15,
  kServiceFailed = 16,
  kTooLate = 17,
  kInvalidTableType = 18,
  kPlanBusy = 19,
  kPlanCancelled = 20,
  kPlanNotFound = 21,
  kPlanFailed = 22,
  kPlanAlreadyCompleted = 23,
  kExternallyClaimed = 24,
  kNoneAvailable = 25,
  kClosed = 26,
  kClaimExpired = 27,
  kCancelPending = 28,
  kNotCancelled = 29,
  kInstantAlive = 30,
  kNothingToRollBack = 31,
  kVersionExpired = 32,
  kTimelineCorrupt = 33,
  kTimeout = 34,
  kRetryLater = 35,
  kPermission = 36,
  kTableCorrupt = 37,
  kStopping = 38,
  kUnavailable = 39,
  kInternal = 40,
};

struct CoordFailure {
  CoordCode code = CoordCode::kInternal;
  std::string message;
  int64_t retry_after_ms = 0;
  std::map<std::string, std::string> details;
};

std::string_view CoordCodeName(CoordCode code);
// Whether the same call may succeed later, without anybody changing anything.
bool IsRetryable(CoordCode code);

template <class T>
class [[nodiscard]] CoordResult : public tl::expected<T, CoordFailure> {
 public:
  using tl::expected<T, CoordFailure>::expected;
};
using CoordStatus = CoordResult<void>;

tl::unexpected<CoordFailure> Fail(CoordCode code, std::string message);
tl::unexpected<CoordFailure> Fail(CoordFailure failure);
// An error of a lower layer: of the arguments, the store, the metastore.
tl::unexpected<CoordFailure> Fail(const Error& error);
// What a guard says, in its words. REQUIRES: the code is not kOk.
CoordFailure FailureOf(const GuardAnswer& answer, PlanId plan);
CoordFailure FailureOf(const TxnStep& step, int64_t txn_id, const std::string& reason);

}  // namespace catalogd::coord

// As RETURN_IF_ERROR and ASSIGN_OR_RETURN, for CoordResult and for Result alike.
#define COORD_RETURN_IF_ERROR(expr)                                       \
  do {                                                                    \
    auto status_ = (expr);                                                \
    if (!status_) return ::catalogd::coord::Fail(std::move(status_).error()); \
  } while (false)
#define COORD_ASSIGN_OR_RETURN(lhs, expr) \
  COORD_ASSIGN_OR_RETURN_IMPL(CATALOGD_CONCAT(result_, __LINE__), lhs, expr)
#define COORD_ASSIGN_OR_RETURN_IMPL(result, lhs, expr)                      \
  auto result = (expr);                                                     \
  if (!result) return ::catalogd::coord::Fail(std::move(result).error());   \
  lhs = std::move(*result)
