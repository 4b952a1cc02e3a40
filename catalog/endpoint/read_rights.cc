#include "catalog/endpoint/read_rights.h"

namespace catalogd::endpoint {
namespace {

std::string KeyOf(const hms::Identity& identity) {
  std::string key = identity.user;
  for (const std::string& group : identity.groups) {
    key += '\0';
    key += group;
  }
  return key;
}

}  // namespace

bool ReadRights::Has(const hms::Identity& identity, const ObjectName& name, CatalogVersion version,
                     TimePoint now) const {
  const ReaderLock lock(mutex_);
  const auto user = by_user_.find(KeyOf(identity));
  if (user == by_user_.end()) return false;
  const auto right = user->second.find(name);
  return right != user->second.end() && right->second.version == version &&
         now < right->second.until;
}

void ReadRights::Note(const hms::Identity& identity, const ObjectName& name, CatalogVersion version,
                      TimePoint now) {
  const WriterLock lock(mutex_);
  if (count_ >= most_) {
    by_user_.clear();
    count_ = 0;
  }
  const auto [right, is_new] =
      by_user_[KeyOf(identity)].insert_or_assign(name, Right{version, now + life_});
  static_cast<void>(right);
  count_ += is_new ? 1 : 0;
}

}  // namespace catalogd::endpoint
