#pragma once

#include "catalog/sqlite/sqlite_db.h"

namespace catalogd::coord {

// Version of the tables that this build writes (PRAGMA user_version).
inline constexpr int kStoreVersion = 3;

// Makes the tables of an empty file, upgrades those of an older version, refuses what is not ours,
// newer or damaged.
Status PrepareStore(SqliteDb& db);

}  // namespace catalogd::coord
