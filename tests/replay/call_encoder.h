#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "catalog/base/result.h"
#include "tests/replay/idl_facts.h"

namespace catalogd::replay {

// The Thrift message of a call whose arguments are JSON with the IDL's names. Null is not sent.
// Maps may be lists of pairs, binary may be {"base64": ...}.
// Errors: kCorrupt, with the path: a name or type that the IDL does not have.
Result<std::string> EncodeCallFromJson(const IdlFacts& facts, const std::string& method,
                                       const nlohmann::json& arguments);

}  // namespace catalogd::replay
