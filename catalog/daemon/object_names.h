#pragma once

#include <string_view>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/base/result.h"

namespace catalogd::sync {
class SyncCore;
}

// Names as people and links write them. Names with dots in them can be read in several ways; what
// is there decides, so every name that the daemon prints is understood when it comes back.
namespace catalogd::daemon {

// Every way to read the text, the usual one (ParseObjectName) first. Pure.
std::vector<ObjectName> ReadingsOf(std::string_view text);
// The first reading that the cache knows; where it knows none, the usual one. kInvalidArgument as
// ParseObjectName.
Result<ObjectName> ResolveName(sync::SyncCore* core, std::string_view text);

}  // namespace catalogd::daemon
