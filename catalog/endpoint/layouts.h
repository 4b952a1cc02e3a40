#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hms_client/metastore.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/view.h"

// Structs whose layout differs between releases, so that one side cannot read the other. Pure.
// Fields: tools/idl/hms_idl_facts.tsv.gz.
namespace catalogd::endpoint {

// What fire_listener_event says of an INSERT has other field numbers in Hive 2. The same call as
// `generation` reads it; absent when it is so already, or says what has no place there.
std::optional<std::string> InsertEventFor(hms::Generation generation,
                                          const wire::MessageHeader& header,
                                          const wire::StructView& arguments);

// An answer to show_locks without the locks of a type that clients before Hive 4 do not know, which
// make all of it unreadable to them; absent when there are none.
std::optional<std::string> WithoutNewLocks(std::string_view reply);

}  // namespace catalogd::endpoint
