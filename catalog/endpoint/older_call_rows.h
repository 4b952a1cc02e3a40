#pragma once

#include <array>
#include <span>

#include "catalog/endpoint/method_table.h"
#include "catalog/endpoint/older_call.h"

// Which fields of a newer request become which arguments of an older call. Internal.
namespace catalogd::endpoint {

enum class OlderSource : uint8_t {
  kNone,
  kField,        // The field as it is; left out when it is absent.
  kList,         // The same; an empty list of strings when it is absent.
  kMax,          // An i16; all (-1) when it is absent.
  kFlag,         // A bool; false when it is absent.
  kRequest,      // The whole request.
  kEnvironment,  // The field, with the request's expected parameter (10, 11) put into it.
};

struct OlderArgument {
  OlderSource source = OlderSource::kNone;
  int16_t from = 0;
};

// In the order in which a row reads. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct OlderRow {
  std::string_view method;
  std::string_view older;
  OlderResult result = OlderResult::kSame;
  // In the request struct, argument 1, or where `catalog_in` says: a field of it that is a struct.
  int16_t catalog = 0;
  int16_t db = 0;  // Becomes the older call's first argument.
  std::array<OlderArgument, 6>
      arguments{};        // From the second one on, or from the first without db.
  uint32_t ignored = 0;   // Fields that an older metastore has no use for.
  int16_t only_with = 0;  // A field that must be there for this row.
  bool swaps_exceptions = false;
  bool since_hive3 = false;  // Hive 2 does not know the older call either.
  int16_t catalog_in = 0;    // Holds field `catalog`; 0: the request itself.
};

std::span<const OlderRow> OlderRows();

}  // namespace catalogd::endpoint
