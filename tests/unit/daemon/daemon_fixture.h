#pragma once

#include <gmock/gmock.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catalog/daemon/daemon.h"
#include "catalogd_idl/Catalogd.h"
#include "hms_idl/ThriftHiveMetastore.h"
#include "tests/support/hms_objects.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/web/http_client.h"
#include "tools/catalogctl/daemon_client.h"

namespace catalogd::daemon {

using catalogd::testing::TemporaryDirectory;

inline uint16_t PortOf(const std::string& address) {
  return static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

// A generated client of any service on its own connection.
template <class Client>
class Connection {
 public:
  explicit Connection(const std::string& address) {
    auto socket =
        std::make_shared<apache::thrift::transport::TSocket>("127.0.0.1", PortOf(address));
    socket->setRecvTimeout(120000);
    transport_ = std::make_shared<apache::thrift::transport::TBufferedTransport>(socket);
    client_ = std::make_unique<Client>(
        std::make_shared<apache::thrift::protocol::TBinaryProtocol>(transport_));
    transport_->open();
  }
  Client* operator->() { return client_.get(); }

 private:
  std::shared_ptr<apache::thrift::transport::TTransport> transport_;
  std::unique_ptr<Client> client_;
};
using ApiConnection = Connection<api::CatalogdClient>;
using HmsConnection = Connection<thrift::hms::ThriftHiveMetastoreClient>;

// The code and text with which the daemon answers a call of any connection; empty: it succeeded.
template <class F>
std::pair<std::string, std::string> ErrorOf(const std::string& address, const F& call) {
  auto client = ctl::DaemonClient::Connect("127.0.0.1", PortOf(address), std::chrono::seconds(120));
  EXPECT_TRUE(client);
  if (!client) return {};
  const Status status = (*client)->Call(call);
  if (status) return {};
  return {std::string(ErrorCodeName(status.error().code)), status.error().message};
}

inline Configuration ConfigurationOf(
    const std::vector<std::pair<std::string, std::string>>& flags) {
  OptionSources sources;
  sources.flags = flags;
  auto configuration = ResolveOptions(sources);
  EXPECT_TRUE(configuration) << configuration.error().message;
  return configuration.value_or(Configuration{});
}

// What a page says, as JSON.
inline nlohmann::json PageJson(const Daemon& daemon, const std::string& target) {
  const std::string answer = web::Get(PortOf(daemon.web()), target, "Accept: application/json\r\n");
  return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4), nullptr, false);
}
inline std::string PageHtml(const Daemon& daemon, const std::string& target) {
  return web::Get(PortOf(daemon.web()), target);
}

}  // namespace catalogd::daemon
