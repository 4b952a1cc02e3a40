#include "hms_client/left_behind.h"

#include "thrift/wire/reply.h"
#include "thrift/wire/scan.h"

namespace catalogd::hms {

bool MayLeaveBehind(std::string_view reply) {
  const auto header = wire::ParseMessageHeader(reply);
  if (!header || header->method.starts_with("get")) return false;
  return !wire::IsSuccess(reply) && !wire::IsUnknownMethod(reply);
}

}  // namespace catalogd::hms
