// The least that any server of these bytes must do: one thread, epoll, a whole request in, the same
// reply out, nothing looked at but where a request ends. What the daemon is measured against.
//
// raw_server REPLY_FILE    prints its port, serves until it is killed
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <unordered_map>

#include "thrift/wire/scan.h"

namespace {

namespace wire = catalogd::wire;

struct Peer {
  std::string request;
  wire::MessageScanner scanner{wire::Limits{}};
};

int Listen() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  void* raw = &address;
  if (::bind(fd, static_cast<sockaddr*>(raw), length) != 0 || ::listen(fd, 1024) != 0 ||
      ::getsockname(fd, static_cast<sockaddr*>(raw), &length) != 0) {
    std::perror("listen");
    std::exit(1);
  }
  std::printf("%d\n", static_cast<int>(ntohs(address.sin_port)));
  std::fflush(stdout);
  return fd;
}

void Watch(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

void Accept(int epoll, int listener) {
  const int fd = ::accept(listener, nullptr, nullptr);
  if (fd < 0) return;
  const int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  Watch(epoll, fd);
}

// False when the connection is over.
bool Serve(int fd, Peer* peer, const std::string& reply) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  peer->request.append(buffer.data(), static_cast<size_t>(got));
  const auto state = peer->scanner.Scan(peer->request);
  if (!state) return false;
  if (*state != wire::MessageScanner::State::kComplete) return true;
  peer->request.clear();
  peer->scanner.Reset();
  return ::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(reply.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: raw_server REPLY_FILE\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string reply{std::istreambuf_iterator<char>(file), {}};
  const int listener = Listen();
  const int epoll = ::epoll_create1(0);
  Watch(epoll, listener);
  std::unordered_map<int, Peer> peers;
  std::array<epoll_event, 64> events{};
  while (true) {
    const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<size_t>(i)].data.fd;
      if (fd == listener) {
        Accept(epoll, listener);
      } else if (!Serve(fd, &peers[fd], reply)) {
        peers.erase(fd);
        ::close(fd);
      }
    }
  }
}
