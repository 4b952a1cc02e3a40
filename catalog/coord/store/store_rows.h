#pragma once

#include "catalog/coord/store/records.h"
#include "catalog/sqlite/sqlite_db.h"

namespace catalogd::coord {

// One change, within the caller's transaction; `audit_rows` are kept of the audit.
// Errors: kConflict for what would break an invariant; those of SqliteDb.
Status WriteChange(SqliteDb& db, const StoreChange& change, int64_t audit_rows);

// Parts of WriteChange.
Status Forget(SqliteDb& db, const UndoFiles& undo);
Status Forget(SqliteDb& db, const ForgetTxn& txn);
Status Forget(SqliteDb& db, const ForgetPlan& plan);
Status Forget(SqliteDb& db, const ForgetHistory& history);
Status Forget(SqliteDb& db, const ForgetTable& table);

// Everything that is there. Errors: kCorrupt for rows that make no sense; those of SqliteDb.
Result<StoreContent> ReadAll(SqliteDb& db);
Result<StoreContent> ReadOneTable(SqliteDb& db, const std::string& table_id);
// Newest first; of one table unless `table_id` is empty.
Result<std::vector<AuditRecord>> ReadAudit(SqliteDb& db, const std::string& table_id,
                                           int64_t at_most);

}  // namespace catalogd::coord
