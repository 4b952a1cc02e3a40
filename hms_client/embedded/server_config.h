#pragma once

#include <map>
#include <string>

#include "catalog/base/result.h"

// The settings of the embedded metastore as clients can ask for them.
namespace catalogd::hms {

// A key with the prefix hive. or metastore. is looked up under both; an unknown key has the
// default given. Errors: kPermission for keys outside (hive|hdfs|mapred|metastore).
Result<std::string> ConfigValue(const std::string& key, const std::string& default_value,
                                const std::string& warehouse_root);

// Settings of one connection. Errors: kConflict for keys that cannot be set that way.
using MetaConfMap = std::map<std::string, std::string>;
Result<std::string> MetaConf(const MetaConfMap& set, const std::string& key);
Status SetMetaConf(MetaConfMap* set, const std::string& key, const std::string& value);

}  // namespace catalogd::hms
