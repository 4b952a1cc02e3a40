#pragma once

#include <string_view>
#include <vector>

#include "catalog/sync/struct_diff.h"
#include "tests/replay/object_key.h"

namespace catalogd::replay {

using sync::Canonical;
using sync::Difference;

std::vector<Difference> DiffStructs(ObjectKind kind, std::string_view left, std::string_view right);

}  // namespace catalogd::replay
