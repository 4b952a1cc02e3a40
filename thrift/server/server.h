#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "catalog/base/clock.h"
#include "catalog/base/result.h"
#include "thrift/wire/types.h"

// The listener: accepts connections, tells framed from unframed by the first bytes of each message,
// finds message ends and hands whole strict-binary messages to a handler. Knows nothing of methods.
namespace catalogd::server {

// One client connection, as the handler sees it. Lives while the connection or an answer is open.
// Thread safety: Complete and Close may be called from any thread; `state` belongs to the handler,
// which is called for one message of a connection at a time.
class Session : public std::enable_shared_from_this<Session> {
 public:
  virtual ~Session() = default;
  // Unique in this process.
  [[nodiscard]] virtual uint64_t id() const = 0;
  // "127.0.0.1:51234".
  [[nodiscard]] virtual const std::string& peer() const = 0;
  // Finishes a message whose outcome was kDeferred, exactly once. `reply` empty: no reply is
  // written (oneway). Then the next message of the connection is read.
  virtual void Complete(std::string reply) = 0;
  // Ends the connection after what was completed has been written. Also finishes a deferred
  // message.
  virtual void Close() = 0;
  // Asks, for a message whose outcome is kDeferred and that is not worked on yet, for an OnClose as
  // soon as the peer hangs up; otherwise that is noticed when the answer is written. A peer that
  // has only finished sending counts as one that hung up. Not noticed behind what it has sent in
  // advance.
  virtual void NoticeHangUp() {}

  std::any state;
};

enum class Outcome {
  kReplied,   // `reply` holds the answer.
  kNoReply,   // Oneway: read the next message.
  kDeferred,  // Session::Complete or Close will be called later, from any thread.
  kClose,     // Write `reply`, if any, and close the connection.
};

class Handler {
 public:
  virtual ~Handler() = default;
  virtual void OnOpen(Session& session) { static_cast<void>(session); }
  // On an I/O thread: must not block. `message` is one whole message (strict binary, checked to be
  // well formed and within limits) that is gone when the call returns; whoever defers copies it.
  // `reply` is empty and keeps its capacity across calls. Messages of one connection come one at a
  // time; those of several connections come at once.
  virtual Outcome OnMessage(const std::shared_ptr<Session>& session, std::string_view message,
                            std::string* reply) = 0;
  // Once per OnOpen, after the last message. No deferred message is open any more, or its answer
  // has nowhere to go.
  virtual void OnClose(Session& session) { static_cast<void>(session); }
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one.
  int io_threads = 1;
  wire::Limits limits;
  size_t max_connections = 20000;
  size_t max_connections_per_address = 0;  // 0: no limit.
  // A started message must be complete within this time; an idle connection may stay for ever.
  Duration read_timeout = std::chrono::seconds(60);
  // A reply must be taken within this time.
  Duration write_timeout = std::chrono::seconds(60);
};

// What the server counts; plain data for pages and metrics.
struct ServerStats {
  uint64_t accepted = 0;
  uint64_t open = 0;
  uint64_t messages = 0;
  uint64_t broken_messages = 0;
  uint64_t refused = 0;  // Over max_connections, or over what one address may have.
};

// Malformed or oversized message, compact protocol, TLS, SASL, HTTP: costs only its own connection,
// with a TApplicationException that says what is wrong where the peer can read one.
// Thread safety: yes. Lifetime: the destructor stops; the handler must outlive the server.
class Server {
 public:
  virtual ~Server() = default;
  // The port that is really listened on.
  [[nodiscard]] virtual uint16_t port() const = 0;
  [[nodiscard]] virtual ServerStats stats() const = 0;
  // Stops accepting; messages that are being answered are still answered, idle connections close.
  // Returns when all connections are closed or at the deadline, then drops what is left.
  // How many connections were dropped before their answer had gone out. Idempotent.
  virtual size_t Stop(Duration drain) = 0;
};

// kUnavailable when the address cannot be bound (text: address, reason, what to do).
Result<std::unique_ptr<Server>> StartServer(const ServerOptions& options, Handler* handler,
                                            const Clock& clock);

}  // namespace catalogd::server
