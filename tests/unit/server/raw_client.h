#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace catalogd::server {

// A bare TCP client of the tests: sends and receives exactly the bytes it is told to.
class RawClient {
 public:
  explicit RawClient(uint16_t port, int receive_buffer = 0, const char* from = nullptr)
      : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) {
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    }
    const int one = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (from != nullptr) {
      inet_pton(AF_INET, from, &address.sin_addr);
      bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    }
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~RawClient() { Close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  RawClient(RawClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_) {}

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] int fd() const { return fd_; }

  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  // Exactly `count` bytes, or what came before the end of input.
  std::string Read(size_t count) {
    std::string out;
    while (out.size() < count && Some(&out, count - out.size())) {
    }
    return out;
  }
  // Everything until the other side closes or resets.
  std::string ReadAll() {
    std::string out;
    while (Some(&out, 65536)) {
    }
    return out;
  }
  void FinishSending() { shutdown(fd_, SHUT_WR); }
  // Closes with a reset instead of an orderly end.
  void Reset() {
    const linger at_once{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    Close();
  }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  bool Some(std::string* out, size_t most) {
    char buffer[65536];
    const ssize_t got = recv(fd_, buffer, most < sizeof(buffer) ? most : sizeof(buffer), 0);
    if (got <= 0) return false;
    out->append(buffer, static_cast<size_t>(got));
    return true;
  }

  int fd_;
  bool connected_ = false;
};

}  // namespace catalogd::server
