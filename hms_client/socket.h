#pragma once

#include <string>
#include <string_view>

#include "catalog/base/clock.h"
#include "catalog/base/result.h"
#include "hms_client/uri.h"

namespace catalogd::hms {

// A connected TCP socket that never waits beyond a deadline. Moves bytes, knows no messages.
// Thread safety: none. Lifetime: the destructor closes.
// Errors: kUnavailable (refused, reset, closed by the peer), kTimedOut.
class Socket {
 public:
  // Tries all addresses of the host. The look-up of the name itself has the resolver's own limits.
  static Result<Socket> Connect(const Address& address, const Clock& clock, TimePoint deadline);
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;

  // True when the peer has closed the connection or sent bytes nobody asked for.
  [[nodiscard]] bool IsStale() const;
  // `sent` counts what the system has taken, also on failure.
  Status SendAll(std::string_view bytes, TimePoint deadline, size_t* sent);
  // Appends what is there, at least one byte.
  Status ReceiveSome(std::string* out, TimePoint deadline);

 private:
  Socket(int fd, const Clock* clock) : fd_(fd), clock_(clock) {}
  Status Wait(short events, TimePoint deadline, const char* what) const;

  int fd_;
  const Clock* clock_;
};

}  // namespace catalogd::hms
