#pragma once

#include <string>
#include <vector>

#include "catalog/coord/conflict_check.h"
#include "catalog/coord/service/coord_error.h"
#include "catalog/coord/service/table_state.h"
#include "catalogd_coord_idl/catalogd_coord_types.h"

// What a commit says about files, checked and in the terms of the core and the store.
// Thread safety: pure functions; those that take a state, under its mutex.
namespace catalogd::coord {

struct CommitFiles {
  std::vector<FileRecord> added;  // `table_id` and `added_by` are not set yet.
  PartitionChanges changes;
};

// `requested`: the instant that names of data files must have, where the table's names have one.
// INVALID_ARGUMENT with the name of the file and what is wrong with it.
CoordResult<CommitFiles> ReadCommitFiles(const api::CommitRequest& request, TableType type,
                                         const Instant& requested);

// The files that the check needs to know of: those that the commit removes, and everything in
// partitions where more may be removed than it names.
LiveFiles LiveFilesFor(const TableState& state, OpClass op, const PartitionChanges& changes);

}  // namespace catalogd::coord
