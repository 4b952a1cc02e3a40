#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/coord/service/packed_text.h"
#include "catalog/coord/store/records.h"

namespace catalogd::coord {

// A data file and the versions between which it is live.
struct FileEntry {
  int64_t size = 0;
  int64_t rows = 0;
  IdVersion added;
  IdVersion removed;   // 0: by nobody.
  uint32_t group = 0;  // Of its partition's groups.
  FileKind kind = FileKind::kDelta;

  [[nodiscard]] bool LiveAt(IdVersion version) const {
    return added <= version && (removed.value() == 0 || removed > version);
  }
};

// The data files of a table over all versions that are kept: what a reader of a version sees is
// what is live then, so a commit that is prepared is in here and nobody sees it (C-I6).
// Thread safety: none; under the table's mutex.
// Invariants: C-I5 of a partition's name one entry is live at a version.
// Memory: a live file takes less than 200 bytes with a name of 60, five of them in a group
// (tests/bench/coord_slices_bench.cc).
class TableFiles {
 public:
  // REQUIRES: no live one of that name in the partition.
  void Add(const FileRecord& file, IdVersion added, IdVersion removed);
  // Its file group; none: it is not live.
  std::optional<std::string> Remove(const std::string& partition, const std::string& name,
                                    IdVersion removed);
  // What the version, which was undone, had added and removed. Looks at every file.
  void Undo(IdVersion version);
  // Files that were removed at or before `up_to`: nobody reads these versions any more.
  void Forget(IdVersion up_to);

  [[nodiscard]] bool IsLive(const std::string& partition, const std::string& name,
                            IdVersion version) const;
  // None: it is not live at that version.
  [[nodiscard]] std::optional<std::string> GroupOf(const std::string& partition,
                                                   const std::string& name,
                                                   IdVersion version) const;
  [[nodiscard]] size_t live() const { return live_; }

  using Visit = std::function<void(const std::string& partition, const std::string& file_id,
                                   const std::string& name, const FileEntry& file)>;
  // Of one partition, or of all; by partition and name.
  void ForEach(const std::string& partition, const Visit& visit) const;
  void ForEach(const Visit& visit) const;
  [[nodiscard]] std::vector<std::string> partitions() const;

  // For whoever goes through a table in steps: the first group at or behind `from`, by partition
  // and file id.
  [[nodiscard]] std::optional<FileGroup> GroupFrom(const FileGroup& from) const;
  // Of one group, in no order.
  void ForEachOf(const FileGroup& group, const Visit& visit) const;

 private:
  struct File;
  using NamedFile = std::pair<const PackedText, File>;
  struct File {
    FileEntry entry;
    // The others of its group, in no order.
    NamedFile* before = nullptr;
    NamedFile* behind = nullptr;
  };
  struct Group {
    uint32_t number = 0;
    NamedFile* first = nullptr;
  };
  using Groups = std::map<PackedText, Group, PackedText::Less>;
  struct Partition {
    // One name comes twice when it was removed and added again.
    std::multimap<PackedText, File, PackedText::Less> files;
    Groups groups;
    std::vector<Groups::value_type*> numbered;  // nullptr: in `free_numbers`.
    std::vector<uint32_t> free_numbers;
  };
  using Partitions = std::map<std::string, Partition, std::less<>>;
  struct RemovedFile {
    std::string partition;
    NamedFile* file = nullptr;
  };

  static Groups::value_type* MakeGroup(Partition* partition, const std::string& file_id);
  static void Unlink(Partition* partition, NamedFile* file);
  void Erase(const RemovedFile& removed);
  static void VisitAll(const std::string& name, const Partition& partition, const Visit& visit);

  Partitions partitions_;
  std::multimap<IdVersion, RemovedFile> removed_;
  size_t live_ = 0;
};

}  // namespace catalogd::coord
