#include "hms_client/left_behind.h"

#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"
#include "thrift/wire/write.h"

namespace catalogd::hms {

bool MayLeaveBehind(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header || header->method.starts_with("get")) return false;
  const wire::StructView body(reply.substr(header->body));
  if (header->type == wire::MessageType::kException) {
    return body.I32(2) != static_cast<int32_t>(wire::ApplicationError::kUnknownMethod);
  }
  const auto first = body.Begin().Next();
  return first && first->id != 0;
}

}  // namespace catalogd::hms
