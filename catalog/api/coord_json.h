#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace catalogd::api {
class ClaimedPlan;
class ConflictInfo;
class CoordTable;
class FileSliceInfo;
class FileSlicePage;
class FsckReport;
class IncrementalResult;
class PlanInfo;
class ScheduledPlan;
class TxnInfo;
class VersionInfo;

// The structs of catalogd_coord.thrift as JSON, in the form that api_json.h has: names of fields
// are those of the struct, times of day lose their _ms and become UTC text. Durations keep it.
// Thread safety: pure functions.
nlohmann::json ToJson(const CoordTable& table);
nlohmann::json ToJson(const TxnInfo& txn);
nlohmann::json ToJson(const PlanInfo& plan);
nlohmann::json ToJson(const ClaimedPlan& claimed);
nlohmann::json ToJson(const ScheduledPlan& scheduled);
nlohmann::json ToJson(const FileSliceInfo& slice);
nlohmann::json ToJson(const FileSlicePage& page);
nlohmann::json ToJson(const IncrementalResult& result);
nlohmann::json ToJson(const VersionInfo& version);
nlohmann::json ToJson(const ConflictInfo& conflict);
nlohmann::json ToJson(const FsckReport& report);

template <class T>
nlohmann::json CoordListToJson(const std::vector<T>& list);

}  // namespace catalogd::api
