#include <algorithm>
#include <atomic>
#include <utility>

#include "catalog/endpoint/endpoint.h"
#include "catalog/endpoint/layouts.h"
#include "catalog/endpoint/names_in.h"
#include "thrift/wire/write.h"

// Calls that reach the metastore: passed through, and writes.
namespace catalogd::endpoint {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr int32_t kStatusWarning = 5;  // fb_status

std::string_view Advice(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnavailable:
      return "nothing was done: try again once the metastore is back";
    case ErrorCode::kUnknownOutcome:
    case ErrorCode::kTimedOut:
    case ErrorCode::kCorrupt:
      return "the metastore did not answer as a whole, so a call that changes something may have "
             "done so: look before trying again";
    case ErrorCode::kCancelled:
      return "nothing was done: try again once it is back, or with another one";
    case ErrorCode::kResourceExhausted:
      return "too much is going on: try again later";
    default:
      return "see the daemon's status page for the state of the metastore";
  }
}

std::string FailureText(const Call& call, const Error& error) {
  return Describe(call) + ": " + error.message + "; " + std::string(Advice(error.code));
}

// Whoever has not said who he is counts by where he comes from.
std::string UserOf(const Call& call) {
  if (!call.state->identity.user.empty()) return call.state->identity.user;
  const std::string& peer = call.session->peer();
  return "@" + peer.substr(0, peer.rfind(':'));
}

Error Stopping() { return {ErrorCode::kCancelled, "nothing was sent: the daemon is stopping"}; }

bool ShowsObjects(const MethodRow* row) {
  return row != nullptr && (row->kind == Kind::kCachedRead || row->kind == Kind::kSideRead ||
                            row->kind == Kind::kPassRead);
}

}  // namespace

void Endpoint::PassThrough(const CallPtr& call) {
  counters_.passed_through.fetch_add(1, kRelaxed);
  if (call->row != nullptr && call->row->urgent) {
    const Status submitted = parts_.workers->Submit([this, call] { RunPassThrough(call); });
    if (!submitted) Refuse(call, submitted.error());
    return;
  }
  const std::string user = UserOf(*call);
  TakeTurn(call, user,
           {.begin = [this, call, user] { return OnTurn(call, user); },
            .refuse = [this, call] { OnForwardFailed(call, Stopping()); }});
}

void Endpoint::TakeTurn(const CallPtr& call, const std::string& user, Turns::Entry entry) {
  entry.connection = call->session->id();
  // By now it may have been answered all the same: then a hang-up is looked for in vain.
  if (turns_.Enter(user, std::move(entry))) call->session->NoticeHangUp();
}

bool Endpoint::OnTurn(const CallPtr& call, const std::string& user) {
  const Status submitted = parts_.workers->Submit([this, call, user] {
    RunPassThrough(call);
    turns_.Leave(user);
  });
  if (!submitted) Refuse(call, submitted.error());
  return submitted.has_value();
}

void Endpoint::Refuse(const CallPtr& call, const Error& error) {
  counters_.queue_full.fetch_add(1, kRelaxed);
  counters_.errors.fetch_add(1, kRelaxed);
  Finish(call, InternalError(call->header, FailureText(*call, error)));
}

void Endpoint::RunPassThrough(const CallPtr& call) {
  std::optional<Keeping> keeping = BeginKeeping(*call);
  const std::optional<Judged> judged = MayBecomeARight(*call);
  Result<std::string> reply = call->header.method == "setMetaConf" ? forwarder_.SetMetaConf(*call)
                                                                   : forwarder_.Forward(*call);
  if (!reply) {
    OnForwardFailed(call, reply.error());
    return;
  }
  if (keeping) Keep(*call, std::move(*keeping), *reply);
  if (judged) NoteRight(*call, *judged, *reply);
  if (call->row != nullptr) {
    auto readable = ReadableTo(call->state->release, call->row->unreadable, *reply);
    if (readable) reply = std::move(*readable);
  }
  // How new what the client has just seen is can be told by asking for the current id, or by the
  // next look at the log; which is left to the next read that needs it.
  if (ShowsObjects(call->row)) call->state->SawUnknown(parts_.clock->Now());
  auto lock = lock_floors_.OnReply(*call, *reply);
  if (lock.granted) {
    OnLockGranted(call, std::move(lock.names), std::move(*reply));
    return;
  }
  Finish(call, std::move(*reply));
}

