#include "catalog/sync/reconcile_diff.h"

#include <vector>

#include "catalog/sync/struct_diff.h"

namespace catalogd::sync {
namespace {

using cache::PartitionSet;

// More would not be read.
constexpr size_t kShown = 3;

std::string Joined(const std::vector<std::string>& texts) {
  std::string out;
  for (size_t i = 0; i < texts.size() && i < kShown; ++i) out += (i == 0 ? "" : ", ") + texts[i];
  if (texts.size() > kShown) out += " and " + std::to_string(texts.size() - kShown) + " more";
  return out;
}

std::string Describe(StructKind kind, std::string_view cached, std::string_view read) {
  if (cached == read) return "";
  std::vector<std::string> texts;
  for (const Difference& difference : DiffStructs(kind, cached, read)) {
    texts.push_back(difference.path + ": cache " + difference.left + ", metastore " +
                    difference.right);
  }
  return Joined(texts);
}

// Two sorted lists of names, side by side.
struct Partitions {
  std::vector<std::string> only_cached;
  std::vector<std::string> only_read;
  std::vector<std::string> different;  // With what is different.

  void Compare(const PartitionSet& cached, const PartitionSet& read) {
    const std::vector<std::string> left = cached.Names(-1);
    const std::vector<std::string> right = read.Names(-1);
    auto a = left.begin();
    auto b = right.begin();
    while (a != left.end() || b != right.end()) {
      if (b == right.end() || (a != left.end() && *a < *b)) {
        only_cached.push_back(*a++);
      } else if (a == left.end() || *b < *a) {
        only_read.push_back(*b++);
      } else {
        Both(*a, cached, read);
        ++a;
        ++b;
      }
    }
  }

  [[nodiscard]] std::string Text() const {
    std::vector<std::string> texts;
    if (!only_cached.empty()) texts.push_back("only in the cache: " + Joined(only_cached));
    if (!only_read.empty()) texts.push_back("only in the metastore: " + Joined(only_read));
    if (!different.empty()) texts.push_back("different: " + Joined(different));
    return texts.empty() ? "" : "partitions " + Joined(texts);
  }

 private:
  void Both(const std::string& name, const PartitionSet& cached, const PartitionSet& read) {
    std::string left;
    std::string right;
    cached.AppendPartition(name, &left);
    read.AppendPartition(name, &right);
    const std::string text = DescribePartition(left, right);
    if (!text.empty()) different.push_back(name + " (" + text + ")");
  }
};

}  // namespace

std::string DescribeStructs(const ObjectName& name, std::string_view cached,
                            std::string_view read) {
  return Describe(name.is_table() ? StructKind::kTable : StructKind::kDatabase, cached, read);
}

std::string DescribePartition(std::string_view cached, std::string_view read) {
  return Describe(StructKind::kPartition, cached, read);
}

std::string DescribeDifference(const ObjectName& name, const cache::SnapshotPtr& cached,
                               const cache::SnapshotPtr& read) {
  if (cached == read) return "";
  if (cached == nullptr) return "only in the metastore";
  if (read == nullptr) return "only in the cache";
  std::string text = DescribeStructs(name, cached->object, read->object);
  if (cached->partitions == nullptr || read->partitions == nullptr) return text;
  Partitions partitions;
  partitions.Compare(*cached->partitions, *read->partitions);
  const std::string more = partitions.Text();
  return text.empty() || more.empty() ? text + more : text + "; " + more;
}

}  // namespace catalogd::sync
