#pragma once

#include <string>

#include "catalog/base/result.h"

namespace catalogd::daemon {

// The value of hive.metastore.uris (or metastore.thrift.uris) of a hive-site.xml.
// kNotFound: no such file, or the file does not set it; kInvalidArgument: no XML (text: where).
Result<std::string> ReadMetastoreUris(const std::string& path);

}  // namespace catalogd::daemon
