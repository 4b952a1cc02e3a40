#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thrift/wire/types.h"

// Differences of two structs in Thrift binary, told by what they mean: the order of fields, of map
// entries and of set elements does not count. No field is skipped, known or not; names are only for
// reading. Pure. REQUIRES: well-formed bytes (wire::ValueLength).
namespace catalogd::sync {

// Only for the names of members.
enum class StructKind { kOther, kDatabase, kTable, kPartition };

struct Difference {
  std::string path;     // "sd.cols[].name", "parameters{numRows}", "#99" for a field without name.
  std::string generic;  // The same with every map key as "*".
  std::string left;     // Short texts; "absent" when there is no such field or entry.
  std::string right;
};

std::vector<Difference> DiffStructs(StructKind kind, std::string_view left, std::string_view right);

// Equal texts for values that are equal in the sense above.
std::string Canonical(wire::TType type, std::string_view value);

}  // namespace catalogd::sync
