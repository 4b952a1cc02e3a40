#include "tools/catalogctl/daemon_client.h"

#include <thrift/TOutput.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>

#include <map>
#include <utility>

#include "catalogd_coord_idl/CatalogdCoord.h"
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

// Only for exit codes; the name of the error is in its text.
ErrorCode CodeOfCoord(const api::CoordError& error) {
  static const std::map<std::string, ErrorCode> codes = {
      {"INVALID_ARGUMENT", ErrorCode::kInvalidArgument},
      {"NOT_FOUND", ErrorCode::kNotFound},
      {"TABLE_GONE", ErrorCode::kNotFound},
      {"ALREADY_REGISTERED", ErrorCode::kAlreadyExists},
      {"PERMISSION_DENIED", ErrorCode::kPermission},
      {"UNSUPPORTED", ErrorCode::kUnsupported},
      {"UNSUPPORTED_LAYOUT", ErrorCode::kUnsupported},
      {"CONFLICT", ErrorCode::kConflict},
      {"COMMIT_STATE_UNKNOWN", ErrorCode::kUnknownOutcome},
      {"LOCK_TIMEOUT", ErrorCode::kTimedOut},
      {"TIMEOUT", ErrorCode::kTimedOut},
      {"METASTORE_FAILED", ErrorCode::kUnavailable},
      {"STORE_FAILED", ErrorCode::kUnavailable},
      {"STOPPING", ErrorCode::kUnavailable},
      {"THROTTLED", ErrorCode::kResourceExhausted},
      {"INTERNAL", ErrorCode::kInternal},
  };
  const auto found = codes.find(error.name);
  return found == codes.end() ? ErrorCode::kInvalidState : found->second;
}

std::string CoordText(const api::CoordError& error) {
  std::string text = error.name + ": " + error.message;
  if (error.retry_after_ms > 0) {
    text += "; try again in " + std::to_string(error.retry_after_ms) + " ms";
  } else if (error.retryable) {
    text += "; try again later";
  }
  return text;
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
  std::shared_ptr<apache::thrift::protocol::TProtocol> protocol;
  std::unique_ptr<api::CatalogdClient> client;
  std::unique_ptr<api::CatalogdCoordClient> coord;
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
  connection->protocol = std::make_shared<apache::thrift::protocol::TBinaryProtocol>(transport);
  connection->client = std::make_unique<api::CatalogdClient>(connection->protocol);
  connection->coord = std::make_unique<api::CatalogdCoordClient>(connection->protocol);
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
  return Guarded([&] { call(*connection_->client); });
}

Status DaemonClient::CallCoord(const std::function<void(api::CatalogdCoordClient&)>& call) {
  return Guarded([&] { call(*connection_->coord); });
}

// A method of the metastore's own, too small for its generated client.
Status DaemonClient::SetUser(const std::string& user) {
  namespace protocol = apache::thrift::protocol;
  return Guarded([&] {
    protocol::TProtocol& out = *connection_->protocol;
    out.writeMessageBegin("set_ugi", protocol::T_CALL, 0);
    out.writeStructBegin("args");
    out.writeFieldBegin("user_name", protocol::T_STRING, 1);
    out.writeString(user);
    out.writeFieldBegin("group_names", protocol::T_LIST, 2);
    out.writeListBegin(protocol::T_STRING, 0);
    out.writeFieldStop();
    out.writeMessageEnd();
    out.getTransport()->writeEnd();
    out.getTransport()->flush();
    std::string method;
    protocol::TMessageType type = protocol::T_REPLY;
    int32_t sequence_id = 0;
    out.readMessageBegin(method, type, sequence_id);
    if (type == protocol::T_EXCEPTION) {
      TApplicationException error;
      error.read(&out);
      throw error;
    }
    out.skip(protocol::T_STRUCT);
    out.readMessageEnd();
  });
}

Status DaemonClient::Guarded(const std::function<void()>& call) {
  try {
    call();
    return Ok();
  } catch (const api::CatalogdError& e) {
    return MakeError(CodeNamed(e.code), e.message);
  } catch (const api::CoordError& e) {
    return MakeError(CodeOfCoord(e), CoordText(e));
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
