#include "catalog/cache/partition_set.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "catalog/cache/partition_chunk.h"

namespace catalogd::cache {
namespace {

constexpr size_t kMaxNode = 64;
// Smaller nodes are put together with the one before them when a change comes by.
constexpr size_t kMinNode = 16;

// What the heap adds to an allocation.
constexpr size_t kAllocation = 16;

// The first element of a sorted range that is greater than the name belongs to the one before it.
template <class It, class FirstName>
It Home(It begin, It end, std::string_view name, const FirstName& first_name) {
  const It next = std::upper_bound(begin, end, name, [&](std::string_view wanted, const auto& e) {
    return wanted < first_name(e);
  });
  return next == begin ? begin : std::prev(next);
}

std::string_view FirstOfChunk(const ChunkPtr& chunk) { return chunk->first_name(); }

template <class NodePtr>
std::string_view FirstOfNode(const NodePtr& node) {
  return node->front()->first_name();
}

// By name; of several edits of one name the last.
void SortEdits(std::vector<PartitionEdit>* edits) {
  std::stable_sort(edits->begin(), edits->end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  size_t kept = 0;
  for (size_t i = 0; i < edits->size(); ++i) {
    if (i + 1 < edits->size() && (*edits)[i + 1].name == (*edits)[i].name) continue;
    (*edits)[kept++] = (*edits)[i];
  }
  edits->resize(kept);
}

}  // namespace

// Puts a new set together from nodes and chunks of the old one and new ones.
class PartitionSet::Builder {
 public:
  explicit Builder(PartitionSet* set) : set_(set) {}

  void Keep(const std::shared_ptr<const Node>& node) { set_->nodes_.push_back(node); }

  // The node with the edits that belong to it.
  void Edit(const Node& node, const PartitionEdit* begin, const PartitionEdit* end) {
    std::vector<ChunkPtr> chunks;
    for (auto chunk = node.begin(); chunk != node.end(); ++chunk) {
      const auto next = std::next(chunk);
      const PartitionEdit* stop =
          next == node.end() ? end : std::find_if(begin, end, [&](const PartitionEdit& edit) {
            return edit.name >= (*next)->first_name();
          });
      if (begin == stop) {
        Append(*chunk, &chunks);
        continue;
      }
      std::vector<ChunkPtr> edited;
      (*chunk)->Edited({begin, stop}, &interner_, &edited);
      for (ChunkPtr& part : edited) Append(std::move(part), &chunks);
      begin = stop;
    }
    AddNodes(std::move(chunks));
  }

  void Build(const std::vector<PartitionEdit>& partitions) {
    std::vector<ChunkPtr> chunks;
    PartitionChunk::Build(partitions, &interner_, &chunks);
    AddNodes(std::move(chunks));
  }

 private:
  // Joins a small chunk with the one before it.
  void Append(ChunkPtr chunk, std::vector<ChunkPtr>* chunks) {
    constexpr size_t kMin = PartitionChunk::kMinPartitions;
    if (chunks->empty() || std::min(chunk->size(), chunks->back()->size()) >= kMin) {
      chunks->push_back(std::move(chunk));
      return;
    }
    const ChunkPtr before = std::move(chunks->back());
    chunks->pop_back();
    PartitionChunk::Join(*before, *chunk, &interner_, chunks);
  }

  void AddNodes(std::vector<ChunkPtr> chunks) {
    auto& nodes = set_->nodes_;
    if (!nodes.empty() && chunks.size() < kMinNode && nodes.back()->size() < kMaxNode / 2) {
      chunks.insert(chunks.begin(), nodes.back()->begin(), nodes.back()->end());
      nodes.pop_back();
    }
    const size_t count = (chunks.size() + kMaxNode - 1) / kMaxNode;
    for (size_t i = 0; i < count; ++i) {
      nodes.push_back(std::make_shared<const Node>(
          chunks.begin() + static_cast<ptrdiff_t>(chunks.size() * i / count),
          chunks.begin() + static_cast<ptrdiff_t>(chunks.size() * (i + 1) / count)));
    }
  }

