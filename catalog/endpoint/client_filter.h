#pragma once

#include <optional>
#include <string>

#include "catalog/endpoint/method_table.h"
#include "catalog/endpoint/session_state.h"
#include "hms_client/filter/like_pattern.h"
#include "hms_client/metastore.h"
#include "thrift/wire/view.h"

// LIKE in the filters of clients: those of Hive 2 and 3 write "x.*" for what those of Hive 4 call
// "x%", and metastores of the other dialect find nothing, without an error. Pure.
namespace catalogd::endpoint {

// What metastores of that generation read; absent when it is not known.
std::optional<hms::LikeDialect> DialectOf(hms::Generation generation);

// What the client writes in this call, where that is known and not what the metastore reads.
std::optional<hms::LikeDialect> ForeignDialect(const MethodRow& row, ClientRelease release,
                                               hms::Generation generation);

// The arguments with the filter in the metastore's dialect; absent where they are so already, and
// where that cannot be said exactly.
std::optional<std::string> FilterForServer(const MethodRow& row, const wire::StructView& arguments,
                                           ClientRelease release, hms::Generation generation);

}  // namespace catalogd::endpoint
