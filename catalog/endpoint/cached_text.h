#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/cache/snapshot.h"
#include "catalog/endpoint/read_request.h"
#include "hms_client/metastore.h"

// Pieces of cached answers: texts word for word as the servers write them, lists, and matching of
// partition values. Pure functions.
namespace catalogd::endpoint {

// Of the NoSuchObjectException for an absent table or database; measured on 2.3.10, 3.1.3, 4.2.0.
// Absent when the generation is not known.
std::optional<std::string> AbsentText(const ReadRequest& request, hms::Generation generation);
std::string AbsentPartitionText(const std::vector<std::string>& values);

// The values of a partition name that is written exactly as the metastore would write it for a
// table with these keys; absent otherwise.
std::optional<std::vector<std::string>> ValuesOfExactName(const std::vector<std::string>& keys,
                                                          std::string_view name);

// An empty value and the default one make the same name. The metastore finds either by the other,
// and shows the value that was asked for.
bool MayHaveOtherValues(std::string_view partition_name);
// The values of a partition that is in the set, as they are stored.
std::optional<std::vector<std::string>> ValuesOf(const cache::PartitionSet& partitions,
                                                 std::string_view name);
// Whether reads with a user and groups add privileges to partitions of that table.
bool HasPartitionPrivileges(const cache::Snapshot& table);

// An encoded list<string>.
void AppendStrings(const std::vector<std::string>& strings, std::string* out);

// A list whose length is known only at its end.
class CountedList {
 public:
  CountedList(wire::TType element, std::string* out);
  void Count() { ++count_; }
  void Finish();

 private:
  std::string* const out_;
  size_t offset_ = 0;
  size_t count_ = 0;
};

// The first values of a partition; an empty one stands for any. With fewer values than keys the
// last one stands for all that begin with it: the metastore adds "anything" to its pattern, and the
// pattern does not end at a value's end ("p=a" finds p=ab/q=1 too; measured on 2.3, 3.1 and 4.2).
class ValuePrefix {
 public:
  // Absent when the metastore would complain, or match more than what is equal: it matches these
  // values as a pattern (a regular expression before Hive 4, LIKE since).
  static std::optional<ValuePrefix> Of(const std::vector<std::string>& keys,
                                       const std::vector<std::string>& values);
  [[nodiscard]] bool Matches(std::string_view partition_name) const;

 private:
  std::vector<std::string> components_;  // "key=value" or empty.
  bool open_ended_ = false;              // Fewer of them than keys.
};

}  // namespace catalogd::endpoint
