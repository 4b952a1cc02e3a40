#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/coord/service/coord_error.h"
#include "catalog/endpoint/catalog_view.h"
#include "catalog/endpoint/read_rights.h"
#include "hms_client/metastore.h"

namespace catalogd::daemon {

// Who a call of table coordination comes from.
struct CoordCallerFacts {
  hms::Identity identity;
  std::string peer;

  // "anonymous" where nobody has said who he is.
  [[nodiscard]] std::string User() const;
};

// What users may do with coordinated tables: administer and write as options say, read what the
// metastore shows them, where it judges that.
//
// Thread safety: yes.
// Invariants: who may administer may write. Where the metastore judges reads, nobody is told of a
// table that it would not show him: it is asked, or has just shown it (endpoint/read_rights.h).
class CoordAccess {
 public:
  enum class Right { kRead, kWrite, kAdmin };
  struct Options {
    std::vector<std::string> admins{"*"};  // Users; "*": everybody.
    std::vector<std::string> writers{"*"};
    Duration right_life = std::chrono::seconds(60);
    Duration call_timeout = std::chrono::seconds(30);
  };
  CoordAccess(const endpoint::CatalogView* view, hms::Metastore* metastore, const Clock* clock,
              Options options);

  // By the options alone. PERMISSION_DENIED with the option's name.
  [[nodiscard]] coord::CoordStatus MayDo(Right right, const CoordCallerFacts& caller) const;
  // What needs no call: absent when the metastore must be asked (MayRead). No table: all of them,
  // which only this host may see where reads are judged.
  [[nodiscard]] std::optional<coord::CoordStatus> MayReadNow(
      const CoordCallerFacts& caller, const std::optional<ObjectName>& table) const;
  // Waits for the metastore.
  coord::CoordStatus MayRead(const CoordCallerFacts& caller, const ObjectName& table);

 private:
  [[nodiscard]] Result<std::string> AskFor(const CoordCallerFacts& caller, const ObjectName& table);

  const endpoint::CatalogView* const view_;
  hms::Metastore* const metastore_;
  const Clock* const clock_;
  const Options options_;
  endpoint::ReadRights rights_;
};

}  // namespace catalogd::daemon
