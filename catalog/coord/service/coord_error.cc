#include "catalog/coord/service/coord_error.h"

#include <fmt/format.h>

#include <array>

namespace catalogd::coord {
namespace {

struct CodeRow {
  CoordCode code;
  std::string_view name;
  bool retryable;
};

constexpr std::array kCodes = {
    CodeRow{CoordCode::kInvalidArgument, "INVALID_ARGUMENT", false},
    CodeRow{CoordCode::kNotFound, "NOT_FOUND", false},
    CodeRow{CoordCode::kAlreadyRegistered, "ALREADY_REGISTERED", false},
    CodeRow{CoordCode::kUnsupportedLayout, "UNSUPPORTED_LAYOUT", false},
    CodeRow{CoordCode::kInvalidTableType, "INVALID_TABLE_TYPE", false},
    CodeRow{CoordCode::kPermissionDenied, "PERMISSION_DENIED", false},
    CodeRow{CoordCode::kTableGone, "TABLE_GONE", false},
    CodeRow{CoordCode::kNotOwner, "NOT_OWNER", false},
    CodeRow{CoordCode::kTableCorrupt, "TABLE_CORRUPT", false},
    CodeRow{CoordCode::kBusy, "BUSY", true},
    CodeRow{CoordCode::kTableRecovering, "TABLE_RECOVERING", true},
    CodeRow{CoordCode::kConflict, "CONFLICT", false},
    CodeRow{CoordCode::kFenced, "FENCED", false},
    CodeRow{CoordCode::kTxnNotOpen, "TXN_NOT_OPEN", false},
    CodeRow{CoordCode::kTooLate, "TOO_LATE", false},
    CodeRow{CoordCode::kInputGone, "INPUT_GONE", false},
    CodeRow{CoordCode::kCommitStateUnknown, "COMMIT_STATE_UNKNOWN", false},
    CodeRow{CoordCode::kTxnExpired, "TXN_EXPIRED", false},
    CodeRow{CoordCode::kThrottled, "THROTTLED", true},
    CodeRow{CoordCode::kPlanBusy, "PLAN_BUSY", true},
    CodeRow{CoordCode::kPlanAlreadyCompleted, "PLAN_ALREADY_COMPLETED", false},
    CodeRow{CoordCode::kPlanCancelled, "PLAN_CANCELLED", false},
    CodeRow{CoordCode::kPlanFailed, "PLAN_FAILED", false},
    CodeRow{CoordCode::kExternallyClaimed, "EXTERNALLY_CLAIMED", true},
    CodeRow{CoordCode::kNoneAvailable, "NONE_AVAILABLE", true},
    CodeRow{CoordCode::kClosed, "CLOSED", false},
    CodeRow{CoordCode::kCancelPending, "CANCEL_PENDING", true},
    CodeRow{CoordCode::kClaimExpired, "CLAIM_EXPIRED", false},
    CodeRow{CoordCode::kInstantAlive, "INSTANT_ALIVE", true},
    CodeRow{CoordCode::kNothingToRollBack, "NOTHING_TO_ROLL_BACK", false},
    CodeRow{CoordCode::kNotCancelled, "NOT_CANCELLED", false},
    CodeRow{CoordCode::kServiceFailed, "SERVICE_FAILED", false},
    CodeRow{CoordCode::kVersionExpired, "VERSION_EXPIRED", false},
    CodeRow{CoordCode::kTimelineCorrupt, "TIMELINE_CORRUPT", false},
    CodeRow{CoordCode::kLockTimeout, "LOCK_TIMEOUT", true},
    CodeRow{CoordCode::kTimeout, "TIMEOUT", true},
    CodeRow{CoordCode::kRetryLater, "RETRY_LATER", true},
    CodeRow{CoordCode::kStoreFailed, "STORE_FAILED", true},
    CodeRow{CoordCode::kMetastoreFailed, "METASTORE_FAILED", true},
    CodeRow{CoordCode::kStopping, "STOPPING", true},
    CodeRow{CoordCode::kUnsupported, "UNSUPPORTED", false},
    CodeRow{CoordCode::kInternal, "INTERNAL", false},
};

const CodeRow& RowOf(CoordCode code) {
  for (const CodeRow& row : kCodes) {
    if (row.code == code) return row;
  }
  return kCodes.back();
}

CoordCode CodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return CoordCode::kNotFound;
    case ErrorCode::kAlreadyExists:
      return CoordCode::kAlreadyRegistered;
    case ErrorCode::kInvalidArgument:
      return CoordCode::kInvalidArgument;
    case ErrorCode::kPermission:
      return CoordCode::kPermissionDenied;
    case ErrorCode::kTimedOut:
      return CoordCode::kLockTimeout;
    case ErrorCode::kCancelled:
      return CoordCode::kStopping;
    case ErrorCode::kUnavailable:
    case ErrorCode::kResourceExhausted:
      return CoordCode::kRetryLater;
    case ErrorCode::kUnknownOutcome:
      return CoordCode::kCommitStateUnknown;
    case ErrorCode::kUnsupported:
      return CoordCode::kUnsupportedLayout;
    case ErrorCode::kNotEmpty:
    case ErrorCode::kInvalidState:
    case ErrorCode::kConflict:
    case ErrorCode::kCorrupt:
    case ErrorCode::kInternal:
      return CoordCode::kInternal;
  }
  return CoordCode::kInternal;
}

