#include "catalog/endpoint/read_rights.h"

namespace catalogd::endpoint {
namespace {

std::string KeyOf(const hms::Identity& identity) {
  // With lengths: names may hold any byte.
  std::string key = std::to_string(identity.user.size()) + ':' + identity.user;
  for (const std::string& group : identity.groups) {
    key += std::to_string(group.size()) + ':' + group;
  }
  return key;
}

}  // namespace

bool ReadRights::Has(const hms::Identity& identity, const ObjectName& name, CatalogVersion version,
                     TimePoint log_read, TimePoint now) const {
  const ReaderLock lock(mutex_);
  const auto user = by_user_.find(KeyOf(identity));
  if (user == by_user_.end()) return false;
  const auto right = user->second.find(name);
  return right != user->second.end() && right->second.version == version &&
         log_read > right->second.noted && now < right->second.noted + life_;
}

void ReadRights::Note(const hms::Identity& identity, const ObjectName& name, CatalogVersion version,
                      TimePoint now) {
  const WriterLock lock(mutex_);
  if (count_ >= most_) {
    by_user_.clear();
    count_ = 0;
  }
  const auto [right, is_new] =
      by_user_[KeyOf(identity)].insert_or_assign(name, Right{version, now});
  static_cast<void>(right);
  count_ += is_new ? 1 : 0;
}

}  // namespace catalogd::endpoint
