#include "catalog/coord/service/commit_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalog/coord/data_file_names.h"

namespace catalogd::coord {
namespace {

constexpr size_t kMaxName = 4096;

bool NamesHaveInstants(TableType type) {
  return type == TableType::kMergeOnRead || type == TableType::kCopyOnWrite;
}

CoordStatus CheckName(const std::string& name, std::string_view what) {
  if (name.empty() || name.size() > kMaxName || name.find('\0') != std::string::npos) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("{}: a name has 1 to {} bytes and no NUL", what, kMaxName));
  }
  return {};
}

CoordResult<FileKind> KindOf(const std::string& word) {
  if (word.empty() || word == "DELTA") return FileKind::kDelta;
  if (word == "BASE") return FileKind::kBase;
  if (word == "LOG") return FileKind::kLog;
  return Fail(CoordCode::kInvalidArgument,
              fmt::format("'{}' is no kind of a file; allowed: BASE, LOG, DELTA", word));
}

CoordStatus TakeFromName(const api::DataFile& file, const Instant& requested, FileRecord* record) {
  const auto parsed = ParseDataFileName(file.name);
  if (!parsed || !*parsed) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("'{}' is no name of a data file: {}", file.name,
                            parsed ? "it has not the form of one" : parsed.error().message));
  }
  const BaseName* base = std::get_if<BaseName>(&**parsed);
  const LogName* log = std::get_if<LogName>(&**parsed);
  const Instant& instant = base != nullptr ? base->instant : log->instant;
  record->group.file_id = base != nullptr ? base->file_id : log->file_id;
  record->kind = base != nullptr ? FileKind::kBase : FileKind::kLog;
  if (instant != requested) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("'{}' has the instant {}, and this commit was requested at {}: name "
                            "data files after the instant that was given",
                            file.name, instant.text(), requested.text()));
  }
  if (!file.file_id.empty() && file.file_id != record->group.file_id) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("'{}' is of file group {}, not of {}", file.name, record->group.file_id,
                            file.file_id));
  }
  return {};
}

CoordResult<FileRecord> ReadFile(const api::DataFile& file, TableType type,
                                 const Instant& requested) {
  COORD_RETURN_IF_FAILED(CheckName(file.name, "added file"));
  if (file.partition.size() > kMaxName || file.size < 0 || file.row_count < 0) {
    return Fail(CoordCode::kInvalidArgument,
                fmt::format("'{}': sizes and row counts are not below 0, partitions not longer "
                            "than {} bytes",
                            file.name, kMaxName));
  }
  FileRecord record;
  record.group.partition = file.partition;
  record.name = file.name;
  record.size = file.size;
  record.rows = file.row_count;
  if (NamesHaveInstants(type)) {
    COORD_RETURN_IF_FAILED(TakeFromName(file, requested, &record));
    return record;
  }
  COORD_ASSIGN_OR_RETURN(record.kind, KindOf(file.kind));
  record.group.file_id = file.file_id.empty() ? file.name : file.file_id;
  return record;
}

}  // namespace

CoordResult<CommitFiles> ReadCommitFiles(const api::CommitRequest& request, TableType type,
                                         const Instant& requested) {
  CommitFiles files;
  for (const std::string& partition : request.partitions) files.changes[partition];
  for (const api::DataFile& file : request.added) {
    COORD_ASSIGN_OR_RETURN(FileRecord record, ReadFile(file, type, requested));
    PartitionChange& change = files.changes[file.partition];
    if (!change.added.insert(file.name).second) {
      return Fail(CoordCode::kInvalidArgument, fmt::format("'{}' is added twice", file.name));
    }
    change.groups.insert(record.group.file_id);
    files.added.push_back(std::move(record));
  }
  for (const api::PartitionFile& file : request.removed) {
    COORD_RETURN_IF_FAILED(CheckName(file.name, "removed file"));
    PartitionChange& change = files.changes[file.partition];
    if (change.added.contains(file.name)) {
      return Fail(CoordCode::kInvalidArgument,
                  fmt::format("'{}' is added and removed by one commit", file.name));
    }
    change.removed.insert(file.name);
  }
  for (const api::FileGroupRef& group : request.replaced_groups) {
    files.changes[group.partition].groups.insert(group.file_id);
  }
  return files;
}

LiveFiles LiveFilesFor(const TableState& state, OpClass op, const PartitionChanges& changes) {
  const IdVersion now = state.record().row.id_version;
  LiveFiles live;
  for (const auto& [partition, change] : changes) {
    std::set<std::string>& names = live[partition];
    if (op != OpClass::kOverwrite && op != OpClass::kMajor) {
      for (const std::string& name : change.removed) {
        if (state.files().IsLive(partition, name, now)) names.insert(name);
      }
      continue;
    }
    state.files().ForEach(partition, [&](const std::string&, const std::string&,
                                         const std::string& name, const FileEntry& file) {
      if (file.LiveAt(now)) names.insert(name);
    });
  }
  return live;
}

}  // namespace catalogd::coord
