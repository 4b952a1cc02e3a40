#include "hms_client/embedded/embedded_metastore.h"

#include <thrift/TApplicationException.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <utility>

#include "catalog/base/utf8.h"
#include "hms_client/embedded/handler.h"
#include "hms_client/embedded/store.h"
#include "hms_client/insert_layout.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

namespace catalogd::hms {

namespace {

using apache::thrift::TApplicationException;
using apache::thrift::TException;
using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::transport::TMemoryBuffer;
using BinaryProtocol = TBinaryProtocolT<TMemoryBuffer>;

// The message is only read; the library's buffer asks for a pointer to plain bytes all the same.
std::shared_ptr<TMemoryBuffer> Observe(std::string_view bytes) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  auto* start = const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(bytes.data()));
  return std::make_shared<TMemoryBuffer>(start, static_cast<uint32_t>(bytes.size()),
                                         TMemoryBuffer::OBSERVE);
}

// The generated processor reports an exception that a method does not declare with type UNKNOWN
// (0); a Java metastore says INTERNAL_ERROR. The type is the last field of such a reply.
void NameInternalErrors(std::string* reply) {
  constexpr std::string_view kUnknownType("\x08\x00\x02\x00\x00\x00\x00\x00", 8);
  if (!reply->ends_with(kUnknownType)) return;
  const auto header = wire::ParseMessageHeader(*reply);
  if (!header || header->type != wire::MessageType::kException) return;
  (*reply)[reply->size() - 2] = static_cast<char>(TApplicationException::INTERNAL_ERROR);
}

}  // namespace

// The file, the methods and the generated dispatcher over them.
class EmbeddedService {
 public:
  explicit EmbeddedService(std::unique_ptr<Store> store)
      : store_(std::move(store)), processor_(std::make_shared<Handler>(store_.get())) {}

  void NoteAlive() { store_->attendance().Note(); }

  std::string Handle(std::string_view message, ConnectionState* connection) {
    NoteAlive();
    const auto header = wire::ParseMessageHeader(message);
    if (!header) {
      // Not a message: nobody to answer.
      connection->close_requested = true;
      return "";
    }
    if (ValidUtf8(std::string(header->method)) != header->method) {
      // The generated dispatcher would put the bytes into its text.
      return wire::EncodeApplicationError(
          header->method, header->sequence_id, wire::ApplicationError::kUnknownMethod,
          "Invalid method name: '" + std::string(header->method) + "'");
    }
    std::string rewritten;
    if (header->method == "fire_listener_event") {
      const auto arguments =
          InsertEventIn(InsertLayout::kLater, wire::StructView(message.substr(header->body)));
      if (arguments) {
        rewritten = std::string(message.substr(0, header->body)) + *arguments;
        message = rewritten;
      }
    }
    if (const Status fits = wire::CheckElements(message.substr(header->body)); !fits) {
      return wire::EncodeApplicationError(header->method, header->sequence_id,
                                          wire::ApplicationError::kProtocolError,
                                          fits.error().message);
    }
    auto output = std::make_shared<TMemoryBuffer>();
    MethodsBase::SetCall(connection, wire::StructView(message.substr(header->body)));
    std::string reply;
    // The door for exceptions of generated code: arguments that are not what they should be.
    try {
      processor_.process(std::make_shared<BinaryProtocol>(Observe(message)),
                         std::make_shared<BinaryProtocol>(output), nullptr);
      reply = output->getBufferAsString();
      NameInternalErrors(&reply);
    } catch (const TException& error) {
      reply = wire::EncodeApplicationError(header->method, header->sequence_id,
                                           wire::ApplicationError::kProtocolError, error.what());
    }
    MethodsBase::SetCall(nullptr, wire::StructView());
    return connection->close_requested ? "" : reply;
  }

 private:
  std::unique_ptr<Store> store_;
  thrift::hms::ThriftHiveMetastoreProcessor processor_;
};

namespace {

class EmbeddedChannel final : public Channel {
 public:
  EmbeddedChannel(EmbeddedMetastore* metastore, ConnectionState state)
      : metastore_(metastore), state_(std::move(state)) {}

  Result<std::string> Call(std::string_view message, TimePoint /*deadline*/) override {
    if (!usable()) return Closed();
    std::string reply = metastore_->HandleMessage(message, &state_);
    if (usable()) return reply;
    return MakeError(ErrorCode::kCorrupt,
                     endpoint() + ": the call ended the connection unanswered");
  }

  Status Send(std::string_view message, TimePoint /*deadline*/) override {
    if (!usable()) return Closed();
    static_cast<void>(metastore_->HandleMessage(message, &state_));
    return Ok();
  }

  [[nodiscard]] bool usable() const override { return !state_.close_requested; }
  [[nodiscard]] const std::string& endpoint() const override {
    static const std::string name = "embedded";
    return name;
  }

 private:
  static tl::unexpected<Error> Closed() {
    return MakeError(ErrorCode::kUnavailable, "embedded: this channel was closed; open another");
  }

  EmbeddedMetastore* metastore_;
  ConnectionState state_;
};

}  // namespace

EmbeddedMetastore::EmbeddedMetastore(std::unique_ptr<EmbeddedService> service)
    : service_(std::move(service)) {}

EmbeddedMetastore::~EmbeddedMetastore() = default;

Result<std::unique_ptr<EmbeddedMetastore>> EmbeddedMetastore::Open(const EmbeddedOptions& options,
                                                                   const Clock& clock) {
  ASSIGN_OR_RETURN(std::unique_ptr<Store> store, Store::Open(options, clock));
  return std::unique_ptr<EmbeddedMetastore>(
      new EmbeddedMetastore(std::make_unique<EmbeddedService>(std::move(store))));
}

std::string EmbeddedMetastore::HandleMessage(std::string_view message,
                                             ConnectionState* connection) {
  return service_->Handle(message, connection);
}

void EmbeddedMetastore::NoteAlive() { service_->NoteAlive(); }

Result<std::unique_ptr<Channel>> EmbeddedMetastore::Open(const Identity& identity,
                                                         TimePoint /*deadline*/) {
  ConnectionState state;
  if (!identity.user.empty()) {
    state.user = identity.user;
    state.groups = identity.groups;
  }
  return std::unique_ptr<Channel>(std::make_unique<EmbeddedChannel>(this, std::move(state)));
}

}  // namespace catalogd::hms
