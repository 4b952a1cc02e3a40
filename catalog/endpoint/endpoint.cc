#include "catalog/endpoint/endpoint.h"

#include <utility>

#include "thrift/wire/write.h"

namespace catalogd::endpoint {
namespace {

constexpr std::string_view kOwnPrefix = "catalogd_";

SessionState* StateOf(server::Session* session) {
  return std::any_cast<std::shared_ptr<SessionState>>(&session->state)->get();
}

bool IsOfThisHost(std::string_view peer) {
  return peer.starts_with("127.") || peer.starts_with("[::1]") || peer.starts_with("::1");
}

// Whoever has called something of Hive 4 can read all of it, and may call older methods as well.
void NoteRelease(Callers callers, SessionState* state) {
  if (callers == Callers::kHive4) {
    state->release = ClientRelease::kHive4;
  } else if (callers == Callers::kOlder && state->release == ClientRelease::kUnknown) {
    state->release = ClientRelease::kOlder;
  }
}

}  // namespace

Endpoint::Endpoint(const EndpointParts& parts, const EndpointOptions& options)
    : parts_(parts),
      options_(options),
      methods_(MethodTable::Get()),
      forwarder_(parts.metastore, parts.connector, parts.view, parts.clock, options.call_timeout,
                 &counters_),
      lock_floors_(options.max_waiting_locks),
      rights_(options.right_life, options.max_rights),
      turns_(options.calls_per_user) {}

void Endpoint::RegisterOwnService(const std::vector<std::string>& methods,
                                  const OwnHandler& handler, Executor* executor, bool judges) {
  for (const std::string& method : methods) {
    own_names_.push_back(std::make_unique<std::string>(method));
    own_services_[*own_names_.back()] = OwnService{handler, executor, judges};
  }
}

hms::Identity Endpoint::CallerOf(server::Session* session) { return StateOf(session)->identity; }

void Endpoint::OnOpen(server::Session& session) {
  const auto state = std::make_shared<SessionState>();
  state->epoch = parts_.view->Epoch();
  state->level = options_.level;
  session.state = state;
}

// What waits for its turn has not begun, and nobody is left to see what it would bring.
void Endpoint::OnClose(server::Session& session) { turns_.Forget(session.id()); }

server::Outcome Endpoint::OnMessage(const std::shared_ptr<server::Session>& session,
                                    std::string_view message, std::string* reply) {
  const auto header = wire::ParseMessageHeader(message);
  if (!header) return server::Outcome::kClose;  // The server has checked that it is one.
  const auto own = own_services_.find(header->method);
  const MethodRow* const row = methods_.Find(header->method);
  const Incoming in{session, StateOf(session.get()), row, *header, message, reply};
  if (own != own_services_.end()) return OwnCall(own->second, in);
  counters_.CountCall(row);
  if (row != nullptr) NoteRelease(row->callers, in.state);
  // A real server answers neither of these two, however they are sent.
  if (header->method == "shutdown") return server::Outcome::kClose;
  if (header->type == wire::MessageType::kOneway || header->method == "reinitialize") {
    return server::Outcome::kNoReply;
  }
  if (header->method.starts_with(kOwnPrefix)) {
    *reply = wire::EncodeApplicationError(
        header->method, header->sequence_id, wire::ApplicationError::kUnknownMethod,
        "Invalid method name: '" + std::string(header->method) + "'");
    return server::Outcome::kReplied;
  }
  switch (row == nullptr ? Kind::kWrite : row->kind) {
    case Kind::kCachedRead:
    case Kind::kSideRead:
      return Read(in);
    case Kind::kSession:
      return OfSession(in);
    case Kind::kWrite:
      Write(in.Keep());
      return server::Outcome::kDeferred;
    case Kind::kPassRead:
    case Kind::kPassThrough:
      break;
  }
  PassThrough(in.Keep());
  return server::Outcome::kDeferred;
}

server::Outcome Endpoint::OwnCall(const OwnService& service, const Incoming& in) {
  counters_.own_calls.fetch_add(1, std::memory_order_relaxed);
  if (!service.judges && parts_.view->ReadsPerUser() && !IsOfThisHost(in.session->peer())) {
    *in.reply = InternalError(
        in.header, std::string(in.header.method) +
                       ": shows what the metastore may refuse its caller, so it is answered on the "
                       "daemon's own host only; or start it with --authorization none");
    return server::Outcome::kReplied;
  }
  if (service.executor == nullptr) return service.handler(in.session, in.message, in.reply);
  const CallPtr call = in.Keep();
  const Status submitted = service.executor->Submit([&service, call] {
    std::string reply;
    switch (service.handler(call->session, call->message, &reply)) {
      case server::Outcome::kReplied:
        call->session->Complete(std::move(reply));
        break;
      case server::Outcome::kNoReply:
        call->session->Complete({});
        break;
      case server::Outcome::kClose:
        call->session->Complete(std::move(reply));
        call->session->Close();
        break;
      case server::Outcome::kDeferred:
        break;
    }
  });
  if (submitted) return server::Outcome::kDeferred;
  counters_.queue_full.fetch_add(1, std::memory_order_relaxed);
  *in.reply = InternalError(in.header, std::string(in.header.method) + ": " +
                                           submitted.error().message + "; try again later");
  return server::Outcome::kReplied;
}

void Endpoint::Finish(const CallPtr& call, std::string reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (header && header->sequence_id != call->header.sequence_id) {
    wire::SetSequenceId(&reply, call->header.sequence_id);
  }
  // The next message of the connection may be worked on before this returns.
  call->session->Complete(std::move(reply));
}

void Endpoint::Fail(const CallPtr& call, std::string_view text) {
  counters_.errors.fetch_add(1, std::memory_order_relaxed);
  Finish(call, ErrorReply(*call, text));
}

}  // namespace catalogd::endpoint
