#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "catalog/endpoint/call.h"
#include "catalog/endpoint/catalog_view.h"
#include "catalog/endpoint/counters.h"
#include "catalog/endpoint/each_call.h"
#include "catalog/endpoint/other_call.h"
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
  // Nothing when it cannot be said in older words.
  Result<std::optional<std::string>> ForwardInOlderWords(const Call& call,
                                                         const wire::StructView& arguments,
                                                         hms::Generation generation,
                                                         TimePoint deadline);
  // Calls that newer metastores have dropped, made from their successors.
  Result<std::string> ForwardToNewer(const Call& call, TimePoint deadline);
  Result<std::string> ForwardOther(const Call& call, const OtherCall& other, TimePoint deadline);
  Result<std::string> ForwardEach(SessionState* state, EachCall* each, TimePoint deadline);

  hms::Metastore* const metastore_;
  hms::Connector* const connector_;
  const CatalogView* const view_;
  const Clock* const clock_;
  const Duration call_timeout_;
  EndpointCounters* const counters_;
  // The metastore has said that it does not know get_table, or what went with it; facts may not be
  // known yet.
  std::atomic<bool> dropped_{false};
};

}  // namespace catalogd::endpoint
