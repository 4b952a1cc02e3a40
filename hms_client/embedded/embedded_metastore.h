#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "catalog/base/clock.h"
#include "catalog/base/result.h"
#include "hms_client/channel.h"
#include "hms_client/embedded/connection_state.h"
#include "hms_client/embedded/options.h"

namespace catalogd::hms {

class EmbeddedService;

// A metastore in this process, kept in one SQLite file: databases, tables, partitions and a
// notification log in Hive's own form. To its callers it is a metastore like any other: raw Thrift
// messages in, raw Thrift messages out; methods it does not have are answered UNKNOWN_METHOD.
//
// Not a server: it never listens; whoever has a listener hands messages to HandleMessage.
//
// Thread safety: yes; a ConnectionState is used by one call at a time.
// Locks: kEmbedded. Calls block on the file, on the caller's thread.
// Invariants:
//   1. a change and the events that tell of it are committed together or not at all;
//   2. event ids are dense, and an event is visible only with all events before it;
//   3. what a read answers, what is stored and what the event carries are the same object.
// Lifetime: channels must not outlive it.
// Errors of Open: kUnavailable (in use, cannot be opened), kCorrupt (damaged or another program's
// file), kUnsupported (written by a newer build), kPermission, kResourceExhausted; each names the
// file and the next step.
class EmbeddedMetastore : public Connector {
 public:
  // The clock must outlive the metastore.
  static Result<std::unique_ptr<EmbeddedMetastore>> Open(const EmbeddedOptions& options,
                                                         const Clock& clock);
  ~EmbeddedMetastore() override;

  // Answers one whole strict-binary message. Empty: nothing is to be sent back (oneway, or the
  // connection ends). Look at `connection->close_requested` afterwards.
  [[nodiscard]] std::string HandleMessage(std::string_view message, ConnectionState* connection);

  // Says that the process is there. Where no message may come for long, a timer does: locks whose
  // heartbeats nobody could hear would else outlive their clients by another time-out.
  void NoteAlive();

  // In-process channels; never fails. Deadlines are not looked at: a call takes as long as the
  // file takes (at most EmbeddedOptions::busy_timeout waiting for another process).
  Result<std::unique_ptr<Channel>> Open(const Identity& identity, TimePoint deadline) override;

 private:
  explicit EmbeddedMetastore(std::unique_ptr<EmbeddedService> service);
  std::unique_ptr<EmbeddedService> service_;
};

}  // namespace catalogd::hms
