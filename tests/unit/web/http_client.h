#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace catalogd::web {

// A plain socket to the server under test: sends bytes as they are, good HTTP or not.
class HttpClient {
 public:
  explicit HttpClient(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{30, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~HttpClient() { close(fd_); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  bool Send(std::string_view bytes) const {
    return send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // Everything until the server closes.
  [[nodiscard]] std::string ReadAll() const { return ReadUntil(""); }
  // Until `mark` has been read, or the server closes.
  [[nodiscard]] std::string ReadUntil(std::string_view mark) const {
    std::string all;
    char buffer[4096];
    while (mark.empty() || all.find(mark) == std::string::npos) {
      const ssize_t got = recv(fd_, buffer, sizeof(buffer), 0);
      if (got <= 0) break;
      all.append(buffer, static_cast<size_t>(got));
    }
    return all;
  }

 private:
  const int fd_;
  bool connected_ = false;
};

// One request on a connection of its own.
inline std::string Ask(uint16_t port, std::string_view bytes) {
  const HttpClient client(port);
  if (!client.connected() || !client.Send(bytes)) return "";
  return client.ReadAll();
}

inline std::string Get(uint16_t port, const std::string& target, const std::string& fields = "") {
  return Ask(port,
             "GET " + target + " HTTP/1.1\r\nHost: t\r\nConnection: close\r\n" + fields + "\r\n");
}

}  // namespace catalogd::web
