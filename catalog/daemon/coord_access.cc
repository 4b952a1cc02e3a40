#include "catalog/daemon/coord_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "catalog/endpoint/call.h"
#include "thrift/wire/write.h"

namespace catalogd::daemon {
namespace {

using coord::CoordCode;
using coord::CoordStatus;

constexpr size_t kMostRights = 100000;
constexpr std::string_view kAnonymous = "anonymous";

bool IsOfThisHost(std::string_view peer) {
  return peer.starts_with("127.") || peer.starts_with("[::1]") || peer.starts_with("::1");
}

bool Has(const std::vector<std::string>& users, const std::string& user) {
  return std::any_of(users.begin(), users.end(),
                     [&](const std::string& one) { return one == "*" || one == user; });
}

}  // namespace

std::string CoordCallerFacts::User() const {
  return identity.user.empty() ? std::string(kAnonymous) : identity.user;
}

CoordAccess::CoordAccess(const endpoint::CatalogView* view, hms::Metastore* metastore,
                         const Clock* clock, Options options)
    : view_(view),
      metastore_(metastore),
      clock_(clock),
      options_(std::move(options)),
      rights_(options_.right_life, kMostRights) {}

CoordStatus CoordAccess::MayDo(Right right, const CoordCallerFacts& caller) const {
  const std::string user = caller.User();
  if (right == Right::kRead || Has(options_.admins, user)) return {};
  if (right == Right::kAdmin) {
    return coord::Fail(CoordCode::kPermissionDenied,
                       fmt::format("user '{}' is not in --coord-admins", user));
  }
  if (Has(options_.writers, user)) return {};
  return coord::Fail(
      CoordCode::kPermissionDenied,
      fmt::format("user '{}' is neither in --coord-writers nor in --coord-admins", user));
}

std::optional<CoordStatus> CoordAccess::MayReadNow(const CoordCallerFacts& caller,
                                                   const std::optional<ObjectName>& table) const {
  if (!view_->ReadsPerUser()) return CoordStatus();
  if (!table) {
    if (IsOfThisHost(caller.peer)) return CoordStatus();
    return CoordStatus(coord::Fail(
        CoordCode::kPermissionDenied,
        "without a table this shows what the metastore may refuse its caller, so it is answered on "
        "the daemon's own host only: name the table"));
  }
  // In this order: what is looked at next is at least as new.
  const endpoint::CatalogView::LogEnd end = view_->NewestLogEnd();
  const sync::ReadPosition at = view_->LookAtLeast(*table, end.id);
  if (at.effective >= end.id &&
      rights_.Has(caller.identity, *table, at.view.version, end.began, clock_->Now())) {
    return CoordStatus();
  }
  return std::nullopt;
}

Result<std::string> CoordAccess::AskFor(const CoordCallerFacts& caller, const ObjectName& table) {
  const bool plain = view_->HasGetTable() && table.catalog() == kDefaultCatalog;
  std::string names;
  wire::Writer out(&names);
  out.StringField(1, table.db());
  out.StringField(2, table.table());
  if (!plain) out.StringField(4, table.catalog());
  out.Stop();
  std::string arguments = names;
  if (!plain) {
    arguments.clear();
    wire::Writer outer(&arguments);
    outer.RawField(wire::TType::kStruct, 1, names);
    outer.Stop();
  }
  return metastore_->Forward(wire::EncodeCall(plain ? "get_table" : "get_table_req", 1, arguments),
                             caller.identity, clock_->Now() + options_.call_timeout);
}

CoordStatus CoordAccess::MayRead(const CoordCallerFacts& caller, const ObjectName& table) {
  const auto now = MayReadNow(caller, table);
  if (now) return *now;
  const CatalogVersion known = view_->Look(table).view.version;
  const auto reply = AskFor(caller, table);
  if (!reply) {
    return coord::Fail(
        CoordCode::kMetastoreFailed,
        "whether the table may be read could not be asked for: " + reply.error().message);
  }
  if (!endpoint::HasValue(*reply)) {
    return coord::Fail(CoordCode::kPermissionDenied,
                       fmt::format("the metastore does not show {} to user '{}'", table.ToString(),
                                   caller.User()));
  }
  rights_.Note(caller.identity, table, known, clock_->Now());
  return {};
}

}  // namespace catalogd::daemon
