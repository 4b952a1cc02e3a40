#pragma once

#include <map>
#include <string>
#include <vector>

#include "catalogd_idl/catalogd_types.h"

// What people read: the same data as --json, aligned and in few words. Pure functions.
namespace catalogd::ctl {

std::string Text(const api::DaemonStatus& status);
std::string Text(const api::ObjectInfo& object);
std::string Text(const api::ObjectList& list);
std::string Text(const api::WaitResult& result);
std::string Text(const api::DoctorReport& report);
std::string Text(const std::vector<api::EventInfo>& events);
std::string Text(const std::vector<api::LockInfo>& locks);
std::string Text(const std::vector<api::ConfigEntry>& entries);
// Entries that are not equal, and how many there are of each outcome.
std::string Text(const std::vector<api::DiffEntry>& entries,
                 const std::map<std::string, int64_t>& counts);
// One line without its end, for output that goes on.
std::string Text(const api::DeltaInfo& delta);
std::string LineOf(const api::EventInfo& event);

// Rows under a heading, columns as wide as their longest cell, two spaces apart.
std::string Table(const std::vector<std::string>& heading,
                  const std::vector<std::vector<std::string>>& rows);

}  // namespace catalogd::ctl
