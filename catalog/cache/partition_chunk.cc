#include "catalog/cache/partition_chunk.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "catalog/cache/varint.h"

namespace catalogd::cache {
namespace {

constexpr size_t kBlock = 16;     // Records per block when packed.
constexpr size_t kMaxBlock = 32;  // After changes.
// After so many changes, or new templates, everything is packed again, so that what nobody uses any
// more goes.
constexpr uint32_t kMaxEdits = 512;
constexpr uint32_t kMaxNewTemplates = 32;

size_t CommonLength(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<size_t>(end - a.begin());
}

// Eight bytes from `at` on; equal keys tell nothing, else they order as the names do.
uint64_t KeyOf(std::string_view name, size_t at) {
  uint64_t key = 0;
  for (size_t i = 0; i < 8; ++i) {
    key = key << 8U | (at + i < name.size() ? static_cast<unsigned char>(name[at + i]) : 0U);
  }
  return key;
}

}  // namespace

// Writes records to the end of a chunk.
class PartitionChunk::Writer {
 public:
  explicit Writer(PartitionChunk* chunk) : chunk_(chunk) {}

  void BeginBlock() {
    chunk_->blocks_.push_back(static_cast<uint32_t>(chunk_->records_.size()));
    last_name_.clear();
  }
  void Add(std::string_view name, std::string_view body) {
    const size_t shared = CommonLength(last_name_, name);
    std::string* out = &chunk_->records_;
    PutVarint(shared, out);
    PutVarint(name.size() - shared, out);
    out->append(name.substr(shared));
    PutVarint(body.size(), out);
    out->append(body);
    last_name_.assign(name);
  }
  // Blocks [begin, end) of another chunk with the same dictionary.
  void Copy(const PartitionChunk& from, size_t begin, size_t end) {
    const size_t base = chunk_->records_.size();
    for (size_t i = begin; i < end; ++i) {
      chunk_->blocks_.push_back(
          static_cast<uint32_t>(base + from.blocks_[i] - from.blocks_[begin]));
    }
    chunk_->records_.append(from.Blocks(begin, end));
  }
  PartitionDictionary& dictionary() { return chunk_->dictionary_; }
  void AddToCount(int64_t by) { chunk_->count_ += static_cast<uint32_t>(by); }

 private:
  PartitionChunk* const chunk_;
  std::string last_name_;
};

// Whole structs with their names.
struct PartitionChunk::Unpacked {
  std::deque<std::pair<std::string, std::string>> owned;
  std::vector<PartitionEdit> partitions;

