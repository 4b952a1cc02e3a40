#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catalog/endpoint/method_table.h"
#include "catalog/endpoint/session_state.h"
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

// An answer as a client of an older release can read it; absent when it can already.
std::optional<std::string> ReadableTo(ClientRelease release, Unreadable unreadable,
                                      std::string_view reply);
// Locks of a type that clients before Hive 4 do not know make all of the list unreadable to them:
// they are left out.
std::optional<std::string> WithoutNewLocks(std::string_view reply);
// Open transactions are a set to Hive 2 and a list to the others, under one number: both are given,
// as each skips what has another type than it knows.
std::optional<std::string> WithSetOfTxns(std::string_view reply);

// GetOpenTxnsResponse, with both, out of a GetOpenTxnsInfoResponse.
std::optional<std::string> OpenTxnsOf(const wire::StructView& info);

}  // namespace catalogd::endpoint