CoordCode CodeOf(GuardCode code) {
  switch (code) {
    case GuardCode::kOk:
      return CoordCode::kInternal;
    case GuardCode::kPlanBusy:
      return CoordCode::kPlanBusy;
    case GuardCode::kBackingOff:
    case GuardCode::kRetryLater:
      return CoordCode::kRetryLater;
    case GuardCode::kAlreadyCompleted:
      return CoordCode::kPlanAlreadyCompleted;
    case GuardCode::kPlanCancelled:
      return CoordCode::kPlanCancelled;
    case GuardCode::kPlanFailed:
      return CoordCode::kPlanFailed;
    case GuardCode::kPlanNotFound:
      return CoordCode::kNotFound;
    case GuardCode::kFenced:
      return CoordCode::kFenced;
    case GuardCode::kClosed:
      return CoordCode::kClosed;
    case GuardCode::kClaimExpired:
      return CoordCode::kClaimExpired;
    case GuardCode::kCancelPending:
      return CoordCode::kCancelPending;
    case GuardCode::kNotCancelled:
      return CoordCode::kNotCancelled;
    case GuardCode::kTooLate:
      return CoordCode::kTooLate;
    case GuardCode::kInputGone:
      return CoordCode::kInputGone;
    case GuardCode::kTableGone:
      return CoordCode::kTableGone;
    case GuardCode::kInstantAlive:
      return CoordCode::kInstantAlive;
    case GuardCode::kNothingToRollBack:
      return CoordCode::kNothingToRollBack;
    case GuardCode::kExternallyClaimed:
      return CoordCode::kExternallyClaimed;
  }
  return CoordCode::kInternal;
}

struct TxnText {
  CoordCode code;
  std::string_view what;
};

TxnText TextOf(TxnCode code) {
  switch (code) {
    case TxnCode::kOk:
      break;
    case TxnCode::kNotFound:
      return {CoordCode::kNotFound, "there is no such transaction of this table"};
    case TxnCode::kFenced:
      return {CoordCode::kFenced, "the fence is not the transaction's; nothing was changed"};
    case TxnCode::kNotOpen:
      return {CoordCode::kTxnNotOpen, "it is not open any more; begin a new one"};
    case TxnCode::kTooLate:
      return {CoordCode::kTooLate, "its commit has begun or is done, and stays"};
    case TxnCode::kTxnExpired:
      return {CoordCode::kTxnExpired, "its lease ran out and this table is strict about it"};
    case TxnCode::kAlive:
      return {CoordCode::kBusy, "its owner is alive"};
    case TxnCode::kRetryLater:
      return {CoordCode::kRetryLater, "another commit of the table is not settled yet; try again"};
    case TxnCode::kStateUnknown:
      return {CoordCode::kCommitStateUnknown,
              "it may be committed: ask with GetTxn, do not commit it again"};
    case TxnCode::kTableGone:
      return {CoordCode::kTableGone, "the table was dropped"};
  }
  return {CoordCode::kInternal, "?"};
}

}  // namespace

std::string_view CoordCodeName(CoordCode code) { return RowOf(code).name; }
bool CoordIsRetryable(CoordCode code) { return RowOf(code).retryable; }

CoordFailure FailureOf(const Error& error, std::string_view context) {
  return {CodeOf(error.code), fmt::format("{}: {}", context, error.message), {}, {}};
}

CoordFailure FailureOf(const GuardAnswer& answer, PlanId plan) {
  CoordFailure failure{CodeOf(answer.code), GuardText(answer, plan), answer.remaining, {}};
  failure.details["plan"] = std::to_string(plan.value());
  if (!answer.owner.empty()) failure.details["owner"] = answer.owner;
  return failure;
}

CoordFailure FailureOf(const TxnStep& step, const TxnRow* txn, int64_t txn_id) {
  const TxnText text = TextOf(step.code);
  CoordFailure failure{
      text.code, fmt::format("transaction {}: {}", txn_id, text.what), step.remaining, {}};
  failure.details["txn"] = std::to_string(txn_id);
  if (txn != nullptr) {
    failure.details["state"] = std::string(TxnStateName(txn->state));
    if (!txn->reason.empty()) {
      failure.message += fmt::format(" (it was aborted: {})", txn->reason);
      failure.details["reason"] = txn->reason;
    }
  }
  return failure;
}

}  // namespace catalogd::coord
