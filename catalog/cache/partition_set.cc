#include "catalog/cache/partition_set.h"

#include <algorithm>
#include <map>
#include <optional>

namespace catalogd::cache {
namespace {

constexpr size_t kMaxChunk = 512;

}  // namespace

struct PartitionSet::Chunk {
  std::vector<std::string> names;  // Sorted.
  std::vector<std::string> bytes;
};

PartitionSet::Ptr PartitionSet::Empty() {
  static const Ptr empty = std::make_shared<const PartitionSet>();
  return empty;
}

PartitionSet::Ptr PartitionSet::Of(std::vector<Entry> entries) {
  return Empty()->With(std::move(entries), {});
}

PartitionSet::Ptr PartitionSet::With(std::vector<Entry> put,
                                     const std::vector<std::string>& removed) const {
  std::map<std::string, std::optional<std::string>> edits;
  for (const std::string& name : removed) edits[name] = std::nullopt;
  for (Entry& entry : put) edits[std::move(entry.name)] = std::move(entry.bytes);
  auto result = std::make_shared<PartitionSet>();
  auto edit = edits.begin();
  auto open = std::make_shared<Chunk>();
  const auto flush = [&] {
    if (open->names.empty()) return;
    result->size_ += open->names.size();
    result->chunks_.push_back(std::move(open));
    open = std::make_shared<Chunk>();
  };
  const auto add = [&](std::string name, std::string bytes) {
    open->names.push_back(std::move(name));
    open->bytes.push_back(std::move(bytes));
    if (open->names.size() >= kMaxChunk) flush();
  };
  const auto add_edit = [&] {
    if (edit->second) add(edit->first, std::move(*edit->second));
    ++edit;
  };
  for (const auto& chunk : chunks_) {
    if (edit == edits.end() || edit->first > chunk->names.back()) {
      flush();
      result->size_ += chunk->names.size();
      result->chunks_.push_back(chunk);
      continue;
    }
    for (size_t i = 0; i < chunk->names.size(); ++i) {
      while (edit != edits.end() && edit->first < chunk->names[i]) add_edit();
      if (edit != edits.end() && edit->first == chunk->names[i]) {
        add_edit();
      } else {
        add(chunk->names[i], chunk->bytes[i]);
      }
    }
  }
  while (edit != edits.end()) add_edit();
  flush();
  return result;
}

bool PartitionSet::Contains(std::string_view name) const {
  std::string ignored;
  return AppendPartition(name, &ignored);
}

bool PartitionSet::AppendPartition(std::string_view name, std::string* out) const {
  const auto chunk = std::lower_bound(chunks_.begin(), chunks_.end(), name,
                                      [](const auto& candidate, std::string_view wanted) {
                                        return candidate->names.back() < wanted;
                                      });
  if (chunk == chunks_.end()) return false;
  const auto& names = (*chunk)->names;
  const auto at = std::lower_bound(names.begin(), names.end(), name);
  if (at == names.end() || *at != name) return false;
  out->append((*chunk)->bytes[static_cast<size_t>(at - names.begin())]);
  return true;
}

void PartitionSet::ForEach(
    const std::function<bool(std::string_view name, const Append& append)>& visit) const {
  for (const auto& chunk : chunks_) {
    for (size_t i = 0; i < chunk->names.size(); ++i) {
      const Append append = [&](std::string* out) { out->append(chunk->bytes[i]); };
      if (!visit(chunk->names[i], append)) return;
    }
  }
}

std::vector<std::string> PartitionSet::Names(int64_t max) const {
  std::vector<std::string> names;
  for (const auto& chunk : chunks_) {
    for (const std::string& name : chunk->names) {
      if (max >= 0 && static_cast<int64_t>(names.size()) >= max) return names;
      names.push_back(name);
    }
  }
  return names;
}

size_t PartitionSet::AppendFirst(int64_t max, std::string* out) const {
  size_t count = 0;
  for (const auto& chunk : chunks_) {
    for (const std::string& bytes : chunk->bytes) {
      if (max >= 0 && static_cast<int64_t>(count) >= max) return count;
      out->append(bytes);
      ++count;
    }
  }
  return count;
}

size_t PartitionSet::memory_bytes() const {
  size_t bytes = sizeof(*this);
  for (const auto& chunk : chunks_) {
    for (size_t i = 0; i < chunk->names.size(); ++i) {
      bytes += 2 * sizeof(std::string) + chunk->names[i].capacity() + chunk->bytes[i].capacity();
    }
  }
  return bytes;
}

}  // namespace catalogd::cache
