#pragma once

#include <cstdint>

#include "catalog/base/result.h"
#include "catalog/sqlite/sqlite_db.h"

// The tables of the embedded metastore and how older files are brought up to date.
namespace catalogd::hms {

// Version of the tables that this build writes (PRAGMA user_version).
inline constexpr int kSchemaVersion = 2;
// "catd": tells our files from other SQLite files (PRAGMA application_id).
inline constexpr int64_t kApplicationId = 0x63617464;

// Creates or upgrades the tables, in one transaction; checks the file first.
// Errors: kCorrupt (damaged, or another program's file), kUnsupported (written by a newer build),
// and those of SqliteDb.
Status PrepareSchema(SqliteDb& db, bool check_integrity);

}  // namespace catalogd::hms
