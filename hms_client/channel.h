#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/clock.h"
#include "catalog/base/result.h"

// How to reach a metastore with raw Thrift messages.
namespace catalogd::hms {

// Who a connection acts as. Connections of one identity may be shared, others never.
struct Identity {
  std::string user;  // Empty: whoever the server takes the daemon for (no set_ugi sent).
  std::vector<std::string> groups;
  // The calls are a client's own. The daemon never reads on a connection where they have run: one
  // that failed may have left something behind there (hms_client/left_behind.h).
  bool of_client = false;
  [[nodiscard]] bool is_daemon() const { return user.empty() && !of_client; }
  friend bool operator==(const Identity&, const Identity&) = default;
  friend auto operator<=>(const Identity&, const Identity&) = default;
};

// Something that answers one raw Thrift message with one raw Thrift message: a socket to a
// metastore, or the embedded metastore in this process. One call at a time.
//
// Messages are whole, strict binary and unframed, whatever the transport does.
// Thread safety: none; whoever holds the channel calls it.
// Errors of Call:
//   kUnavailable      nothing was sent (connection refused or already closed): safe to try again;
//   kUnknownOutcome   sent, and no whole answer came: the channel is broken;
//   kTimedOut         as kUnknownOutcome, by deadline;
//   kCorrupt          the answer is not a Thrift message, or answers something else: broken.
// Exceptions and application errors of the metastore are answers, not errors.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual Result<std::string> Call(std::string_view message, TimePoint deadline) = 0;
  // Oneway: only sends.
  virtual Status Send(std::string_view message, TimePoint deadline) = 0;
  // False once a call has failed: the channel must be thrown away.
  [[nodiscard]] virtual bool usable() const = 0;
  // "thrift://127.0.0.1:9083" or "embedded".
  [[nodiscard]] virtual const std::string& endpoint() const = 0;
};

// Opens channels. Thread safety: yes.
class Connector {
 public:
  virtual ~Connector() = default;
  // Connected, and set_ugi done for an identity with a user. kUnavailable with the reasons of all
  // addresses that were tried.
  virtual Result<std::unique_ptr<Channel>> Open(const Identity& identity, TimePoint deadline) = 0;
};

}  // namespace catalogd::hms
