#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "catalog/ddl/ddl_executor.h"
#include "catalog/sync/side_answers.h"
#include "hms_client/metastore.h"

// One row for every method of the metastore's service: what the endpoint does with it and where in
// the arguments the names sit. Facts: tools/idl/hms_idl_facts.tsv.gz (a test compares); which
// writes are announced in the log was measured on real servers.
namespace catalogd::endpoint {

enum class Kind : uint8_t {
  kCachedRead,   // Answered from the cache when exact, else passed through.
  kSideRead,     // The metastore's own answer, while nothing says that it is stale.
  kPassRead,     // Reads objects or the log: passed through, and the session has seen that state.
  kPassThrough,  // Changes no cached object and shows none (locks, transactions, grants, ...).
  kWrite,        // Runs through the DDL skeleton.
  kSession,      // State of the connection: set_ugi, metaconf, shutdown.
};
std::string_view KindName(Kind kind);
inline constexpr int kKindCount = static_cast<int>(Kind::kSession) + 1;

// Where one or many names sit: the way from the arguments to the struct that holds them, and the
// fields there. The way leads through structs and through lists (then: the names of all elements).
struct NamePath {
  static constexpr int16_t kDefaultDatabase = -1;  // `db`: the catalog's database "default".
  std::array<int16_t, 3> way{};                    // 0 ends it.
  // 0: `db` is an old-style argument that may say "@catalog#db".
  int16_t catalog = 0;
  int16_t db = 0;     // 0: the path is not used.
  int16_t table = 0;  // 0: the name of the database itself.
};

enum class ReadShape : uint8_t {
  kNone,  // Also of side reads: only the target counts.
  kTable,
  kTables,  // By name.
  kDatabase,
  kDatabaseNames,
  kTableNames,
  kPartition,  // By values.
  kPartitionByName,
  kPartitions,  // The first ones, or all.
  kPartitionNames,
  kPartitionsByNames,
  kPartitionsPs,  // By the first values.
  kPartitionNamesPs,
  kPartitionsByFilter,
  kPartitionCount,  // By filter.
};

// How the answer is packed.
enum class ReadResult : uint8_t {
  kPlain,    // The object or list itself.
  kWrapped,  // A struct with it as field 1.
};

constexpr uint32_t FieldBit(int id) { return uint32_t{1} << static_cast<unsigned>(id); }

// What a cached read understands of its request. A field that is not named here, or has another
// type, passes the request on.
struct ReadSpec {
  ReadShape shape = ReadShape::kNone;
  ReadResult result = ReadResult::kPlain;
  bool request = false;  // The fields are those of a request struct, argument 1.
  int16_t catalog = 0;   // 0: `db` is an old-style argument.
  int16_t db = 0;
  int16_t table = 0;
  int16_t list = 0;  // Names or values: list<string>; pattern, partition name or filter: string.
  int16_t max = 0;
  uint32_t any = 0;        // Fields that change nothing in what the cache serves.
  uint32_t neutral = 0;    // Fields understood as long as they are false, empty or negative.
  int16_t not_found = 0;   // Where the method declares NoSuchObjectException.
  bool with_auth = false;  // Adds privileges to tables with PARTITION_LEVEL_PRIVILEGE.
};

// What else is to be known of a side read.
struct SideSpec {
  sync::SideKind kind{};
  bool db_is_pattern = false;      // It may be one name; any other may mean any database.
  bool names_parent = false;       // Fields 1 and 2 name the other table of a foreign key.
  bool keys_among_others = false;  // Its answer holds the foreign keys with other constraints.
  bool is_aggregate = false;       // Some servers keep such answers themselves.
};

// What clients of some release cannot read in the answer (layouts.h).
enum class Unreadable : uint8_t { kNothing, kNewLocks, kListOfTxns };

// Whose clients call a method: what they do not call tells of which release they are.
enum class Callers : uint8_t { kAll, kOlder, kHive4 };

struct MethodRow {
  std::string_view name;
  Kind kind = Kind::kPassThrough;
  // Where the method declares MetaException; 0: it does not, or not in all versions.
  int16_t meta_exception = 0;
  // Writes: what is locked. Empty: not known, or too much to name; everything is caught up then.
  std::array<NamePath, 2> names{};
  // Writes: whether the log of Hive 2, 3, 4 tells. Side reads: whether it tells that the answer is
  // another one; never: such answers are not kept.
  std::array<ddl::Announced, 3> announced{};
  ReadSpec read{};
  SideSpec side{};  // Side reads only.
  Callers callers = Callers::kAll;
  // A filter over partitions: an argument, or a field of the request as `read` says.
  int16_t filter = 0;
  Unreadable unreadable = Unreadable::kNothing;
  // Keeps alive, or frees, what calls of others or of the same user depend on: it never waits for a
  // turn (turns.h).
  bool urgent = false;

  [[nodiscard]] ddl::Announced AnnouncedOn(hms::Generation generation) const;
};

// All rows, in no particular order. Thread safety: immutable.
class MethodTable {
 public:
  static const MethodTable& Get();
  // Null for a method that is not in the table: a write of which nothing is known.
  [[nodiscard]] const MethodRow* Find(std::string_view method) const;
  [[nodiscard]] std::span<const MethodRow> rows() const { return rows_; }
  [[nodiscard]] size_t IndexOf(const MethodRow& row) const {
    return static_cast<size_t>(&row - rows_.data());
  }

 private:
  MethodTable();
  [[nodiscard]] size_t Slot(std::string_view method) const;

  std::vector<MethodRow> rows_;
  std::vector<const MethodRow*> slots_;  // Open addressing; a power of two.
};

}  // namespace catalogd::endpoint
