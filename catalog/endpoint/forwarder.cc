#include "catalog/endpoint/forwarder.h"

#include <utility>

#include "catalog/endpoint/client_filter.h"
#include "catalog/endpoint/layouts.h"
#include "hms_client/left_behind.h"
#include "thrift/wire/reply.h"

namespace catalogd::endpoint {

Forwarder::Forwarder(hms::Metastore* metastore, hms::Connector* connector, const CatalogView* view,
                     const Clock* clock, Duration call_timeout, EndpointCounters* counters)
    : metastore_(metastore),
      connector_(connector),
      view_(view),
      clock_(clock),
      call_timeout_(call_timeout),
      counters_(counters) {}

Result<std::string> Forwarder::Forward(const Call& call) {
  const TimePoint deadline = clock_->Now() + call_timeout_;
  const bool may_be_dropped = MayBeDropped(call.header.method);
  if (may_be_dropped && (dropped_.load() || !view_->HasGetTable())) {
    return ForwardToNewer(call, deadline);
  }
  ASSIGN_OR_RETURN(std::string reply, ForwardInItsWords(call, deadline));
  if (may_be_dropped && wire::IsUnknownMethod(reply)) {
    dropped_.store(true);
    return ForwardToNewer(call, deadline);
  }
  return reply;
}

Result<std::string> Forwarder::ForwardInItsWords(const Call& call, TimePoint deadline) {
  const hms::Generation generation = view_->Generation();
  if (const auto event = InsertEventFor(generation, call.header, call.Arguments())) {
    counters_->translated.fetch_add(1, std::memory_order_relaxed);
    return Exchange(call.state, *event, deadline);
  }
  const auto filtered = CallWithFilter(call, generation);
  if (filtered) counters_->translated.fetch_add(1, std::memory_order_relaxed);
  const std::string& message = filtered ? *filtered : call.message;
  if (!NeedsOlderCalls(generation)) return ForwardWrite(call, message, deadline);
  const wire::StructView arguments(std::string_view(message).substr(call.header.body));
  ASSIGN_OR_RETURN(auto reply, ForwardInOlderWords(call, arguments, generation, deadline));
  if (reply) return std::move(*reply);
  const auto plain =
      generation == hms::Generation::kHive2 ? WithoutCatalog(call.header, arguments) : std::nullopt;
  return Exchange(call.state, plain ? *plain : message, deadline);
}

std::optional<std::string> Forwarder::CallWithFilter(const Call& call, hms::Generation generation) {
  if (call.row == nullptr) return std::nullopt;
  const auto arguments =
      FilterForServer(*call.row, call.Arguments(), call.state->release, generation);
  if (!arguments) return std::nullopt;
  return std::string(std::string_view(call.message).substr(0, call.header.body)) + *arguments;
}

// The first releases of Hive 4 lack what later ones have. Of other metastores it is known
// beforehand; of one that has not told its version yet it must not be guessed: older ones ignore
// what an alter expects, and the comparison for them has been passed already.
Result<std::string> Forwarder::ForwardWrite(const Call& call, std::string_view message,
                                            TimePoint deadline) {
  ASSIGN_OR_RETURN(std::string reply, Exchange(call.state, message, deadline));
  const hms::Generation generation = view_->Generation();
  if (generation != hms::Generation::kHive4 || !wire::IsUnknownMethod(reply)) return reply;
  ASSIGN_OR_RETURN(auto older, ForwardInOlderWords(call, call.Arguments(), generation, deadline));
  return older ? std::move(*older) : std::move(reply);
}

Result<std::optional<std::string>> Forwarder::ForwardInOlderWords(const Call& call,
                                                                  const wire::StructView& arguments,
                                                                  hms::Generation generation,
                                                                  TimePoint deadline) {
  if (const auto older = ToOlder(call.header, arguments, generation)) {
    return ForwardOther(call, *older, deadline);
  }
  if (auto each = EachCall::Of(call.header, arguments, generation)) {
    return ForwardEach(call.state, &*each, deadline);
  }
  return std::nullopt;
}

Result<std::string> Forwarder::ForwardOther(const Call& call, const OtherCall& other,
                                            TimePoint deadline) {
  counters_->translated.fetch_add(1, std::memory_order_relaxed);
  ASSIGN_OR_RETURN(const std::string reply, Exchange(call.state, other.message, deadline));
  return FromOther(call.header, other, reply);
}

Result<std::string> Forwarder::ForwardToNewer(const Call& call, TimePoint deadline) {
  const auto newer = ToNewer(call.header, call.Arguments());
  // Broken arguments: whatever the metastore says to them.
  if (!newer) return Exchange(call.state, call.message, deadline);
  return ForwardOther(call, *newer, deadline);
}

Result<std::string> Forwarder::ForwardEach(SessionState* state, EachCall* each,
                                           TimePoint deadline) {
  counters_->translated.fetch_add(1, std::memory_order_relaxed);
  ASSIGN_OR_RETURN(const std::string listed, Exchange(state, each->list(), deadline));
  const auto names = EachCall::Names(listed);
  if (!names) return each->Failed(listed);
  for (const std::string& name : *names) {
    ASSIGN_OR_RETURN(const std::string one, Exchange(state, each->One(name), deadline));
    if (!each->Add(one)) return each->Failed(one);
  }
  return each->Answer();
}

Result<std::string> Forwarder::Exchange(SessionState* state, std::string_view message,
                                        TimePoint deadline) {
  if (state->has_own_channel()) return OnOwnChannel(state, message, deadline);
  return metastore_->Forward(message, state->identity, deadline);
}

Status Forwarder::Open(SessionState* state, TimePoint deadline) {
  if (connector_ == nullptr) {
    return MakeError(ErrorCode::kUnsupported,
                     "settings for one connection are not possible with this metastore");
  }
  ASSIGN_OR_RETURN(std::unique_ptr<hms::Channel> channel,
                   connector_->Open(state->identity, deadline));
  for (const auto& [key, setting] : state->own.settings) {
    RETURN_IF_ERROR(channel->Call(setting, deadline));
  }
  state->own.channel = std::move(channel);
  return Ok();
}

Result<std::string> Forwarder::OnOwnChannel(SessionState* state, std::string_view message,
                                            TimePoint deadline) {
  AssertNoMutexHeld("call on a channel of the client's own");
  auto& channel = state->own.channel;
  // A connection that has been idle may have died unnoticed: then nothing was sent, and a new one
  // gets the same settings first.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (channel == nullptr || !channel->usable()) RETURN_IF_ERROR(Open(state, deadline));
    Result<std::string> reply = channel->Call(message, deadline);
    // The next call gets a new one, with the same settings.
    if (!reply || hms::MayLeaveBehind(*reply)) channel.reset();
    if (reply || reply.error().code != ErrorCode::kUnavailable) return reply;
  }
  return MakeError(ErrorCode::kUnavailable, "the metastore closes every connection at once");
}

Result<std::string> Forwarder::SetMetaConf(const Call& call) {
  ASSIGN_OR_RETURN(std::string reply,
                   OnOwnChannel(call.state, call.message, clock_->Now() + call_timeout_));
  if (wire::IsSuccess(reply)) {
    const std::string key(call.Arguments().String(1).value_or(""));
    call.state->own.settings[key] = call.message;
  } else if (!call.state->has_own_channel()) {
    call.state->own.channel.reset();
  }
  return reply;
}

}  // namespace catalogd::endpoint
