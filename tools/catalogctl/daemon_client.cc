#include "tools/catalogctl/daemon_client.h"

#include <thrift/TOutput.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>

#include <utility>

#include "catalogd_idl/Catalogd.h"

namespace catalogd::ctl {
namespace {

using apache::thrift::TApplicationException;
using apache::thrift::TException;
using apache::thrift::transport::TTransportException;

ErrorCode CodeNamed(const std::string& name) {
  for (int i = 0; i < kErrorCodeCount; ++i) {
    if (ErrorCodeName(static_cast<ErrorCode>(i)) == name) return static_cast<ErrorCode>(i);
  }
  return ErrorCode::kInternal;
}

std::string NotThrift(const std::string& address) {
  return address +
         " gave an answer that is not Thrift: is this the port of the daemon's pages? Give that of "
         "its endpoint with --port";
}

}  // namespace

struct DaemonClient::Connection {
  std::string address;
  std::shared_ptr<apache::thrift::transport::TSocket> socket;
  std::unique_ptr<api::CatalogdClient> client;
};

DaemonClient::DaemonClient(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}

DaemonClient::~DaemonClient() = default;

Result<std::unique_ptr<DaemonClient>> DaemonClient::Connect(const std::string& host, int port,
                                                            std::chrono::milliseconds timeout) {
  // The library prints what it also throws.
  apache::thrift::GlobalOutput.setOutputFunction([](const char*) {});
  auto connection = std::make_unique<Connection>();
  connection->address = host + ":" + std::to_string(port);
  connection->socket = std::make_shared<apache::thrift::transport::TSocket>(host, port);
  const int milliseconds = static_cast<int>(timeout.count());
  connection->socket->setConnTimeout(milliseconds);
  connection->socket->setRecvTimeout(milliseconds);
  connection->socket->setSendTimeout(milliseconds);
  auto transport =
      std::make_shared<apache::thrift::transport::TBufferedTransport>(connection->socket);
  connection->client = std::make_unique<api::CatalogdClient>(
      std::make_shared<apache::thrift::protocol::TBinaryProtocol>(transport));
  try {
    transport->open();
  } catch (const TTransportException& e) {
    return MakeError(ErrorCode::kUnavailable,
                     "no catalogd at " + connection->address + " (" + e.what() +
                         "); is it running, and is this its endpoint port? See --host and --port");
  }
  return std::unique_ptr<DaemonClient>(new DaemonClient(std::move(connection)));
}

Status DaemonClient::Call(const std::function<void(api::CatalogdClient&)>& call) {
  try {
    call(*connection_->client);
    return Ok();
  } catch (const api::CatalogdError& e) {
    return MakeError(CodeNamed(e.code), e.message);
  } catch (const TApplicationException& e) {
    const bool unknown = e.getType() == TApplicationException::UNKNOWN_METHOD;
    return MakeError(
        unknown ? ErrorCode::kUnsupported : ErrorCode::kInternal,
        unknown ? connection_->address +
                      " speaks Thrift but is not catalogd, or another version of it: " + e.what()
                : std::string(e.what()));
  } catch (const TTransportException& e) {
    // An answer in another protocol looks like a string of absurd length.
    if (std::string_view(e.what()).find("MaxMessageSize") != std::string_view::npos) {
      return MakeError(ErrorCode::kCorrupt, NotThrift(connection_->address));
    }
    const bool timeout = e.getType() == TTransportException::TIMED_OUT;
    return MakeError(timeout ? ErrorCode::kTimedOut : ErrorCode::kUnavailable,
                     "the daemon at " + connection_->address +
                         (timeout ? " did not answer in time; see --timeout"
                                  : std::string(" closed the connection: ") + e.what()));
  } catch (const TException& e) {
    return MakeError(ErrorCode::kCorrupt, NotThrift(connection_->address) + " (" + e.what() + ")");
  }
}

}  // namespace catalogd::ctl
