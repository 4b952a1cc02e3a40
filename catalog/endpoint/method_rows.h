#pragma once

#include <span>

#include "catalog/endpoint/method_table.h"

// How the rows of the method table are written down. Internal to catalog/endpoint.
namespace catalogd::endpoint {

using Announcements = std::array<ddl::Announced, 3>;  // On Hive 2, 3, 4.

constexpr ddl::Announced kYes = ddl::Announced::kAlways;
constexpr ddl::Announced kSome = ddl::Announced::kSometimes;
constexpr ddl::Announced kNo = ddl::Announced::kNever;
constexpr Announcements kAnnounced = {kYes, kYes, kYes};
constexpr Announcements kSilent = {kNo, kNo, kNo};
// Column statistics: the table or partition changes, and only Hive 4 says so.
constexpr Announcements kStatistics = {kNo, kNo, kYes};
// Functions come and go with events, and are altered without.
constexpr Announcements kFunctions = {kSome, kSome, kSome};
// Partitions: before Hive 4 column statistics change them and nobody says so.
constexpr Announcements kPartitionsTold = {kSome, kSome, kYes};
// Indexes of Hive 2 come and go with tables of their own, of which its log does not tell all.
constexpr Announcements kTablesTold = {kNo, kYes, kYes};
constexpr Announcements kTablesSometimesTold = {kNo, kSome, kYes};
// Primary, foreign and unique keys, NOT NULL; the other constraints.
constexpr Announcements kKeys = {kNo, kYes, kYes};
constexpr Announcements kOtherConstraints = {kNo, kNo, kYes};

// Argument numbers of an old-style call.
constexpr NamePath Args(int16_t db, int16_t table = 0) { return {{}, 0, db, table}; }
// Field numbers of the struct that is argument 1.
constexpr NamePath Request(int16_t catalog, int16_t db, int16_t table = 0) {
  return {{1}, catalog, db, table};
}
// Table, Partition and Database structs (or lists of them) at the end of a way.
constexpr NamePath TableAt(int16_t first, int16_t second = 0) {
  return {{first, second}, 17, 2, 1};
}
constexpr NamePath PartitionAt(int16_t first) { return {{first}, 9, 2, 3}; }
constexpr NamePath DatabaseAt(int16_t first) { return {{first}, 8, 1, 0}; }
// A catalog's name is field 1 of what is at the end of the way.
constexpr NamePath DefaultDatabaseOf(std::array<int16_t, 3> way) {
  return {way, 1, NamePath::kDefaultDatabase, 0};
}
// ColumnStatisticsDesc.
constexpr NamePath StatisticsAt(int16_t first, int16_t second, int16_t third = 0) {
  return {{first, second, third}, 6, 2, 3};
}

constexpr MethodRow Write(std::string_view name, int16_t meta, Announcements announced,
                          NamePath first = {}, NamePath second = {}) {
  return {name, Kind::kWrite, meta, {first, second}, announced, {}, {}};
}
constexpr MethodRow Cached(std::string_view name, int16_t meta, ReadSpec read) {
  return {name, Kind::kCachedRead, meta, {}, {}, read, {}};
}
constexpr MethodRow Side(std::string_view name, int16_t meta, Announcements announced,
                         SideSpec side, ReadSpec read) {
  return {name, Kind::kSideRead, meta, {}, announced, read, side};
}
constexpr MethodRow Side(std::string_view name, int16_t meta, Announcements announced,
                         sync::SideKind kind, ReadSpec read) {
  return Side(name, meta, announced, SideSpec{.kind = kind}, read);
}
// What partitions and their values are, in ways of which the cache knows nothing.
constexpr MethodRow Content(std::string_view name, int16_t meta, ReadSpec read) {
  return Side(name, meta, kPartitionsTold, sync::SideKind::kContent, read);
}
constexpr MethodRow Schema(std::string_view name, ReadSpec read) {
  return Side(name, 1, kAnnounced, sync::SideKind::kSchema, read);
}
constexpr MethodRow Read(std::string_view name, int16_t meta) {
  return {name, Kind::kPassRead, meta, {}, {}, {}, {}};
}
constexpr MethodRow Pass(std::string_view name, int16_t meta) {
  return {name, Kind::kPassThrough, meta, {}, {}, {}, {}};
}
constexpr MethodRow OfSession(std::string_view name, int16_t meta) {
  return {name, Kind::kSession, meta, {}, {}, {}, {}};
}
// Methods that came with Hive 4; those that its clients do not call, as the first release of it has
// others instead.
constexpr MethodRow Hive4(MethodRow row) {
  row.callers = Callers::kHive4;
  return row;
}
constexpr MethodRow Older(MethodRow row) {
  row.callers = Callers::kOlder;
  return row;
}
constexpr MethodRow With(Unreadable unreadable, MethodRow row) {
  row.unreadable = unreadable;
  return row;
}
constexpr MethodRow Urgent(MethodRow row) {
  row.urgent = true;
  return row;
}
constexpr MethodRow WithFilter(int16_t field, MethodRow row) {
  row.filter = field;
  return row;
}

std::span<const MethodRow> ObjectRows();      // Catalogs, databases, tables, functions.
std::span<const MethodRow> PartitionRows();   // Partitions.
std::span<const MethodRow> StatisticsRows();  // Statistics and constraints.
std::span<const MethodRow> OtherRows();       // Everything that no cached object depends on.

}  // namespace catalogd::endpoint
