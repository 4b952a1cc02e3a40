#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/cache/partition_dictionary.h"
#include "catalog/cache/partition_values.h"

// A few hundred partitions that stand next to each other, packed. Internal to partition sets.
//
// A chunk is a row of blocks, a block a row of records: how much of the name is that of the record
// before it in the block, the rest of the name, and the body (see PartitionDictionary). A changed
// chunk is a copy of which one block was written again.
namespace catalogd::cache {

class PartitionChunk;
using ChunkPtr = std::shared_ptr<const PartitionChunk>;

// One partition's new bytes, or its removal. Borrowed.
struct PartitionEdit {
  std::string_view name;
  std::optional<std::string_view> bytes;
};

// Thread safety: immutable once made.
// Invariants: names ascend strictly; a chunk is never empty.
class PartitionChunk {
 public:
  PartitionChunk() = default;
  ~PartitionChunk() { delete values_.load(std::memory_order_acquire); }
  PartitionChunk(const PartitionChunk&) = delete;
  PartitionChunk& operator=(const PartitionChunk&) = delete;

  static constexpr size_t kMaxPartitions = 512;
  // Smaller ones are joined with a neighbour when a change comes by.
  static constexpr size_t kMinPartitions = 64;

  // Walks the records in order. What it shows lives until the next step.
  class Cursor {
   public:
    explicit Cursor(const PartitionChunk& chunk) : Cursor(chunk, chunk.records_) {}
    bool Next();
    [[nodiscard]] std::string_view name() const { return name_; }
    // Appends the struct.
    void Expand(std::string* out) const { chunk_->dictionary_.Expand(name_, body_, out); }
    [[nodiscard]] bool HasValuesOfName() const {
      return chunk_->dictionary_.HasValuesOfName(body_);
    }

   private:
    friend class PartitionChunk;
    Cursor(const PartitionChunk& chunk, std::string_view records)
        : chunk_(&chunk), rest_(records) {}
    const PartitionChunk* chunk_;
    std::string_view rest_;
    std::string name_;
    std::string_view body_;
  };

  // Packs partitions (ascending names, each once, with bytes) into as few chunks as hold them.
  static void Build(const std::vector<PartitionEdit>& partitions, PartitionInterner* interner,
                    std::vector<ChunkPtr>* chunks);
  // This chunk with the edits (ascending names, each once): one chunk, several, or none.
  void Edited(const std::vector<PartitionEdit>& edits, PartitionInterner* interner,
              std::vector<ChunkPtr>* chunks) const;
  // Both packed together. REQUIRES: a's names before b's.
  static void Join(const PartitionChunk& a, const PartitionChunk& b, PartitionInterner* interner,
                   std::vector<ChunkPtr>* chunks);

  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] std::string_view first_name() const { return NameAt(0); }
  // A cursor at the record, if there is one of that name.
  [[nodiscard]] std::optional<Cursor> Find(std::string_view name) const;

  // Made when they are first asked for, and kept: most tables are never filtered.
  [[nodiscard]] const PartitionValues& values() const;

  [[nodiscard]] const PartitionDictionary& dictionary() const { return dictionary_; }
  // Without templates and texts, which others may share.
  [[nodiscard]] size_t own_bytes() const;

 private:
  class Writer;
  struct Unpacked;

  static ChunkPtr Pack(const std::vector<PartitionEdit>& partitions, size_t begin, size_t end,
                       PartitionInterner* interner);
  [[nodiscard]] std::string_view NameAt(size_t offset) const;
  [[nodiscard]] std::string_view BlockName(size_t block) const { return NameAt(blocks_[block]); }
  void MakeKeys();
  [[nodiscard]] std::string_view Blocks(size_t begin, size_t end) const;
  [[nodiscard]] size_t BlockOf(std::string_view name) const;
  void EditBlock(size_t block, const PartitionEdit* begin, const PartitionEdit* end,
                 Writer* writer) const;
  [[nodiscard]] ChunkPtr Part(size_t begin, size_t end) const;
  void Unpack(Unpacked* all) const;
  void Repack(const std::vector<PartitionEdit>& edits, PartitionInterner* interner,
              std::vector<ChunkPtr>* chunks) const;

  PartitionDictionary dictionary_;
  std::vector<uint32_t> blocks_;  // Where in records_ each block begins.
  // So that looking for a block touches few cache lines: of each block's first name the eight bytes
  // behind what the first and the last of them share, as a number.
  std::vector<uint64_t> keys_;
  uint32_t shared_ = 0;
  std::string records_;
  uint32_t count_ = 0;
  // When everything was packed together, and since then.
  uint32_t packed_templates_ = 0;
  uint32_t edits_ = 0;
  mutable std::atomic<const PartitionValues*> values_ = nullptr;  // Owned.
};

}  // namespace catalogd::cache
