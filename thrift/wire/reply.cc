#include "thrift/wire/reply.h"

#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

namespace catalogd::wire {

bool IsUnknownMethod(std::string_view reply) {
  const auto header = ParseMessageHeader(reply);
  return header && header->type == MessageType::kException &&
         StructView(reply.substr(header->body)).I32(2) ==
             static_cast<int32_t>(ApplicationError::kUnknownMethod);
}

bool IsSuccess(std::string_view reply) {
  const auto header = ParseMessageHeader(reply);
  if (!header || header->type != MessageType::kReply) return false;
  const auto first = StructView(reply.substr(header->body)).Begin().Next();
  return !first || first->id == 0;
}

}  // namespace catalogd::wire
