#include "catalog/endpoint/call.h"

#include <utility>

#include "catalog/endpoint/names_in.h"
#include "catalog/endpoint/read_request.h"
#include "thrift/wire/write.h"

namespace catalogd::endpoint {
namespace {

constexpr size_t kNamesShown = 3;

wire::MessageHeader HeaderOf(std::string_view message) {
  // The server has checked the message.
  const auto header = wire::ParseMessageHeader(message);
  return header ? *header : wire::MessageHeader{};
}

std::vector<ObjectName> NamesOf(const Call& call) {
  if (call.row == nullptr) return {};
  if (call.row->kind == Kind::kCachedRead || call.row->kind == Kind::kSideRead) {
    const auto request = ParseRead(call.row->read, call.Arguments(), hms::Generation::kHive4);
    if (!request || request->target.db().empty()) return {};
    return {request->target};
  }
  return NamesIn(*call.row, call.Arguments());
}

}  // namespace

Call::Call(std::shared_ptr<server::Session> of_session, SessionState* of_state,
           const MethodRow* of_row, std::string_view bytes)
    : session(std::move(of_session)),
      state(of_state),
      row(of_row),
      message(bytes),
      header(HeaderOf(message)) {}

std::string InternalError(const wire::MessageHeader& header, std::string_view text) {
  return wire::EncodeApplicationError(header.method, header.sequence_id,
                                      wire::ApplicationError::kInternalError, text);
}

std::string ErrorReply(const MethodRow* row, const wire::MessageHeader& header,
                       std::string_view text) {
  if (row == nullptr || row->meta_exception == 0) return InternalError(header, text);
  return wire::EncodeExceptionReply(header.method, header.sequence_id, row->meta_exception, text);
}

std::string ErrorReply(const Call& call, std::string_view text) {
  return ErrorReply(call.row, call.header, text);
}

bool HasValue(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  return header && header->type == wire::MessageType::kReply &&
         wire::StructView(reply.substr(header->body)).Find(0).has_value();
}

std::string Describe(const Call& call) {
  std::string text(call.header.method);
  const std::vector<ObjectName> names = NamesOf(call);
  for (size_t i = 0; i < names.size() && i < kNamesShown; ++i) {
    text += (i == 0 ? " " : ", ") + names[i].ToString();
  }
  if (names.size() > kNamesShown) text += ", ...";
  return text;
}

}  // namespace catalogd::endpoint