  void Add(std::string name, std::string bytes) {
    const auto& entry = owned.emplace_back(std::move(name), std::move(bytes));
    partitions.push_back({entry.first, entry.second});
  }
};

bool PartitionChunk::Cursor::Next() {
  if (rest_.empty()) return false;
  name_.resize(TakeVarint(&rest_));
  const size_t size = TakeVarint(&rest_);
  name_.append(TakeBytes(size, &rest_));
  const size_t body = TakeVarint(&rest_);
  body_ = TakeBytes(body, &rest_);
  return true;
}

void PartitionChunk::Build(const std::vector<PartitionEdit>& partitions,
                           PartitionInterner* interner, std::vector<ChunkPtr>* chunks) {
  const size_t count = (partitions.size() + kMaxPartitions - 1) / kMaxPartitions;
  for (size_t i = 0; i < count; ++i) {
    chunks->push_back(Pack(partitions, partitions.size() * i / count,
                           partitions.size() * (i + 1) / count, interner));
  }
}

ChunkPtr PartitionChunk::Pack(const std::vector<PartitionEdit>& partitions, size_t begin,
                              size_t end, PartitionInterner* interner) {
  auto chunk = std::make_shared<PartitionChunk>();
  chunk->count_ = static_cast<uint32_t>(end - begin);
  std::vector<std::string_view> names;
  std::vector<std::string_view> structs;
  for (size_t i = begin; i < end; ++i) {
    names.push_back(partitions[i].name);
    structs.push_back(*partitions[i].bytes);
  }
  std::vector<std::string_view> pieces;
  const auto cut = chunk->dictionary_.CutAll(names, structs, interner, &pieces);
  Writer writer(chunk.get());
  std::string body;
  for (size_t i = 0; i < cut.size(); ++i) {
    if (i % kBlock == 0) writer.BeginBlock();
    body.clear();
    chunk->dictionary_.Encode(cut[i], pieces, &body);
    writer.Add(cut[i].name, body);
  }
  chunk->records_.shrink_to_fit();
  chunk->blocks_.shrink_to_fit();
  chunk->packed_templates_ = static_cast<uint32_t>(chunk->dictionary_.templates().size());
  chunk->MakeKeys();
  return chunk;
}

void PartitionChunk::Edited(const std::vector<PartitionEdit>& edits, PartitionInterner* interner,
                            std::vector<ChunkPtr>* chunks) const {
  if (edits.size() > size() / 2 || edits_ + edits.size() > kMaxEdits ||
      dictionary_.templates().size() > packed_templates_ + kMaxNewTemplates) {
    Repack(edits, interner, chunks);
    return;
  }
  auto copy = std::make_shared<PartitionChunk>();
  copy->dictionary_ = dictionary_;
  copy->count_ = count_;
  copy->packed_templates_ = packed_templates_;
  copy->edits_ = edits_ + static_cast<uint32_t>(edits.size());
  copy->blocks_.reserve(blocks_.size() + 2);
  copy->records_.reserve(records_.size() + 128 * edits.size());
  Writer writer(copy.get());
  size_t next_block = 0;
  for (const PartitionEdit* edit = edits.data(); edit != edits.data() + edits.size();) {
    const size_t block = BlockOf(edit->name);
    const PartitionEdit* end = edit + 1;
    while (end != edits.data() + edits.size() && BlockOf(end->name) == block) ++end;
    writer.Copy(*this, next_block, block);
    EditBlock(block, edit, end, &writer);
    next_block = block + 1;
    edit = end;
  }
  writer.Copy(*this, next_block, blocks_.size());
  if (copy->count_ == 0) return;
  if (copy->count_ <= kMaxPartitions) {
    copy->records_.shrink_to_fit();
    copy->MakeKeys();
    chunks->push_back(std::move(copy));
    return;
  }
  const size_t middle = copy->blocks_.size() / 2;
  chunks->push_back(copy->Part(0, middle));
  chunks->push_back(copy->Part(middle, copy->blocks_.size()));
}

void PartitionChunk::EditBlock(size_t block, const PartitionEdit* begin, const PartitionEdit* end,
                               Writer* writer) const {
  std::vector<std::pair<std::string, std::string>> merged;
  const auto put = [&](const PartitionEdit& edit) {
    if (!edit.bytes) return;
    std::string body;
    writer->dictionary().EncodeOne(edit.name, *edit.bytes, &body);
    merged.emplace_back(edit.name, std::move(body));
  };
  int64_t before = 0;
  Cursor cursor(*this, Blocks(block, block + 1));
  for (; cursor.Next(); ++before) {
    for (; begin != end && begin->name < cursor.name(); ++begin) put(*begin);
    if (begin != end && begin->name == cursor.name()) {
      put(*begin++);
    } else {
      merged.emplace_back(cursor.name(), cursor.body_);
    }
  }
  for (; begin != end; ++begin) put(*begin);
  writer->AddToCount(static_cast<int64_t>(merged.size()) - before);
  const size_t parts = (merged.size() + kMaxBlock - 1) / kMaxBlock;
  for (size_t part = 0; part < parts; ++part) {
    writer->BeginBlock();
    for (size_t i = merged.size() * part / parts; i < merged.size() * (part + 1) / parts; ++i) {
      writer->Add(merged[i].first, merged[i].second);
    }
  }
}

void PartitionChunk::Repack(const std::vector<PartitionEdit>& edits, PartitionInterner* interner,
                            std::vector<ChunkPtr>* chunks) const {
  for (const TemplatePtr& known : dictionary_.templates()) interner->Seed(known);
  Unpacked all;
  auto edit = edits.begin();
  const auto put = [&all](const PartitionEdit& one) {
    if (one.bytes) all.partitions.push_back(one);
  };
  for (Cursor cursor(*this); cursor.Next();) {
    for (; edit != edits.end() && edit->name < cursor.name(); ++edit) put(*edit);
    if (edit != edits.end() && edit->name == cursor.name()) {
      put(*edit++);
      continue;
    }
    std::string bytes;
    cursor.Expand(&bytes);
    all.Add(std::string(cursor.name()), std::move(bytes));
  }
  for (; edit != edits.end(); ++edit) put(*edit);
  Build(all.partitions, interner, chunks);
}

void PartitionChunk::Join(const PartitionChunk& a, const PartitionChunk& b,
                          PartitionInterner* interner, std::vector<ChunkPtr>* chunks) {
  Unpacked all;
  for (const PartitionChunk* chunk : {&a, &b}) {
    for (const TemplatePtr& known : chunk->dictionary_.templates()) interner->Seed(known);
    for (Cursor cursor(*chunk); cursor.Next();) {
      std::string bytes;
      cursor.Expand(&bytes);
      all.Add(std::string(cursor.name()), std::move(bytes));
    }
  }
  Build(all.partitions, interner, chunks);
}

ChunkPtr PartitionChunk::Part(size_t begin, size_t end) const {
  auto part = std::make_shared<PartitionChunk>();
  part->dictionary_ = dictionary_;
  part->edits_ = edits_;
  part->packed_templates_ = packed_templates_;
  Writer(part.get()).Copy(*this, begin, end);
  for (Cursor cursor(*part); cursor.Next();) ++part->count_;
  part->MakeKeys();
  return part;
}

std::string_view PartitionChunk::NameAt(size_t offset) const {
  std::string_view record = std::string_view(records_).substr(offset);
  TakeVarint(&record);  // Shares nothing with a name before it.
  const size_t size = TakeVarint(&record);
  return record.substr(0, size);
}

void PartitionChunk::MakeKeys() {
  shared_ = static_cast<uint32_t>(CommonLength(first_name(), BlockName(blocks_.size() - 1)));
  keys_.clear();
  keys_.reserve(blocks_.size());
  for (size_t i = 0; i < blocks_.size(); ++i) keys_.push_back(KeyOf(BlockName(i), shared_));
}

std::string_view PartitionChunk::Blocks(size_t begin, size_t end) const {
  if (begin == end) return {};
  const size_t stop = end < blocks_.size() ? blocks_[end] : records_.size();
  return std::string_view(records_).substr(blocks_[begin], stop - blocks_[begin]);
}

size_t PartitionChunk::BlockOf(std::string_view name) const {
  const int order = name.substr(0, shared_).compare(first_name().substr(0, shared_));
  if (order != 0) return order < 0 ? 0 : blocks_.size() - 1;
  const auto [same, greater] = std::equal_range(keys_.begin(), keys_.end(), KeyOf(name, shared_));
  auto next = static_cast<size_t>(same - keys_.begin());
  const auto end = static_cast<size_t>(greater - keys_.begin());
  while (next < end && BlockName(next) <= name) ++next;
  return next == 0 ? 0 : next - 1;
}

std::optional<PartitionChunk::Cursor> PartitionChunk::Find(std::string_view name) const {
  const size_t block = BlockOf(name);
  Cursor cursor(*this, Blocks(block, block + 1));
  while (cursor.Next()) {
    if (cursor.name() >= name) break;
  }
  if (cursor.name() != name) return std::nullopt;
  return cursor;
}

const PartitionValues& PartitionChunk::values() const {
  const PartitionValues* made = values_.load(std::memory_order_acquire);
  if (made != nullptr) return *made;
  PartitionValuesBuilder builder;
  for (Cursor cursor(*this); cursor.Next();) {
    if (!cursor.HasValuesOfName()) builder.AddOther();
    builder.Add(cursor.name());
  }
  auto fresh = std::make_unique<const PartitionValues>(builder.Finish());
  // Another reader may have been quicker; then its result is the same.
  if (values_.compare_exchange_strong(made, fresh.get(), std::memory_order_acq_rel)) {
    return *fresh.release();
  }
  return *made;
}

size_t PartitionChunk::own_bytes() const {
  const PartitionValues* made = values_.load(std::memory_order_acquire);
  return sizeof(*this) + (made == nullptr ? 0 : made->memory_bytes()) + records_.capacity() +
         blocks_.capacity() * sizeof(uint32_t) + keys_.capacity() * sizeof(uint64_t) +
         dictionary_.templates().capacity() * sizeof(TemplatePtr) +
         dictionary_.texts().capacity() * sizeof(TextPtr);
}

}  // namespace catalogd::cache
