#include "hms_client/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

namespace catalogd::hms {
namespace {

constexpr size_t kChunk = size_t{64} << 10U;

std::string SystemText(int number) { return std::generic_category().message(number); }

bool WouldBlock(int number) { return number == EAGAIN || number == EWOULDBLOCK; }

// The longest wait poll() is asked for; a later deadline takes another round.
int MillisecondsUntil(TimePoint deadline, TimePoint now) {
  if (deadline == TimePoint::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 60000));
}

void SetFlag(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof(value));
}

// A peer that vanished without a word is noticed within a minute or so.
void SetOptions(int fd) {
  SetFlag(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetFlag(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetFlag(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  SetFlag(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  SetFlag(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Result<AddressList> LookUp(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) {
    return MakeError(ErrorCode::kUnavailable,
                     "cannot look up host '" + address.host + "': " + gai_strerror(error));
  }
  return AddressList(found, &freeaddrinfo);
}

}  // namespace

Result<Socket> Socket::Connect(const Address& address, const Clock& clock, TimePoint deadline) {
  ASSIGN_OR_RETURN(const AddressList list, LookUp(address));
  Error last{ErrorCode::kUnavailable, "the host has no address"};
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    const int fd = socket(one->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
      last.message = SystemText(errno);
      continue;
    }
    Socket connecting(fd, &clock);
    SetOptions(fd);
    int error = connect(fd, one->ai_addr, one->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      if (auto status = connecting.Wait(POLLOUT, deadline, "connecting"); !status) {
        last = std::move(status).error();
        continue;
      }
      socklen_t size = sizeof(error);
      getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) return connecting;
    last = {ErrorCode::kUnavailable, SystemText(error)};
  }
  return AsError(std::move(last));
}

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)), clock_(other.clock_) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  clock_ = other.clock_;
  return *this;
}

bool Socket::IsStale() const {
  char byte = 0;
  const ssize_t got = recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got >= 0 || !WouldBlock(errno);
}

Status Socket::SendAll(std::string_view bytes, TimePoint deadline, size_t* sent) {
  *sent = 0;
  while (*sent < bytes.size()) {
    const ssize_t taken =
        send(fd_, bytes.data() + *sent, bytes.size() - *sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken >= 0) {
      *sent += static_cast<size_t>(taken);
    } else if (WouldBlock(errno)) {
      RETURN_IF_ERROR(Wait(POLLOUT, deadline, "sending"));
    } else if (errno != EINTR) {
      return MakeError(ErrorCode::kUnavailable, SystemText(errno));
    }
  }
  return Ok();
}

Status Socket::ReceiveSome(std::string* out, TimePoint deadline) {
  thread_local std::array<char, kChunk> chunk;
  for (;;) {
    const ssize_t got = recv(fd_, chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (got > 0) {
      out->append(chunk.data(), static_cast<size_t>(got));
      return Ok();
    }
    if (got == 0) return MakeError(ErrorCode::kUnavailable, "the server closed the connection");
    if (WouldBlock(errno)) {
      RETURN_IF_ERROR(Wait(POLLIN, deadline, "waiting for the answer"));
    } else if (errno != EINTR) {
      return MakeError(ErrorCode::kUnavailable, SystemText(errno));
    }
  }
}

Status Socket::Wait(short events, TimePoint deadline, const char* what) const {
  for (;;) {
    pollfd waiting{fd_, events, 0};
    const int ready = poll(&waiting, 1, MillisecondsUntil(deadline, clock_->Now()));
    if (ready > 0) return Ok();
    if (ready < 0 && errno != EINTR) return MakeError(ErrorCode::kUnavailable, SystemText(errno));
    if (deadline <= clock_->Now()) {
      return MakeError(ErrorCode::kTimedOut, std::string("the deadline passed while ") + what);
    }
  }
}

}  // namespace catalogd::hms
