#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace catalogd::api {
class ConfigEntry;
class DaemonStatus;
class DeltaInfo;
class DiffEntry;
class DoctorReport;
class EventInfo;
class LockInfo;
class ObjectInfo;
class ObjectList;
class ObjectSummary;
class WaitResult;

// The structs of catalogd.thrift as JSON: one form for web pages and the command line.
//
// Field names are those of the struct; times of day lose their _ms and become UTC text.
// Thread safety: pure functions.
nlohmann::json ToJson(const DaemonStatus& status);
nlohmann::json ToJson(const ObjectSummary& object);
nlohmann::json ToJson(const ObjectInfo& object);
nlohmann::json ToJson(const ObjectList& list);
nlohmann::json ToJson(const WaitResult& result);
nlohmann::json ToJson(const EventInfo& event);
nlohmann::json ToJson(const DoctorReport& report);
nlohmann::json ToJson(const LockInfo& lock);
nlohmann::json ToJson(const ConfigEntry& entry);
nlohmann::json ToJson(const DiffEntry& entry);
// Without the object's bytes.
nlohmann::json ToJson(const DeltaInfo& delta);

template <class T>
nlohmann::json ListToJson(const std::vector<T>& list);

// "2026-11-30T04:15:02.123Z"; empty for 0.
std::string TimeText(int64_t milliseconds_since_1970);
// JSON text for people and programs; bytes that are not UTF-8 become replacement characters.
std::string DumpJson(const nlohmann::json& value);
// The same in one line, without its end.
std::string DumpJsonLine(const nlohmann::json& value);

}  // namespace catalogd::api
