#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/endpoint/method_table.h"
#include "catalog/endpoint/name_glob.h"
#include "hms_client/filter/like_pattern.h"
#include "thrift/wire/view.h"

namespace catalogd::endpoint {

// What a read asks for, once everything in the request has been understood.
// The views point into the message.
struct ReadRequest {
  // The table, or the database; for lists of databases only the catalog counts.
  ObjectName target;
  // As the client wrote them: the metastore's own error texts repeat them.
  std::string_view catalog_text;
  std::string_view db_text;
  std::string_view table_text;
  std::vector<std::string> list;  // Table names, partition names, values.
  std::string_view text;          // Partition name or filter.
  std::optional<NameGlob> names;  // Of lists of names: those that are wanted; absent: all.
  int64_t max = -1;               // Negative: all.
  // In which its patterns are written, where the client is known to write another dialect than the
  // metastore reads.
  std::optional<hms::LikeDialect> like;
};

// Absent when something in it is missing or not understood: the metastore must answer then.
std::optional<ReadRequest> ParseRead(const ReadSpec& spec, const wire::StructView& arguments,
                                     hms::Generation generation);

}  // namespace catalogd::endpoint
