#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/result.h"
#include "hms_client/metastore.h"

namespace catalogd::scenario {

// What a client sends for one command of a script.
struct ClientCall {
  std::string method;
  std::string message;
  int32_t sequence_id = 0;
};

// "create-table db1.t1 id,name keys=dt" as a Thrift message. Changes of objects are changes of what
// `truth` has, as of a client that has just read it. kInvalidArgument: not a call.
Result<ClientCall> MakeClientCall(const std::vector<std::string>& words, hms::Metastore& truth);

// What the client gets: "ok", the object or names in words, or "SomeException: text".
std::string DescribeReply(const ClientCall& call, std::string_view reply);

}  // namespace catalogd::scenario
