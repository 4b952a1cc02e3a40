#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hms_client/metastore.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

// Calls of Hive 4 clients in the words of Hive 2 and 3, which lack them: no client tries another
// method after an unknown one. Only where the older call says all that the newer one does. Pure.
// Methods, fields and exceptions: tools/idl/hms_idl_facts.tsv.gz.
namespace catalogd::endpoint {

// How the answer of the newer method is packed.
enum class OlderResult : uint8_t {
  kSame,
  kWrapped,  // A struct with the older answer as field 1.
  kEmpty,    // A struct without fields, where the older method returns nothing.
};

// Metastores that are known to lack what Hive 4 has.
inline bool NeedsOlderCalls(hms::Generation generation) {
  return generation == hms::Generation::kHive2 || generation == hms::Generation::kHive3;
}

struct OlderCall {
  std::string_view method;
  std::string message;
  OlderResult result = OlderResult::kSame;
  bool swaps_exceptions = false;  // The newer method declares the first two the other way round.
};

// Absent for a method that needs no other words, and for a request that has none in `generation`.
std::optional<OlderCall> ToOlder(const wire::MessageHeader& header,
                                 const wire::StructView& arguments, hms::Generation generation);
// The answer to the newer call out of the one to the older call.
std::string FromOlder(const wire::MessageHeader& header, const OlderCall& call,
                      std::string_view reply);

// Hive 3 clients say "@hive#sales" where Hive 2 looks for "sales". The same call with plain names;
// absent when it names no catalog, or another one than Hive 2 has.
std::optional<std::string> WithoutCatalog(const wire::MessageHeader& header,
                                          const wire::StructView& arguments);

}  // namespace catalogd::endpoint
