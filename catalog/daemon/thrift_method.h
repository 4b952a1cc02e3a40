#pragma once

#include <thrift/TApplicationException.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "catalog/base/result.h"
#include "hms_client/channel.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

// One call of a service of the daemon's own: decoding its arguments, encoding its answer. A door to
// generated code: its exceptions end here.
// Thread safety: yes.
namespace catalogd::daemon {

// A message as a method sees it.
struct ThriftCall {
  std::string method;
  int32_t sequence_id = 0;
  std::string arguments;
  hms::Identity caller;
  std::string peer;
  // Called once, on any thread.
  std::function<void(std::string)> reply;
};
using ThriftMethod = std::function<void(ThriftCall call)>;

// Into a place of the caller's: the generated argument structs cannot be moved.
template <class Args>
Status DecodeArguments(const std::string& bytes, Args* args) {
  using apache::thrift::transport::TMemoryBuffer;
  RETURN_IF_ERROR(wire::CheckElements(bytes));
  try {
    auto buffer = std::make_shared<TMemoryBuffer>();
    buffer->write(reinterpret_cast<const uint8_t*>(bytes.data()),
                  static_cast<uint32_t>(bytes.size()));
    apache::thrift::protocol::TBinaryProtocol protocol(buffer);
    args->read(&protocol);
    return Ok();
  } catch (const apache::thrift::TException& error) {
    return MakeError(ErrorCode::kInvalidArgument, error.what());
  }
}

template <class Outcome>
std::string EncodeOutcome(const std::string& method, int32_t sequence_id, const Outcome& outcome) {
  try {
    auto buffer = std::make_shared<apache::thrift::transport::TMemoryBuffer>();
    apache::thrift::protocol::TBinaryProtocol protocol(buffer);
    protocol.writeMessageBegin(method, apache::thrift::protocol::T_REPLY, sequence_id);
    outcome.write(&protocol);
    protocol.writeMessageEnd();
    return buffer->getBufferAsString();
  } catch (const apache::thrift::TException& error) {
    return wire::EncodeApplicationError(method, sequence_id, wire::ApplicationError::kInternalError,
                                        error.what());
  }
}

// Answers `call` with a Result<Success>-like value; a failure becomes the declared exception by
// `FillException(failure, &outcome.e)`.
template <class Outcome, class ResultOfCall>
void AnswerCall(const ThriftCall& call, ResultOfCall result) {
  Outcome outcome;
  if (result) {
    // The generated setters of result structs are declared and not defined.
    outcome.success = std::move(*result);
    outcome.__isset.success = true;
  } else {
    FillException(result.error(), &outcome.e);
    outcome.__isset.e = true;
  }
  call.reply(EncodeOutcome(call.method, call.sequence_id, outcome));
}

// A method as it comes: body(call, args), with `args` in a place of its own that the body may keep.
template <class Args, class Body>
ThriftMethod MethodOf(Body body) {
  return [body = std::move(body)](ThriftCall call) {
    const auto args = std::make_shared<Args>();
    const Status decoded = DecodeArguments(call.arguments, args.get());
    if (!decoded) {
      return call.reply(wire::EncodeApplicationError(call.method, call.sequence_id,
                                                     wire::ApplicationError::kProtocolError,
                                                     decoded.error().message));
    }
    body(std::move(call), args);
  };
}

// A method whose answer comes through a callback: body(args, done) with done(Result<Success>).
template <class Args, class Outcome, class Body>
ThriftMethod Later(Body body) {
  return MethodOf<Args>([body = std::move(body)](ThriftCall call,
                                                 const std::shared_ptr<Args>& args) {
    body(*args,
         [call = std::move(call)](auto result) { AnswerCall<Outcome>(call, std::move(result)); });
  });
}

// A method that answers at once: body(args) -> Result<Success>.
template <class Args, class Outcome, class Body>
ThriftMethod Now(Body body) {
  return Later<Args, Outcome>(
      [body = std::move(body)](const Args& args, const auto& done) { done(body(args)); });
}

}  // namespace catalogd::daemon
