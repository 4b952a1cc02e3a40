// A closed-loop load of one Thrift call over loopback: every connection sends the call, waits for
// the whole reply and sends it again. One thread, so that a server on the same two cores keeps one.
//
// call_load --port P [--method get_table --args DB TABLE] [--connections N] [--seconds S]
// --list A B: a list of strings behind the arguments. With --same-as FILE the first reply is
// written there, so that raw_server can send the same bytes. In the arguments, {c} is the number of
// the connection and {n} that of its call, so that writes can differ: --method
// append_partition_by_name --args bench t{c} p={n} prints: calls per second, and percentiles of the
// time from send to whole reply.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "catalog/base/clock.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

namespace {

using catalogd::Duration;
using catalogd::SystemClock;
using catalogd::TimePoint;
namespace wire = catalogd::wire;

struct Connection {
  int fd = -1;
  size_t number = 0;
  size_t calls = 0;
  std::string reply;
  wire::MessageScanner scanner{wire::Limits{}};
  TimePoint sent;
};

int Connect(uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  const void* raw = &address;
  if (::connect(fd, static_cast<const sockaddr*>(raw), sizeof address) != 0) {
    std::perror("connect");
    std::exit(1);
  }
  return fd;
}

std::string Filled(std::string text, std::string_view place, size_t number) {
  const size_t at = text.find(place);
  if (at != std::string::npos) text.replace(at, place.size(), std::to_string(number));
  return text;
}

// What every connection sends; the same bytes each time unless an argument has a place to fill.
class Calls {
 public:
  Calls(std::string method, std::vector<std::string> args, std::vector<std::string> list)
      : method_(std::move(method)), args_(std::move(args)), list_(std::move(list)) {
    for (const std::string& arg : args_) varies_ = varies_ || arg.find('{') != std::string::npos;
    if (!varies_) same_ = Make(0, 0);
  }

  [[nodiscard]] const std::string& method() const { return method_; }
  [[nodiscard]] std::string Next(Connection* connection) const {
    return varies_ ? Make(connection->number, connection->calls++) : same_;
  }

 private:
  [[nodiscard]] std::string Make(size_t connection, size_t call) const {
    std::string arguments;
    wire::Writer writer(&arguments);
    for (size_t i = 0; i < args_.size(); ++i) {
      const std::string text = Filled(Filled(args_[i], "{c}", connection), "{n}", call);
      writer.StringField(static_cast<int16_t>(i + 1), text);
    }
    if (!list_.empty()) writer.StringListField(static_cast<int16_t>(args_.size() + 1), list_);
    writer.Stop();
    return wire::EncodeCall(method_, 1, arguments);
  }

  const std::string method_;
  const std::vector<std::string> args_;
  const std::vector<std::string> list_;
  bool varies_ = false;
  std::string same_;
};

void Send(Connection* connection, const Calls& calls) {
  const std::string call = calls.Next(connection);
  connection->reply.clear();
  connection->scanner.Reset();
  connection->sent = SystemClock().Now();
  if (::send(connection->fd, call.data(), call.size(), 0) != static_cast<ssize_t>(call.size())) {
    std::perror("send");
    std::exit(1);
  }
}

// True when the whole reply is there.
bool Receive(Connection* connection) {
  char buffer[65536];
  const ssize_t n = ::recv(connection->fd, buffer, sizeof buffer, 0);
  if (n <= 0) {
    std::fprintf(stderr, "the server closed the connection\n");
    std::exit(1);
  }
  connection->reply.append(buffer, static_cast<size_t>(n));
  const auto state = connection->scanner.Scan(connection->reply);
  if (!state) {
    std::fprintf(stderr, "broken reply: %s\n", state.error().message.c_str());
    std::exit(1);
  }
  return *state == wire::MessageScanner::State::kComplete;
}

void CheckReply(const std::string& reply, const std::string& method) {
  const auto header = wire::ParseMessageHeader(reply);
  const bool success = header && header->type == wire::MessageType::kReply &&
                       wire::StructView(std::string_view(reply).substr(header->body)).Find(0);
  if (success) return;
  std::fprintf(stderr, "%s is not answered with success\n", method.c_str());
  std::exit(1);
}

double Micros(Duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

}  // namespace

int main(int argc, char** argv) {
  uint16_t port = 9083;
  int connections = 8;
  double seconds = 3;
  std::string method = "get_table";
  std::vector<std::string> args;
  std::vector<std::string> list;
  std::string reply_file;
  CLI::App app("Closed-loop load of one Thrift call");
  app.add_option("--port", port);
  app.add_option("--connections", connections);
  app.add_option("--seconds", seconds);
  app.add_option("--method", method);
  app.add_option("--args", args, "string arguments, fields 1, 2, ...");
  app.add_option("--list", list, "a list of strings, the field behind them");
  app.add_option("--same-as", reply_file, "where the first reply is written");
  CLI11_PARSE(app, argc, argv);

  const Calls calls(method, args, list);
  std::vector<Connection> all(static_cast<size_t>(connections));
  std::vector<pollfd> polled;
  for (Connection& connection : all) {
    connection.fd = Connect(port);
    connection.number = polled.size();
    polled.push_back({connection.fd, POLLIN, 0});
    Send(&connection, calls);
  }
  std::vector<double> micros;
  const TimePoint start = SystemClock().Now();
  const TimePoint end =
      start + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  TimePoint now = start;
  while (now < end) {
    ::poll(polled.data(), polled.size(), 1000);
    for (size_t i = 0; i < all.size(); ++i) {
      if ((polled[i].revents & POLLIN) == 0 || !Receive(&all[i])) continue;
      now = SystemClock().Now();
      if (micros.empty()) {
        CheckReply(all[i].reply, calls.method());
        if (!reply_file.empty()) std::ofstream(reply_file, std::ios::binary) << all[i].reply;
      }
      micros.push_back(Micros(now - all[i].sent));
      Send(&all[i], calls);
    }
    now = std::max(now, SystemClock().Now());
  }
  const double elapsed = std::chrono::duration<double>(now - start).count();
  if (micros.empty()) {
    std::fprintf(stderr, "no reply came\n");
    return 1;
  }
  std::sort(micros.begin(), micros.end());
  const auto percentile = [&](double p) {
    return micros[static_cast<size_t>(p * static_cast<double>(micros.size() - 1))];
  };
  std::printf("%.0f calls/s, p50 %.1f us, p99 %.1f us, %d connections\n",
              static_cast<double>(micros.size()) / elapsed, percentile(0.5), percentile(0.99),
              connections);
  for (const Connection& connection : all) ::close(connection.fd);
  return 0;
}
