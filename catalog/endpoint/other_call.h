#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hms_client/metastore.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

// A call in the words of another release: those of Hive 4 clients for Hive 2 and 3, and those that
// later releases of Hive 4 have dropped. No client tries another method after an unknown one. Only
// where the other call says all that this one does. Pure; the table: call_rows.cc.
namespace catalogd::endpoint {

struct CallRow;

struct OtherCall {
  std::string_view method;
  std::string message;
  const CallRow* row = nullptr;
};

// Metastores that are known to lack what Hive 4 has.
inline bool NeedsOlderCalls(hms::Generation generation) {
  return generation == hms::Generation::kHive2 || generation == hms::Generation::kHive3;
}

// Absent for a method that needs no other words, and for a request that has none in `generation`.
std::optional<OtherCall> ToOlder(const wire::MessageHeader& header,
                                 const wire::StructView& arguments, hms::Generation generation);
// The successor's call for one that was dropped; absent for others, and when it is broken.
bool MayBeDropped(std::string_view method);
std::optional<OtherCall> ToNewer(const wire::MessageHeader& header,
                                 const wire::StructView& arguments);
// The answer to the call out of the one to the other call.
std::string FromOther(const wire::MessageHeader& header, const OtherCall& call,
                      std::string_view reply);

// Hive 3 clients say "@hive#sales" where Hive 2 looks for "sales". The same call with plain names;
// absent when it names no catalog, or another one than Hive 2 has.
std::optional<std::string> WithoutCatalog(const wire::MessageHeader& header,
                                          const wire::StructView& arguments);

// How older metastores read a database's name and its catalog from one argument; a whole call whose
// first argument may be such a name.
std::string OldStyleName(std::string_view catalog, std::string_view db, hms::Generation generation);
std::string OlderMessage(std::string_view method, const wire::MessageHeader& header,
                         std::string_view arguments, hms::Generation generation);
// Of requests: whether that metastore has the catalog at all.
bool HasCatalog(std::string_view catalog, hms::Generation generation);

}  // namespace catalogd::endpoint
