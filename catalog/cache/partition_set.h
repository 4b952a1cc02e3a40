#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace catalogd::cache {

class PartitionChunk;  // Internal: partition_chunk.h.
struct PartitionValues;

// All partitions of one table: an immutable sequence sorted by partition name (bytes of the escaped
// text, the order in which the metastore answers). A change makes a new set that shares everything
// it did not touch with the old one.
//
// Kept small: what partitions have in common is kept once, also between sets, and each partition
// only keeps what it alone has. The bytes that come out are those that went in, whatever they are.
//
// Not a parser: names and bytes are given together by whoever knows the table's keys.
// Thread safety: immutable.
class PartitionSet {
 public:
  struct Entry {
    std::string name;  // "k1=v1/k2=v2", escaped.
    // Encoded list<string> (from the element type byte on). Not kept: the struct has it, too.
    std::string values;
    std::string bytes;  // Partition struct.
  };
  using Ptr = std::shared_ptr<const PartitionSet>;

  // Empty and complete.
  static Ptr Empty();
  // What a read of the metastore gave, in any order; the last of several with one name wins.
  static Ptr Of(std::vector<Entry> entries);

  // `removed` first, then `put`; the last of several with one name wins.
  [[nodiscard]] Ptr With(std::vector<Entry> put, const std::vector<std::string>& removed) const;

  [[nodiscard]] size_t size() const { return size_; }
  // No partition comes from a read of many, which may leave out members that a read of one has.
  [[nodiscard]] bool whole() const { return !from_bulk_; }
  [[nodiscard]] bool Contains(std::string_view name) const;
  // Appends the Partition struct to `out`; false when there is none.
  bool AppendPartition(std::string_view name, std::string* out) const;
  // Calls `visit(name, append)` in order until it returns false; append(out) adds the struct.
  using Append = std::function<void(std::string* out)>;
  using EachPartition = std::function<bool(std::string_view name, const Append& append)>;
  void ForEach(const EachPartition& visit) const;
  // Some neighbouring partitions. Lives as long as the set.
  class Block {
   public:
    explicit Block(const PartitionChunk* chunk) : chunk_(chunk) {}
    // Taken apart at the first call, and kept then.
    [[nodiscard]] const PartitionValues& values() const;
    bool ForEach(const EachPartition& visit) const;  // False when `visit` wants no more.

   private:
    const PartitionChunk* chunk_;
  };
  // Calls `visit(block)` in order until it returns false.
  void ForEachBlock(const std::function<bool(const Block& block)>& visit) const;
  // Names in order, at most `max` (all when negative).
  [[nodiscard]] std::vector<std::string> Names(int64_t max) const;
  // Structs of the first `max` partitions (all when negative) appended one after the other; their
  // number is returned.
  size_t AppendFirst(int64_t max, std::string* out) const;
  // Resident bytes, what is shared with other sets included.
  [[nodiscard]] size_t memory_bytes() const;

 private:
  class Builder;
  // Some neighbouring chunks: a change copies one node and the list of nodes.
  using Node = std::vector<std::shared_ptr<const PartitionChunk>>;

  [[nodiscard]] const PartitionChunk* ChunkOf(std::string_view name) const;
  // Calls `visit(chunk)` in order until it returns false.
  template <class Visit>
  void ForEachChunk(const Visit& visit) const;

  std::vector<std::shared_ptr<const Node>> nodes_;
  size_t size_ = 0;
  bool from_bulk_ = false;
};

}  // namespace catalogd::cache
