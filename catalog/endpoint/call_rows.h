#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "catalog/endpoint/method_table.h"

// Which fields of a newer request become which arguments of an older call, and the other way round.
// Internal. Methods, fields and exceptions: tools/idl/hms_idl_facts.tsv.gz.
namespace catalogd::endpoint {

// How the answer of the newer method is packed.
enum class CallResult : uint8_t {
  kSame,
  kWrapped,   // A struct with the older answer as field 1.
  kEmpty,     // A struct without fields, where the older method returns nothing.
  kOpenTxns,  // Numbers of transactions, where the older one tells more of each.
};

enum class ArgumentSource : uint8_t {
  kNone,
  kField,         // The field as it is; left out when it is absent.
  kList,          // The same; an empty list of strings when it is absent.
  kMax,           // An i16; all (-1) when it is absent.
  kFlag,          // A bool; false when it is absent.
  kRequest,       // The whole request.
  kEnvironment,   // The field, with the request's expected parameter (10, 11) put into it.
  kOnly,          // The one element of a list.
  kOnlyOrAll,     // The same; left out when it is absent, which means all before Hive 4.
  kNamesPattern,  // The pattern of names that a filter over tables asks for.
};

struct CallArgument {
  ArgumentSource source = ArgumentSource::kNone;
  int16_t from = 0;
};

// A field that may be there with these values only.
struct FieldCheck {
  enum class Kind : uint8_t {
    kNone,
    kIs,        // This number; of a bool: 1.
    kLacks,     // A list of numbers without this one.
    kNegative,  // A number.
    kText,
  };
  Kind kind = Kind::kNone;
  int16_t id = 0;
  int32_t number = 0;
  std::string_view text{};
};

// Servers that are asked in the older words. Those of Hive 4 only after they have said that they
// do not know the newer ones.
enum class AskedOf : uint8_t { kAll, kHive2, kSinceHive3 };

enum class Direction : uint8_t {
  kToOlder,
  kToNewer,  // Later releases of Hive 4 have dropped the older one; all have the newer one.
  kBoth,
};

// In the order in which a row reads. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct CallRow {
  std::string_view newer;
  std::string_view older;
  CallResult result = CallResult::kSame;
  // In the request struct, argument 1, or at the end of `catalog_way`: structs, lists of one.
  int16_t catalog = 0;
  int16_t db = 0;  // Becomes the older call's first argument.
  // From the second one on, or from the first without db.
  std::array<CallArgument, 6> arguments{};
  uint32_t ignored = 0;   // Fields that an older metastore has no use for.
  int16_t only_with = 0;  // A field that must be there for this row; of a bool: and be true.
  FieldCheck check{};
  std::array<int16_t, 2> catalog_way{};
  AskedOf asked_of = AskedOf::kAll;
  Direction direction = Direction::kToOlder;
  bool by_arguments = false;      // The newer method has no request struct.
  bool db_may_lack = false;       // Both say the same of a call without it.
  bool swaps_exceptions = false;  // The newer method declares the first two the other way round.
  // To newer: of the first so many exceptions the older one declares the same; the others become
  // what servers make of undeclared ones.
  int16_t exceptions = 0;
};

std::span<const CallRow> CallRows();

}  // namespace catalogd::endpoint
