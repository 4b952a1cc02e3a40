#include <fmt/format.h>

#include "catalog/coord/guard.h"

namespace catalogd::coord {
namespace {

int64_t Millis(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

std::string Reason(const GuardAnswer& answer) {
  switch (answer.code) {
    case GuardCode::kOk:
      return fmt::format("fence {}", answer.fence.value());
    case GuardCode::kPlanBusy:
      return fmt::format("{} executes it and its lease runs for another {} ms; claim it after that",
                         answer.owner, Millis(answer.remaining));
    case GuardCode::kBackingOff:
      return fmt::format("it failed; the next attempt may start in {} ms",
                         Millis(answer.remaining));
    case GuardCode::kAlreadyCompleted:
      return fmt::format("completed at {} as version {}; there is nothing to do",
                         answer.completion->time.text(), answer.completion->id_version.value());
    case GuardCode::kPlanCancelled:
      return "it was cancelled; stop, and schedule a new plan";
    case GuardCode::kPlanFailed:
      return "it is out of attempts; reset or cancel it";
    case GuardCode::kPlanNotFound:
      return "there is no such plan; list the pending ones";
    case GuardCode::kFenced:
      return "the fence is not the newest one of this plan, so nothing was changed; stop, somebody "
             "else executes it";
    case GuardCode::kClosed:
      return "this execution is over; stop beating";
    case GuardCode::kClaimExpired:
      return "the lease ran out; stop, and claim it again";
    case GuardCode::kCancelPending:
      return fmt::format("{} is told with its next beat; it has {} ms", answer.owner,
                         Millis(answer.remaining));
    case GuardCode::kNotCancelled:
      return "nobody asked to cancel it; report a failure instead";
    case GuardCode::kTooLate:
      return "it is being committed or is completed, and stays";
    case GuardCode::kRetryLater:
      return "a commit of this table is not settled; try again";
    case GuardCode::kInputGone:
      return "a file it reads is not live any more, so it can never succeed and is cancelled";
    case GuardCode::kTableGone:
      return "its table was dropped, or dropped and created again; stop, and keep off the files";
    case GuardCode::kInstantAlive:
      return fmt::format("{} is alive on it for another {} ms; roll it back after that",
                         answer.owner, Millis(answer.remaining));
    case GuardCode::kNothingToRollBack:
      return "no attempt of it runs; there is nothing to undo";
    case GuardCode::kExternallyClaimed:
      return fmt::format("{} is alive on it for another {} ms; try again after that, or override",
                         answer.owner, Millis(answer.remaining));
  }
  return "";
}

}  // namespace

std::string_view GuardCodeName(GuardCode code) {
  switch (code) {
    case GuardCode::kOk:
      return "OK";
    case GuardCode::kPlanBusy:
      return "PLAN_BUSY";
    case GuardCode::kBackingOff:
      return "BACKING_OFF";
    case GuardCode::kAlreadyCompleted:
      return "PLAN_ALREADY_COMPLETED";
    case GuardCode::kPlanCancelled:
      return "PLAN_CANCELLED";
    case GuardCode::kPlanFailed:
      return "PLAN_FAILED";
    case GuardCode::kPlanNotFound:
      return "PLAN_NOT_FOUND";
    case GuardCode::kFenced:
      return "FENCED";
    case GuardCode::kClosed:
      return "CLOSED";
    case GuardCode::kClaimExpired:
      return "CLAIM_EXPIRED";
    case GuardCode::kCancelPending:
      return "CANCEL_PENDING";
    case GuardCode::kNotCancelled:
      return "NOT_CANCELLED";
    case GuardCode::kTooLate:
      return "TOO_LATE";
    case GuardCode::kRetryLater:
      return "RETRY_LATER";
    case GuardCode::kInputGone:
      return "INPUT_GONE";
    case GuardCode::kTableGone:
      return "TABLE_GONE";
    case GuardCode::kInstantAlive:
      return "INSTANT_ALIVE";
    case GuardCode::kNothingToRollBack:
      return "NOTHING_TO_ROLL_BACK";
    case GuardCode::kExternallyClaimed:
      return "EXTERNALLY_CLAIMED";
  }
  return "?";
}

std::string GuardText(const GuardAnswer& answer, PlanId plan) {
  return fmt::format("plan {}: {}: {}", plan.value(), GuardCodeName(answer.code), Reason(answer));
}

}  // namespace catalogd::coord
