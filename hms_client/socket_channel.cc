#include "hms_client/socket_channel.h"

#include <utility>

#include "catalog/base/mutex.h"
#include "thrift/wire/reply.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::hms {
namespace {

std::string MethodOf(std::string_view message) {
  const auto header = wire::ParseMessageHeader(message);
  return header ? std::string(header->method) : "call";
}

// Once the request is out, a connection that fails leaves the outcome open.
Error AfterSending(Error error) {
  if (error.code != ErrorCode::kUnavailable) return error;
  return {ErrorCode::kUnknownOutcome,
          error.message + " before the whole answer came; the request may have been carried out"};
}

}  // namespace

SocketChannel::SocketChannel(Socket socket, const Address& address, const SocketOptions& options,
                             const Clock& clock)
    : socket_(std::move(socket)), options_(options), clock_(clock), endpoint_(address.ToString()) {}

Result<std::unique_ptr<SocketChannel>> SocketChannel::Connect(const Address& address,
                                                              const SocketOptions& options,
                                                              const Clock& clock,
                                                              TimePoint deadline) {
  AssertNoMutexHeld("connecting to a metastore");
  const TimePoint now = clock.Now();
  const bool own_limit = deadline == TimePoint::max() || deadline - now > options.connect_timeout;
  auto socket =
      Socket::Connect(address, clock, own_limit ? now + options.connect_timeout : deadline);
  if (!socket) {
    // Nothing was sent, whatever the reason.
    return MakeError(ErrorCode::kUnavailable, address.ToString() + ": " + socket.error().message);
  }
  return std::unique_ptr<SocketChannel>(
      new SocketChannel(std::move(*socket), address, options, clock));
}

Result<std::string> SocketChannel::Call(std::string_view message, TimePoint deadline) {
  AssertNoMutexHeld("a call to a metastore");
  RETURN_IF_ERROR(SendWhole(message, deadline));
  auto reply = Receive(deadline);
  if (!reply) return Broken(AfterSending(std::move(reply).error()), message);
  if (auto status = CheckAnswers(message, *reply); !status) {
    return Broken(std::move(status).error(), message);
  }
  if (ServerMayHangUp(*reply)) usable_ = false;
  return reply;
}

Status SocketChannel::Send(std::string_view message, TimePoint deadline) {
  AssertNoMutexHeld("a oneway call to a metastore");
  return SendWhole(message, deadline);
}

Status SocketChannel::SendWhole(std::string_view message, TimePoint deadline) {
  if (!usable_) {
    return Broken({ErrorCode::kUnavailable, "this connection has failed before"}, message);
  }
  if (socket_.IsStale()) {
    return Broken({ErrorCode::kUnavailable, "the server had closed the connection"}, message);
  }
  if (deadline <= clock_.Now()) {
    // The connection itself is fine: nothing has been put on it.
    return MakeError(ErrorCode::kUnavailable, MethodOf(message) + " at " + endpoint_ +
                                                  ": no time was left to send the request");
  }
  std::string framed;
  if (options_.framed) {
    wire::Writer(&framed).I32(static_cast<int32_t>(message.size()));
    framed += message;
  }
  size_t sent = 0;
  if (auto status = socket_.SendAll(options_.framed ? framed : message, deadline, &sent); !status) {
    return Broken(
        {ErrorCode::kUnavailable, status.error().message + "; the request was not sent as a whole"},
        message);
  }
  return Ok();
}

Result<std::string> SocketChannel::Receive(TimePoint deadline) {
  return options_.framed ? ReceiveFramed(deadline) : ReceiveUnframed(deadline);
}

Result<std::string> SocketChannel::ReceiveUnframed(TimePoint deadline) {
  std::string buffer;
  wire::MessageScanner scanner(options_.reply_limits);
  for (;;) {
    RETURN_IF_ERROR(socket_.ReceiveSome(&buffer, deadline));
    const auto state = scanner.Scan(buffer);
    if (!state) {
      return MakeError(ErrorCode::kCorrupt, "the answer cannot be read: " + state.error().message);
    }
    if (*state == wire::MessageScanner::State::kNeedMore) continue;
    if (scanner.length() == buffer.size()) return buffer;
    return MakeError(ErrorCode::kCorrupt, "there are bytes behind the answer");
  }
}

Result<std::string> SocketChannel::ReceiveFramed(TimePoint deadline) {
  std::string buffer;
  while (buffer.size() < 4) RETURN_IF_ERROR(socket_.ReceiveSome(&buffer, deadline));
  const auto length = static_cast<uint32_t>(wire::DecodeI32(buffer));
  if (length > options_.reply_limits.max_message) {
    return MakeError(ErrorCode::kCorrupt,
                     "the answer's frame of " + std::to_string(length) +
                         " bytes is over the limit, or the server does not use framing");
  }
  while (buffer.size() < size_t{4} + length) {
    RETURN_IF_ERROR(socket_.ReceiveSome(&buffer, deadline));
  }
  buffer.erase(0, 4);
  if (auto checked = wire::CheckMessage(buffer, options_.reply_limits); !checked) {
    return MakeError(ErrorCode::kCorrupt, "the answer cannot be read: " + checked.error().message);
  }
  return buffer;
}

Status SocketChannel::CheckAnswers(std::string_view request, std::string_view reply) const {
  ASSIGN_OR_RETURN(const auto asked, wire::ParseMessageHeader(request));
  ASSIGN_OR_RETURN(const auto answered, wire::ParseMessageHeader(reply));
  // A server that could not read the request complains without name and number.
  if (answered.type == wire::MessageType::kException && answered.method.empty()) return Ok();
  const bool answers =
      answered.type == wire::MessageType::kReply || answered.type == wire::MessageType::kException;
  if (!answers || answered.method != asked.method || answered.sequence_id != asked.sequence_id) {
    return MakeError(ErrorCode::kCorrupt, "the server answered '" + std::string(answered.method) +
                                              "' number " + std::to_string(answered.sequence_id) +
                                              " instead of number " +
                                              std::to_string(asked.sequence_id));
  }
  return Ok();
}

// Java servers close the connection after most application errors, and some time after the answer:
// a request that is sent in between would be lost. An unknown method leaves it usable.
bool SocketChannel::ServerMayHangUp(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  return header && header->type == wire::MessageType::kException && !wire::IsUnknownMethod(reply);
}

tl::unexpected<Error> SocketChannel::Broken(Error error, std::string_view message) {
  usable_ = false;
  return AsError(std::move(error).WithContext(MethodOf(message) + " at " + endpoint_));
}

}  // namespace catalogd::hms
