#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hms_client/embedded/operations.h"

// Functions: kept for clients, never run. Names are looked up without letter case.
// Errors: as operations.h.
namespace catalogd::hms::ops {

Status CreateFunction(Store& store, api::Function function);
Status DropFunction(Store& store, const CalledName& db, const std::string& name);
// Name, class, owner and type; writes no event.
Status AlterFunction(Store& store, const CalledName& db, const std::string& name,
                     const api::Function& next);
Result<api::Function> GetFunction(Store& store, const CalledName& db, const std::string& name);
// No database: of all. No pattern: all.
Result<std::vector<api::Function>> ListFunctions(Store& store, const std::optional<CalledName>& db,
                                                 const std::optional<std::string>& pattern);

// --- For the dropping of databases
Result<std::vector<api::Function>> FunctionsOf(Rows& rows, const std::string& db);
Status DropFunctionsIn(Writer& writer, const std::string& db);

}  // namespace catalogd::hms::ops
