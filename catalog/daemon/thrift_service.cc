#include "catalog/daemon/thrift_service.h"

#include <thrift/TApplicationException.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include "catalog/daemon/object_names.h"
#include "catalogd_idl/Catalogd.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

namespace catalogd::daemon {
namespace {

using apache::thrift::TException;
using apache::thrift::protocol::T_REPLY;
using apache::thrift::protocol::TBinaryProtocol;
using apache::thrift::transport::TMemoryBuffer;

}  // namespace

struct ThriftService::Call {
  std::string method;
  int32_t sequence_id = 0;
  std::string arguments;
  Reply reply;
};

namespace {

using Call = ThriftService::Call;

// Into a place of the caller's: the generated argument structs cannot be moved.
template <class Args>
Status Decode(const std::string& bytes, Args* args) {
  RETURN_IF_ERROR(wire::CheckElements(bytes));
  try {
    auto buffer = std::make_shared<TMemoryBuffer>();
    buffer->write(reinterpret_cast<const uint8_t*>(bytes.data()),
                  static_cast<uint32_t>(bytes.size()));
    TBinaryProtocol protocol(buffer);
    args->read(&protocol);
    return Ok();
  } catch (const TException& error) {
    return MakeError(ErrorCode::kInvalidArgument, error.what());
  }
}

template <class Outcome>
std::string Encode(const std::string& method, int32_t sequence_id, const Outcome& outcome) {
  try {
    auto buffer = std::make_shared<TMemoryBuffer>();
    TBinaryProtocol protocol(buffer);
    protocol.writeMessageBegin(method, T_REPLY, sequence_id);
    outcome.write(&protocol);
    protocol.writeMessageEnd();
    return buffer->getBufferAsString();
  } catch (const TException& error) {
    return wire::EncodeApplicationError(method, sequence_id, wire::ApplicationError::kInternalError,
                                        error.what());
  }
}

// A method whose answer comes through a callback: body(args, done) with done(Result<Success>).
template <class Args, class Outcome, class Body>
ThriftService::Method Later(Body body) {
  return [body = std::move(body)](Call call) {
    Args args;
    const Status decoded = Decode(call.arguments, &args);
    if (!decoded) {
      return call.reply(wire::EncodeApplicationError(call.method, call.sequence_id,
                                                     wire::ApplicationError::kProtocolError,
                                                     decoded.error().message));
    }
    body(args, [call](auto result) {
      Outcome outcome;
      if (result) {
        // The generated setters of result structs are declared and not defined.
        outcome.success = std::move(*result);
        outcome.__isset.success = true;
      } else {
        outcome.e.code = ErrorCodeName(result.error().code);
        outcome.e.message = result.error().message;
        outcome.__isset.e = true;
      }
      call.reply(Encode(call.method, call.sequence_id, outcome));
    });
  };
}

// A method that answers at once: body(args) -> Result<Success>.
template <class Args, class Outcome, class Body>
ThriftService::Method Now(Body body) {
  return Later<Args, Outcome>(
      [body = std::move(body)](const Args& args, const auto& done) { done(body(args)); });
}

}  // namespace

ThriftService::ThriftService(const ViewSources* sources, Operations* operations)
    : sources_(sources), operations_(operations) {
  AddLooks();
  AddActs();
}

void ThriftService::AddLooks() {
  using api::Catalogd_catalogd_config_args;
  const ViewSources& sources = *sources_;
  methods_["catalogd_status"] =
      Now<api::Catalogd_catalogd_status_args, api::Catalogd_catalogd_status_result>(
          [&sources](const auto&) -> Result<api::DaemonStatus> { return MakeStatus(sources); });
  methods_["catalogd_get"] =
      Now<api::Catalogd_catalogd_get_args, api::Catalogd_catalogd_get_result>(
          [&sources](const auto& args) -> Result<api::ObjectInfo> {
            ASSIGN_OR_RETURN(const ObjectName name, ResolveName(sources.core, args.name));
            return MakeObject(sources, name);
          });
  methods_["catalogd_list"] =
      Now<api::Catalogd_catalogd_list_args, api::Catalogd_catalogd_list_result>(
          [&sources](const auto& args) { return ListObjects(sources, args.request); });
  methods_["catalogd_dump"] =
      Now<api::Catalogd_catalogd_dump_args, api::Catalogd_catalogd_dump_result>(
          [&sources](const auto& args) { return MakeDump(sources, args.request); });
  methods_["catalogd_locks"] =
      Now<api::Catalogd_catalogd_locks_args, api::Catalogd_catalogd_locks_result>(
          [&sources](const auto&) -> Result<std::vector<api::LockInfo>> {
            return ListLocks(sources);
          });
  methods_["catalogd_config"] =
      Now<Catalogd_catalogd_config_args, api::Catalogd_catalogd_config_result>(
          [&sources](const auto&) -> Result<std::vector<api::ConfigEntry>> {
            return ListConfiguration(sources.configuration);
          });
}

void ThriftService::AddActs() {
  Operations* operations = operations_;
  methods_["catalogd_wait"] =
      Later<api::Catalogd_catalogd_wait_args, api::Catalogd_catalogd_wait_result>(
          [operations](const auto& args, const auto& done) {
            operations->Wait(args.request, done);
          });
  methods_["catalogd_sync"] =
      Later<api::Catalogd_catalogd_sync_args, api::Catalogd_catalogd_sync_result>(
          [operations](const auto& args, const auto& done) {
            operations->Sync(args.request, done);
          });
  methods_["catalogd_diff"] =
      Later<api::Catalogd_catalogd_diff_args, api::Catalogd_catalogd_diff_result>(
          [operations](const auto& args, const auto& done) {
            operations->Diff(args.request, done);
          });
  methods_["catalogd_deltas"] =
      Later<api::Catalogd_catalogd_deltas_args, api::Catalogd_catalogd_deltas_result>(
          [operations](const auto& args, const auto& done) {
            operations->Deltas(args.request, done);
          });
  methods_["catalogd_events"] =
      Later<api::Catalogd_catalogd_events_args, api::Catalogd_catalogd_events_result>(
          [operations](const auto& args, const auto& done) {
            operations->Events(args.request, done);
          });
  methods_["catalogd_doctor"] =
      Later<api::Catalogd_catalogd_doctor_args, api::Catalogd_catalogd_doctor_result>(
          [operations](const auto&, const auto& done) { operations->Doctor(done); });
  methods_["catalogd_set_read_mode"] =
      Now<api::Catalogd_catalogd_set_read_mode_args, api::Catalogd_catalogd_set_read_mode_result>(
          [operations](const auto& args) { return operations->SetReadMode(args.request); });
  methods_["catalogd_reset"] =
      Now<api::Catalogd_catalogd_reset_args, api::Catalogd_catalogd_reset_result>(
          [operations](const auto& args) { return operations->Reset(args.reason); });
  methods_["catalogd_pause"] =
      Now<api::Catalogd_catalogd_pause_args, api::Catalogd_catalogd_pause_result>(
          [operations](const auto& args) { return operations->Pause(args.paused); });
}

std::vector<std::string> ThriftService::methods() const {
  std::vector<std::string> names;
  for (const auto& [name, method] : methods_) names.push_back(name);
  return names;
}

void ThriftService::Handle(std::string_view message, Reply reply) const {
  const auto header = wire::ParseMessageHeader(message);
  if (!header) return reply("");
  const auto method = methods_.find(header->method);
  if (method == methods_.end()) {
    return reply(wire::EncodeApplicationError(
        header->method, header->sequence_id, wire::ApplicationError::kUnknownMethod,
        "Invalid method name: '" + std::string(header->method) + "'"));
  }
  method->second({std::string(header->method), header->sequence_id,
                  std::string(message.substr(header->body)), std::move(reply)});
}

}  // namespace catalogd::daemon
