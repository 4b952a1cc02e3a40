#pragma once

#include "catalog/coord/store/records.h"
#include "catalog/sqlite/sqlite_db.h"

namespace catalogd::coord {

// One change, within the caller's transaction.
// Errors: kConflict for what would break an invariant; those of SqliteDb.
Status WriteChange(SqliteDb& db, const StoreChange& change);

// Everything that is there. Errors: kCorrupt for rows that make no sense; those of SqliteDb.
Result<StoreContent> ReadAll(SqliteDb& db);
Result<StoreContent> ReadOneTable(SqliteDb& db, const std::string& table_id);

}  // namespace catalogd::coord
