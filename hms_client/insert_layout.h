#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "thrift/wire/view.h"

// What fire_listener_event says of an INSERT: Hive 2 numbers the files 1 and their checksums 2,
// later releases 2 and 3, after a flag `replace`. Pure functions.
// Fields: tools/idl/hms_idl_facts.tsv.gz (InsertEventRequestData).
namespace catalogd::hms {

enum class InsertLayout { kHive2, kLater };

// The arguments in the other layout. Absent when they are in this one already, are of no INSERT, or
// say what has no place there.
std::optional<std::string> InsertEventIn(InsertLayout layout, const wire::StructView& arguments);

}  // namespace catalogd::hms
