#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "catalog/endpoint/call.h"
#include "catalog/endpoint/catalog_view.h"
#include "catalog/endpoint/counters.h"
#include "catalog/endpoint/older_call.h"
#include "hms_client/metastore.h"

namespace catalogd::endpoint {

// Brings calls of clients to the metastore and answers back: on shared connections of the client's
// identity, or on the connection of its own that a client with settings has. Knows the calls that a
// newer metastore has dropped, and makes them from others.
//
// Thread safety: yes, for different sessions. Everything blocks: workers only.
class Forwarder {
 public:
  Forwarder(hms::Metastore* metastore, hms::Connector* connector, const CatalogView* view,
            const Clock* clock, Duration call_timeout, EndpointCounters* counters);

  // Errors: those of Metastore::Forward.
  Result<std::string> Forward(const Call& call);
  // A write that this metastore may not know. Nothing has been done by one that does not.
  Result<std::string> ForwardWrite(const Call& call, std::string_view message, TimePoint deadline);
  // The raw exchange.
  Result<std::string> Exchange(SessionState* state, std::string_view message, TimePoint deadline);
  // Makes a setting on the session's own connection, which is opened when there is none.
  Result<std::string> SetMetaConf(const Call& call);

 private:
  Result<std::string> OnOwnChannel(SessionState* state, std::string_view message,
                                   TimePoint deadline);
  Status Open(SessionState* state, TimePoint deadline);
  // In older words where the metastore is known to need them, with plain names for Hive 2.
  Result<std::string> ForwardInItsWords(const Call& call, TimePoint deadline);
  // The call with LIKE in the metastore's dialect; absent when it is so already.
  static std::optional<std::string> CallWithFilter(const Call& call, hms::Generation generation);
  Result<std::string> ForwardOlder(const Call& call, const OlderCall& older, TimePoint deadline);
  // get_table and get_table_objects_by_name out of their successors' answers.
  Result<std::string> Translated(const Call& call, TimePoint deadline);

  hms::Metastore* const metastore_;
  hms::Connector* const connector_;
  const CatalogView* const view_;
  const Clock* const clock_;
  const Duration call_timeout_;
  EndpointCounters* const counters_;
  // The metastore has said that it does not know get_table; facts may not be known yet.
  std::atomic<bool> dropped_get_table_{false};
};

}  // namespace catalogd::endpoint