void Endpoint::OnForwardFailed(const CallPtr& call, const Error& error) {
  counters_.errors.fetch_add(1, kRelaxed);
  if (call->header.method == "getStatus") {
    // The daemon answers and cached reads go on, so "alive" would hide something and "dead" is not
    // true.
    std::string status;
    wire::Writer(&status).I32(kStatusWarning);
    Finish(call, wire::EncodeReply(call->header.method, call->header.sequence_id, wire::TType::kI32,
                                   0, status));
    return;
  }
  Finish(call, InternalError(call->header, FailureText(*call, error)));
}

void Endpoint::OnLockGranted(const CallPtr& call, std::vector<ObjectName> names,
                             std::string reply) {
  std::erase_if(names, [this](const ObjectName& name) { return !parts_.view->Serves(name); });
  if (names.empty()) {
    Finish(call, std::move(reply));
    return;
  }
  counters_.current_id_asked.fetch_add(1, kRelaxed);
  parts_.view->AskCurrentId([this, call, names = std::move(names),
                             reply = std::move(reply)](const Result<EventId>& current) {
    parts_.view->RaiseFloors(names, current ? std::optional(*current) : std::nullopt);
    Finish(call, reply);
  });
}

// The turn first, then the locks of names: who holds these has his turn already or needs none, and
// no write holds up those of others while it waits behind its own user's calls.
void Endpoint::Write(const CallPtr& call) {
  counters_.writes.fetch_add(1, kRelaxed);
  const std::string user = UserOf(*call);
  const auto refuse = [this, call] {
    OnWritten(call, AsError(Stopping().WithContext(Describe(*call))));
  };
  TakeTurn(call, user,
           {.begin = [this, call, user] { return BeginWrite(call, user); }, .refuse = refuse});
}

bool Endpoint::BeginWrite(const CallPtr& call, const std::string& user) {
  ddl::DdlRequest request;
  request.message = call->message;
  request.method = std::string(call->header.method);
  request.identity = call->state->identity;
  request.peer = call->session->peer();
  if (call->row != nullptr) {
    request.names = NamesIn(*call->row, call->Arguments());
    request.announced = call->row->AnnouncedOn(parts_.view->Generation());
  }
  const std::optional<OtherCall> older = InItsWords(*call, &request);
  request.forward = [this, call, is_older = older.has_value()](std::string_view message,
                                                               TimePoint deadline) {
    return is_older ? forwarder_.Exchange(call->state, message, deadline)
                    : forwarder_.ForwardWrite(*call, message, deadline);
  };
  // The write may end before its call returns. The second to come here gives the turn back.
  const auto one_is_through = std::make_shared<std::atomic<bool>>(false);
  auto done = [this, call, user, older, one_is_through](Result<ddl::DdlOutcome> outcome) {
    if (older && outcome) outcome->reply = FromOther(call->header, *older, outcome->reply);
    OnWritten(call, std::move(outcome));
    if (one_is_through->exchange(true)) turns_.Leave(user);
  };
  parts_.view->Write(std::move(request), std::move(done));
  return !one_is_through->exchange(true);
}

// What an older metastore is sent instead of a write that it would not understand.
std::optional<OtherCall> Endpoint::InItsWords(const Call& call, ddl::DdlRequest* request) {
  const hms::Generation generation = parts_.view->Generation();
  if (!NeedsOlderCalls(generation)) return std::nullopt;
  auto older = ToOlder(call.header, call.Arguments(), generation);
  if (!older) {
    const auto plain = generation == hms::Generation::kHive2
                           ? WithoutCatalog(call.header, call.Arguments())
                           : std::nullopt;
    if (plain) request->message = *plain;
    return std::nullopt;
  }
  counters_.translated.fetch_add(1, kRelaxed);
  request->message = older->message;
  request->method = std::string(older->method);
  const MethodRow* const row = MethodTable::Get().Find(older->method);
  if (row != nullptr) request->announced = row->AnnouncedOn(generation);
  return older;
}

void Endpoint::OnWritten(const CallPtr& call, Result<ddl::DdlOutcome> outcome) {
  SessionState* const state = call->state;
  if (!outcome) {
    counters_.failed_writes.fetch_add(1, kRelaxed);
    // The executor's text begins with method and names. Of a write that waited too long for its
    // lock, or whose outcome is unknown, it says what to do, too.
    const Error& error = outcome.error();
    const bool advised =
        error.code == ErrorCode::kTimedOut || error.code == ErrorCode::kUnknownOutcome;
    Fail(call, advised ? error.message : error.message + "; " + std::string(Advice(error.code)));
    return;
  }
  // The names themselves stand at this event. Other names need not, and are not waited for.
  state->position = std::max(state->position, outcome->event);
  if (outcome->event == EventId()) state->SawUnknown(parts_.clock->Now());
  Finish(call, std::move(outcome->reply));
}

}  // namespace catalogd::endpoint
