#include "catalog/coord/service/table_files.h"

#include <utility>

namespace catalogd::coord {

TableFiles::Groups::value_type* TableFiles::MakeGroup(Partition* partition,
                                                      const std::string& file_id) {
  const auto found = partition->groups.find(std::string_view(file_id));
  if (found != partition->groups.end()) return &*found;
  Group group;
  if (partition->free_numbers.empty()) {
    group.number = static_cast<uint32_t>(partition->numbered.size());
    partition->numbered.push_back(nullptr);
  } else {
    group.number = partition->free_numbers.back();
    partition->free_numbers.pop_back();
  }
  Groups::value_type* const made = &*partition->groups.emplace(PackedText(file_id), group).first;
  partition->numbered[group.number] = made;
  return made;
}

void TableFiles::Add(const FileRecord& file, IdVersion added, IdVersion removed) {
  Partition& partition = partitions_[file.group.partition];
  Groups::value_type* const group = MakeGroup(&partition, file.group.file_id);
  File made;
  made.entry.size = file.size;
  made.entry.rows = file.rows;
  made.entry.added = added;
  made.entry.removed = removed;
  made.entry.group = group->second.number;
  made.entry.kind = file.kind;
  made.behind = group->second.first;
  NamedFile* const place = &*partition.files.emplace(PackedText(file.name), made);
  if (made.behind != nullptr) made.behind->second.before = place;
  group->second.first = place;
  if (removed.value() == 0) {
    ++live_;
  } else {
    removed_.emplace(removed, RemovedFile{file.group.partition, place});
  }
}

std::optional<std::string> TableFiles::Remove(const std::string& partition, const std::string& name,
                                              IdVersion removed) {
  const auto found = partitions_.find(partition);
  if (found == partitions_.end()) return std::nullopt;
  const auto [first, last] = found->second.files.equal_range(std::string_view(name));
  for (auto file = first; file != last; ++file) {
    FileEntry& entry = file->second.entry;
    if (entry.removed.value() != 0) continue;
    entry.removed = removed;
    removed_.emplace(removed, RemovedFile{partition, &*file});
    --live_;
    return std::string(found->second.numbered[entry.group]->first.view());
  }
  return std::nullopt;
}

void TableFiles::Unlink(Partition* partition, NamedFile* file) {
  const File& old = file->second;
  Groups::value_type* const group = partition->numbered[old.entry.group];
  (old.before == nullptr ? group->second.first : old.before->second.behind) = old.behind;
  if (old.behind != nullptr) old.behind->second.before = old.before;
  if (group->second.first != nullptr) return;
  partition->numbered[old.entry.group] = nullptr;
  partition->free_numbers.push_back(old.entry.group);
  partition->groups.erase(partition->groups.find(group->first.view()));
}

void TableFiles::Erase(const RemovedFile& removed) {
  const auto partition = partitions_.find(removed.partition);
  auto& files = partition->second.files;
  const auto [first, last] = files.equal_range(removed.file->first.view());
  for (auto file = first; file != last; ++file) {
    if (&*file != removed.file) continue;
    Unlink(&partition->second, removed.file);
    files.erase(file);
    break;
  }
  if (files.empty()) partitions_.erase(partition);
}

void TableFiles::Undo(IdVersion version) {
  const auto [first, last] = removed_.equal_range(version);
  for (auto removed = first; removed != last; ++removed) {
    removed->second.file->second.entry.removed = IdVersion();
    ++live_;
  }
  removed_.erase(first, last);
  for (auto partition = partitions_.begin(); partition != partitions_.end();) {
    auto& files = partition->second.files;
    for (auto file = files.begin(); file != files.end();) {
      if (file->second.entry.added != version) {
        ++file;
        continue;
      }
      if (file->second.entry.removed.value() == 0) --live_;
      Unlink(&partition->second, &*file);
      file = files.erase(file);
    }
    partition = files.empty() ? partitions_.erase(partition) : std::next(partition);
  }
}

void TableFiles::Forget(IdVersion up_to) {
  const auto last = removed_.upper_bound(up_to);
  for (auto removed = removed_.begin(); removed != last; ++removed) Erase(removed->second);
  removed_.erase(removed_.begin(), last);
}

std::optional<std::string> TableFiles::GroupOf(const std::string& partition,
                                               const std::string& name, IdVersion version) const {
  const auto found = partitions_.find(partition);
  if (found == partitions_.end()) return std::nullopt;
  const auto [first, last] = found->second.files.equal_range(std::string_view(name));
  for (auto file = first; file != last; ++file) {
    const FileEntry& entry = file->second.entry;
    if (entry.LiveAt(version))
      return std::string(found->second.numbered[entry.group]->first.view());
  }
  return std::nullopt;
}

bool TableFiles::IsLive(const std::string& partition, const std::string& name,
                        IdVersion version) const {
  return GroupOf(partition, name, version).has_value();
}

void TableFiles::VisitAll(const std::string& name, const Partition& partition, const Visit& visit) {
  for (const auto& [file, data] : partition.files) {
    visit(name, std::string(partition.numbered[data.entry.group]->first.view()),
          std::string(file.view()), data.entry);
  }
}

void TableFiles::ForEach(const std::string& partition, const Visit& visit) const {
  const auto found = partitions_.find(partition);
  if (found != partitions_.end()) VisitAll(found->first, found->second, visit);
}

void TableFiles::ForEach(const Visit& visit) const {
  for (const auto& [name, partition] : partitions_) VisitAll(name, partition, visit);
}

std::vector<std::string> TableFiles::partitions() const {
  std::vector<std::string> names;
  names.reserve(partitions_.size());
  for (const auto& [name, partition] : partitions_) names.push_back(name);
  return names;
}

std::optional<FileGroup> TableFiles::GroupFrom(const FileGroup& from) const {
  auto partition = partitions_.lower_bound(from.partition);
  if (partition == partitions_.end()) return std::nullopt;
  const Groups& groups = partition->second.groups;
  auto group = groups.begin();
  if (partition->first == from.partition) {
    group = groups.lower_bound(std::string_view(from.file_id));
    if (group == groups.end()) {
      if (++partition == partitions_.end()) return std::nullopt;
      group = partition->second.groups.begin();
    }
  }
  return FileGroup{partition->first, std::string(group->first.view())};
}

void TableFiles::ForEachOf(const FileGroup& group, const Visit& visit) const {
  const auto partition = partitions_.find(group.partition);
  if (partition == partitions_.end()) return;
  const auto found = partition->second.groups.find(std::string_view(group.file_id));
  if (found == partition->second.groups.end()) return;
  for (const NamedFile* file = found->second.first; file != nullptr; file = file->second.behind) {
    visit(group.partition, group.file_id, std::string(file->first.view()), file->second.entry);
  }
}

}  // namespace catalogd::coord
