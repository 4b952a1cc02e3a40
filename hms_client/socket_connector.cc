#include "hms_client/socket_connector.h"

#include <utility>

#include "hms_client/call.h"
#include "thrift/wire/write.h"

namespace catalogd::hms {

SocketConnector::SocketConnector(ConnectorOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock), random_(options_.seed) {
  for (const Address& address : options_.addresses) {
    entries_.push_back({address, Backoff(options_.backoff), TimePoint::min(), {}});
  }
}

Result<std::unique_ptr<Channel>> SocketConnector::Open(const Identity& identity,
                                                       TimePoint deadline) {
  for (const size_t index : Order()) {
    if (!MayTry(index)) continue;
    auto channel = OpenOne(options_.addresses[index], identity, deadline);
    if (channel) {
      NoteSuccess(index);
      return channel;
    }
    // A metastore that refuses a user is alive, and the next one would say the same.
    if (channel.error().code == ErrorCode::kPermission) return channel;
    NoteFailure(index, channel.error().message);
    if (deadline <= clock_.Now()) break;
  }
  return AsError(AllFailed());
}

std::vector<SocketConnector::AddressState> SocketConnector::States() const {
  const MutexLock lock(mutex_);
  std::vector<AddressState> states;
  for (const Entry& entry : entries_) {
    states.push_back({entry.address, entry.last_error.empty(), entry.last_error});
  }
  return states;
}

std::vector<size_t> SocketConnector::Order() const {
  const MutexLock lock(mutex_);
  std::vector<size_t> order;
  for (size_t i = 0; i < entries_.size(); ++i) {
    order.push_back((last_good_ + i) % entries_.size());
  }
  return order;
}

bool SocketConnector::MayTry(size_t index) const {
  const MutexLock lock(mutex_);
  return entries_[index].not_before <= clock_.Now();
}

void SocketConnector::NoteSuccess(size_t index) {
  const MutexLock lock(mutex_);
  Entry& entry = entries_[index];
  entry.backoff.Reset();
  entry.not_before = TimePoint::min();
  entry.last_error.clear();
  last_good_ = index;
}

void SocketConnector::NoteFailure(size_t index, const std::string& error) {
  const MutexLock lock(mutex_);
  Entry& entry = entries_[index];
  entry.not_before = clock_.Now() + entry.backoff.AfterFailure(random_);
  entry.last_error = error;
}

Error SocketConnector::AllFailed() const {
  const MutexLock lock(mutex_);
  Error error{ErrorCode::kUnavailable, "no metastore can be reached ("};
  const char* separator = "";
  for (const Entry& entry : entries_) {
    error.message += separator;
    // The text of an attempt begins with the address.
    error.message += entry.last_error.empty() ? entry.address.ToString() + ": not tried in time"
                                              : entry.last_error;
    separator = "; ";
  }
  error.message += "); it is tried again on the next request, check that the metastore runs";
  return error;
}

Result<std::unique_ptr<Channel>> SocketConnector::OpenOne(const Address& address,
                                                          const Identity& identity,
                                                          TimePoint deadline) const {
  ASSIGN_OR_RETURN(auto channel,
                   SocketChannel::Connect(address, options_.socket, clock_, deadline));
  if (!identity.user.empty()) RETURN_IF_ERROR(SetUgi(*channel, identity, deadline));
  return std::unique_ptr<Channel>(std::move(channel));
}

Status SetUgi(Channel& channel, const Identity& identity, TimePoint deadline) {
  const Args args = Args().String(1, identity.user).Strings(2, identity.groups);
  auto reply = channel.Call(wire::EncodeCall(methods::kSetUgi.name, 0, args.Finish()), deadline);
  if (!reply) {
    return MakeError(ErrorCode::kUnavailable, channel.endpoint() + ": " + reply.error().message);
  }
  ASSIGN_OR_RETURN(const Answer answer, Answer::Decode(methods::kSetUgi, std::move(*reply)));
  const auto groups = answer.Strings();
  if (groups) return Ok();
  return MakeError(ErrorCode::kPermission, channel.endpoint() + " refuses to act for user '" +
                                               identity.user + "': " + groups.error().message);
}

}  // namespace catalogd::hms
