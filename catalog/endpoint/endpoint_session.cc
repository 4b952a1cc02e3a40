#include <algorithm>
#include <utility>

#include "catalog/endpoint/endpoint.h"
#include "thrift/wire/write.h"

// What belongs to a connection: who it is, and how fresh its answers are.
namespace catalogd::endpoint {
namespace {

using wire::TType;

constexpr std::string_view kReadKey = "catalogd.read";
constexpr std::string_view kEventKey = "catalogd.event";
constexpr std::string_view kAgeKey = "catalogd.age";
constexpr std::string_view kOwnKeys = "catalogd.";

std::string StringReply(const wire::MessageHeader& header, std::string_view text) {
  std::string value;
  wire::Writer(&value).String(text);
  return wire::EncodeReply(header.method, header.sequence_id, TType::kString, 0, value);
}

std::string UnknownKey(std::string_view key) {
  return "Invalid configuration key " + std::string(key.substr(0, 100)) +
         ": the daemon knows catalogd.read (cached, latest, at-least ID); and, not to be set, "
         "catalogd.event (the event id that this connection has seen) and catalogd.age "
         "(milliseconds since the end of the log was looked at)";
}

}  // namespace

server::Outcome Endpoint::OfSession(const Incoming& in) {
  if (in.header.method == "set_ugi") return SetUgi(in);
  if (in.header.method == "setMetaConf") return SetMetaConf(in);
  return GetMetaConf(in);
}

// As real servers of all versions do (measured): the first set_ugi fixes the identity and is
// answered with the groups; a second one, or one without a user or groups, closes the connection
// without an answer.
server::Outcome Endpoint::SetUgi(const Incoming& in) {
  const wire::StructView arguments = in.Arguments();
  const auto user = arguments.String(1);
  const auto groups = arguments.Find(2);
  if (in.state->ugi_set || !user || user->empty() || !groups || groups->type != TType::kList) {
    return server::Outcome::kClose;
  }
  in.state->ugi_set = true;
  in.state->identity.user = std::string(*user);
  in.state->identity.groups = wire::ListView(groups->value).Strings();
  // A connection of its own acts as somebody else. It is not told: it may have been lost, and the
  // one that takes its place says itself who it is, which no metastore hears twice.
  in.state->own.channel.reset();
  *in.reply =
      wire::EncodeReply(in.header.method, in.header.sequence_id, TType::kList, 0, groups->value);
  return server::Outcome::kReplied;
}

server::Outcome Endpoint::SetMetaConf(const Incoming& in) {
  const auto key = in.Arguments().String(1);
  if (!key || !key->starts_with(kOwnKeys)) {
    PassThrough(in.Keep());
    return server::Outcome::kDeferred;
  }
  if (*key != kReadKey) {
    *in.reply = ErrorReply(in.row, in.header, UnknownKey(*key));
    return server::Outcome::kReplied;
  }
  const auto level = ParseReadLevel(in.Arguments().String(2).value_or(""));
  if (level) {
    in.state->level = *level;
    *in.reply = wire::EncodeVoidReply(in.header.method, in.header.sequence_id);
  } else {
    *in.reply = ErrorReply(in.row, in.header, level.error().message);
  }
  return server::Outcome::kReplied;
}

server::Outcome Endpoint::GetMetaConf(const Incoming& in) {
  const auto key = in.Arguments().String(1);
  if (!key || !key->starts_with(kOwnKeys)) {
    PassThrough(in.Keep());
    return server::Outcome::kDeferred;
  }
  if (*key == kReadKey) {
    *in.reply = StringReply(in.header, ReadLevelText(in.state->level));
  } else if (*key == kAgeKey) {
    *in.reply = StringReply(in.header, AgeText());
  } else if (*key == kEventKey) {
    AnswerPosition(in.Keep());
    return server::Outcome::kDeferred;
  } else {
    *in.reply = ErrorReply(in.row, in.header, UnknownKey(*key));
  }
  return server::Outcome::kReplied;
}

// How old an answer from the cache can be: everything from before then is in it, or known to be on
// its way. "unknown" before the first look.
std::string Endpoint::AgeText() const {
  const TimePoint began = parts_.view->NewestLogEnd().began;
  if (began == TimePoint()) return "unknown";
  const auto age = std::chrono::ceil<std::chrono::milliseconds>(parts_.clock->Now() - began);
  return std::to_string(age.count());
}

void Endpoint::AnswerPosition(const CallPtr& call) {
  SessionState* const state = call->state;
  state->StartOver(parts_.view->Epoch());
  TakeFreeFloor(state);
  if (!state->floor_unknown) {
    const EventId position =
        state->position == EventId() ? parts_.view->Watermark() : state->position;
    Finish(call, StringReply(call->header, std::to_string(position.value())));
    return;
  }
  counters_.current_id_asked.fetch_add(1, std::memory_order_relaxed);
  parts_.view->AskCurrentId([this, call](const Result<EventId>& current) {
    if (!current) {
      Fail(call,
           "getMetaConf catalogd.event: the metastore was asked for its current event id and "
           "did not answer: " +
               current.error().message + "; try again");
      return;
    }
    call->state->SawAtMost(*current);
    AnswerPosition(call);
  });
}

}  // namespace catalogd::endpoint
