#pragma once

#include <string>
#include <vector>

#include "catalog/base/mutex.h"
#include "catalog/base/random.h"
#include "hms_client/channel.h"
#include "hms_client/retry.h"
#include "hms_client/socket_channel.h"
#include "hms_client/uri.h"

namespace catalogd::hms {

struct ConnectorOptions {
  std::vector<Address> addresses;
  SocketOptions socket;
  // How long a failed address is left alone. Shared by all users, so that a metastore that is down
  // sees few attempts however many wait for it.
  Backoff::Options backoff;
  // Seed of the jitter.
  uint64_t seed = 1;
};

// Opens connections to the first of several metastores that answers, beginning with the one that
// did last.
//
// Addresses that failed are skipped until their time has come; when all of them are, Open fails at
// once with the last reasons.
// Thread safety: yes. Locks: kLeaf, never held while connecting.
class SocketConnector final : public Connector {
 public:
  SocketConnector(ConnectorOptions options, const Clock& clock);

  Result<std::unique_ptr<Channel>> Open(const Identity& identity, TimePoint deadline) override;

  // What is known of one address; for pages.
  struct AddressState {
    Address address;
    bool good = true;
    std::string last_error;
  };
  [[nodiscard]] std::vector<AddressState> States() const;

 private:
  struct Entry {
    Address address;
    Backoff backoff;
    TimePoint not_before = TimePoint::min();
    std::string last_error;
  };
  std::vector<size_t> Order() const;
  bool MayTry(size_t index) const;
  void NoteSuccess(size_t index);
  void NoteFailure(size_t index, const std::string& error);
  Error AllFailed() const;
  Result<std::unique_ptr<Channel>> OpenOne(const Address& address, const Identity& identity,
                                           TimePoint deadline) const;

  const ConnectorOptions options_;
  const Clock& clock_;
  mutable Mutex mutex_{LockRank::kLeaf};
  std::vector<Entry> entries_ GUARDED_BY(mutex_);
  size_t last_good_ GUARDED_BY(mutex_) = 0;
  Random random_ GUARDED_BY(mutex_);
};

// Fixes who a fresh connection acts as. kPermission when the metastore refuses; kUnavailable when
// the connection fails (nothing of the user's has been sent yet).
Status SetUgi(Channel& channel, const Identity& identity, TimePoint deadline);

}  // namespace catalogd::hms