  PartitionSet* const set_;
  PartitionInterner interner_;
};

PartitionSet::Ptr PartitionSet::Empty() {
  static const Ptr empty = std::make_shared<const PartitionSet>();
  return empty;
}

PartitionSet::Ptr PartitionSet::Of(std::vector<Entry> entries) {
  if (entries.empty()) return Empty();
  const auto set = std::make_shared<PartitionSet>();
  set->from_bulk_ = true;
  return set->With(std::move(entries), {});
}

PartitionSet::Ptr PartitionSet::With(std::vector<Entry> put,
                                     const std::vector<std::string>& removed) const {
  const std::vector<Entry> entries = std::move(put);  // What the edits borrow from.
  std::vector<PartitionEdit> edits;
  edits.reserve(entries.size() + removed.size());
  for (const std::string& name : removed) {
    if (Contains(name)) edits.push_back({name, std::nullopt});
  }
  for (const Entry& entry : entries) edits.push_back({entry.name, entry.bytes});
  SortEdits(&edits);
  auto result = std::make_shared<PartitionSet>();
  result->size_ = size_;
  result->from_bulk_ = from_bulk_;
  for (const PartitionEdit& edit : edits) {
    const bool there = size_ > 0 && Contains(edit.name);
    if (edit.bytes && !there) ++result->size_;
    if (!edit.bytes) --result->size_;
  }
  Builder builder(result.get());
  if (nodes_.empty()) {
    std::erase_if(edits, [](const PartitionEdit& edit) { return !edit.bytes; });
    builder.Build(edits);
    return result;
  }
  const PartitionEdit* begin = edits.data();
  const PartitionEdit* const end = begin + edits.size();
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const PartitionEdit* stop = end;
    if (i + 1 < nodes_.size()) {
      stop =
          std::lower_bound(begin, end, FirstOfNode(nodes_[i + 1]),
                           [](const PartitionEdit& e, std::string_view n) { return e.name < n; });
    }
    if (begin == stop) {
      builder.Keep(nodes_[i]);
    } else {
      builder.Edit(*nodes_[i], begin, stop);
    }
    begin = stop;
  }
  return result;
}

const PartitionChunk* PartitionSet::ChunkOf(std::string_view name) const {
  if (nodes_.empty()) return nullptr;
  const auto node =
      Home(nodes_.begin(), nodes_.end(), name, [](const auto& n) { return FirstOfNode(n); });
  return Home((*node)->begin(), (*node)->end(), name, FirstOfChunk)->get();
}

bool PartitionSet::Contains(std::string_view name) const {
  const PartitionChunk* chunk = ChunkOf(name);
  return chunk != nullptr && chunk->Find(name).has_value();
}

bool PartitionSet::AppendPartition(std::string_view name, std::string* out) const {
  const PartitionChunk* chunk = ChunkOf(name);
  if (chunk == nullptr) return false;
  const auto cursor = chunk->Find(name);
  if (!cursor) return false;
  cursor->Expand(out);
  return true;
}

template <class Visit>
void PartitionSet::ForEachChunk(const Visit& visit) const {
  for (const auto& node : nodes_) {
    for (const ChunkPtr& chunk : *node) {
      if (!visit(*chunk)) return;
    }
  }
}

const PartitionValues& PartitionSet::Block::values() const { return chunk_->values(); }

bool PartitionSet::Block::ForEach(const EachPartition& visit) const {
  PartitionChunk::Cursor cursor(*chunk_);
  const Append append = [&cursor](std::string* out) { cursor.Expand(out); };
  while (cursor.Next()) {
    if (!visit(cursor.name(), append)) return false;
  }
  return true;
}

void PartitionSet::ForEachBlock(const std::function<bool(const Block& block)>& visit) const {
  ForEachChunk([&](const PartitionChunk& chunk) { return visit(Block(&chunk)); });
}

void PartitionSet::ForEach(const EachPartition& visit) const {
  ForEachBlock([&](const Block& block) { return block.ForEach(visit); });
}

std::vector<std::string> PartitionSet::Names(int64_t max) const {
  size_t left = max < 0 ? size_ : std::min(size_, static_cast<size_t>(max));
  std::vector<std::string> names;
  names.reserve(left);
  ForEachChunk([&](const PartitionChunk& chunk) {
    PartitionChunk::Cursor cursor(chunk);
    for (; left > 0 && cursor.Next(); --left) names.emplace_back(cursor.name());
    return left > 0;
  });
  return names;
}

size_t PartitionSet::AppendFirst(int64_t max, std::string* out) const {
  const size_t count = max < 0 ? size_ : std::min(size_, static_cast<size_t>(max));
  size_t left = count;
  ForEachChunk([&](const PartitionChunk& chunk) {
    PartitionChunk::Cursor cursor(chunk);
    for (; left > 0 && cursor.Next(); --left) cursor.Expand(out);
    return left > 0;
  });
  return count;
}

size_t PartitionSet::memory_bytes() const {
  size_t bytes = sizeof(*this) + nodes_.capacity() * sizeof(nodes_[0]);
  std::unordered_set<const void*> counted;
  for (const auto& node : nodes_) {
    bytes += sizeof(Node) + kAllocation + node->capacity() * sizeof(ChunkPtr);
  }
  ForEachChunk([&](const PartitionChunk& chunk) {
    bytes += chunk.own_bytes() + 6 * kAllocation;
    for (const TemplatePtr& shape : chunk.dictionary().templates()) {
      if (!counted.insert(shape.get()).second) continue;
      bytes += sizeof(PartitionTemplate) + 3 * kAllocation + shape->literal.capacity() +
               shape->cuts.capacity() * sizeof(PartitionTemplate::Cut);
    }
    for (const TextPtr& text : chunk.dictionary().texts()) {
      if (!counted.insert(text.get()).second) continue;
      bytes += sizeof(std::string) + 2 * kAllocation + text->capacity();
    }
    return true;
  });
  return bytes;
}

}  // namespace catalogd::cache
