#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hms_client/channel.h"
#include "hms_client/socket.h"
#include "hms_client/uri.h"
#include "thrift/wire/types.h"

namespace catalogd::hms {

struct SocketOptions {
  // hive.metastore.thrift.framed.transport.enabled of the server.
  bool framed = false;
  // What an answer may be; far more than a client may ask of us, because a metastore has no limit.
  wire::Limits reply_limits = {.max_message = size_t{1} << 30U,
                               .max_string = size_t{1} << 30U,
                               .max_container = size_t{64} << 20U,
                               .max_depth = 64};
  // For one address, apart from the deadline of the call: a dead host must not cost minutes.
  Duration connect_timeout = std::chrono::seconds(5);
};

// One TCP connection to a metastore: strict binary Thrift, one call at a time.
//
// A request that the system has not taken completely cannot have been carried out, and is
// kUnavailable; from its last byte on a failure is kUnknownOutcome or kTimedOut.
// Thread safety: none. Errors: as hms_client/channel.h says; the text names the method and address.
class SocketChannel final : public Channel {
 public:
  static Result<std::unique_ptr<SocketChannel>> Connect(const Address& address,
                                                        const SocketOptions& options,
                                                        const Clock& clock, TimePoint deadline);

  Result<std::string> Call(std::string_view message, TimePoint deadline) override;
  Status Send(std::string_view message, TimePoint deadline) override;
  [[nodiscard]] bool usable() const override { return usable_; }
  [[nodiscard]] const std::string& endpoint() const override { return endpoint_; }

 private:
  SocketChannel(Socket socket, const Address& address, const SocketOptions& options,
                const Clock& clock);
  Status SendWhole(std::string_view message, TimePoint deadline);
  Result<std::string> Receive(TimePoint deadline);
  Result<std::string> ReceiveUnframed(TimePoint deadline);
  Result<std::string> ReceiveFramed(TimePoint deadline);
  Status CheckAnswers(std::string_view request, std::string_view reply) const;
  static bool ServerMayHangUp(std::string_view reply);
  tl::unexpected<Error> Broken(Error error, std::string_view message);

  Socket socket_;
  const SocketOptions options_;
  const Clock& clock_;
  const std::string endpoint_;
  bool usable_ = true;
};

}  // namespace catalogd::hms
