#include "hms_client/metastore.h"

namespace catalogd::hms {

std::string_view GenerationName(Generation generation) {
  switch (generation) {
    case Generation::kHive2:
      return "hive2";
    case Generation::kHive3:
      return "hive3";
    case Generation::kHive4:
      return "hive4";
    case Generation::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace catalogd::hms
