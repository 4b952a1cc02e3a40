#pragma once

#include <cstddef>
#include <string_view>

#include "thrift/wire/view.h"

namespace catalogd::sync {

class StructFields;

// Whether the texts of an object fit into the columns of the metastore's database. Where one does
// not, an alter may be answered as done and its image be written into the log, while the metastore
// keeps what it had, of this text or of more.
// Limits: the smallest of the schemas for Derby, MySQL and Postgres from Hive 2.3 on; in bytes,
// which are at least as many as the characters that some of them count.
struct ColumnLimits {
  size_t name;
  size_t type;
  size_t comment;
};
inline constexpr size_t kLongTextLimit = (size_t{1} << 24U) - 1;
inline constexpr ColumnLimits kColumnLimits = {767, kLongTextLimit, 256};
inline constexpr ColumnLimits kPartitionKeyLimits = {128, 767, 4000};
inline constexpr size_t kPartitionParameterLimit = 4000;
inline constexpr size_t kPartitionNameLimit = 767;
inline constexpr size_t kPartitionValueLimit = 255;

// One FieldSchema.
bool ColumnFits(std::string_view column, const ColumnLimits& limits);
// A StorageDescriptor, but for its columns.
bool StorageFits(const StructFields& storage);
// The members of a Table that are its own: neither its storage nor its keys.
bool TableFits(const StructFields& table);
// A map of parameters.
bool ParametersFit(const wire::Field& parameters, size_t value_limit);
// A list of strings.
bool ListFits(const wire::Field& list, size_t limit);

}  // namespace catalogd::sync
