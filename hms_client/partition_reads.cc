#include <algorithm>
#include <iterator>
#include <utility>

#include "hms_client/metastore_client.h"

// Reading the partitions of a table in calls of bounded size: a metastore asked for a hundred
// thousand partitions at once runs out of memory or of time.
namespace catalogd::hms {
namespace {

// Answers that a smaller request may not run into: the server's limit for one request, its memory,
// a connection that was cut, a deadline inside the server.
bool MayHelpToAskForFewer(const Error& error) {
  return error.code == ErrorCode::kInternal || error.code == ErrorCode::kUnknownOutcome;
}

// Hive 4 reports a missing table from get_partitions_by_names as an InvalidObjectException.
bool IsMissingTable(const Answer& answer) {
  return answer.thrown() == Thrown::kInvalidObject &&
         answer.text().find("table not found") != std::string::npos;
}

}  // namespace

// Small tables come whole in one call, which also asks for one more than a batch to see whether
// that was all.
Result<std::vector<std::string>> MetastoreClient::ReadPartitions(const ObjectName& table,
                                                                 TimePoint deadline) {
  ASSIGN_OR_RETURN(const std::string db,
                   DatabaseArgumentFor(table.catalog(), table.db(), deadline));
  const Method& method = methods::kGetPartitions;
  Args args;
  args.String(1, db).String(2, table.table()).I16(3, static_cast<int16_t>(kPartitionBatch + 1));
  auto answer = Ask(method, args, deadline);
  if (answer) {
    auto partitions = answer->Structs();
    if (partitions && partitions->size() <= kPartitionBatch) return partitions;
    if (!partitions && !MayHelpToAskForFewer(partitions.error())) {
      return AsError(std::move(partitions)
                         .error()
                         .WithContext(std::string(method.name) + " " + table.ToString()));
    }
  } else if (!MayHelpToAskForFewer(answer.error())) {
    return AsError(std::move(answer).error());
  }
  ASSIGN_OR_RETURN(const auto names, PartitionNames(table, deadline));
  return ReadPartitionsByNames(table, names, deadline);
}

Result<std::vector<std::string>> MetastoreClient::PartitionNames(const ObjectName& table,
                                                                 TimePoint deadline) {
  ASSIGN_OR_RETURN(const std::string db,
                   DatabaseArgumentFor(table.catalog(), table.db(), deadline));
  ASSIGN_OR_RETURN(const ServerFacts facts, KnownFacts(deadline));
  const Method& method = facts.generation == Generation::kHive2 ? methods::kGetPartitionNamesHive2
                                                                : methods::kGetPartitionNames;
  Args args;
  args.String(1, db).String(2, table.table()).I16(3, -1);
  ASSIGN_OR_RETURN(const Answer answer, Ask(method, args, deadline));
  auto names = answer.Strings();
  if (names) return names;
  return AsError(
      std::move(names).error().WithContext(std::string(method.name) + " " + table.ToString()));
}

Result<std::vector<std::string>> MetastoreClient::ReadPartitionsByNames(
    const ObjectName& table, const std::vector<std::string>& names, TimePoint deadline) {
  std::vector<std::string> partitions;
  size_t batch = kPartitionBatch;
  for (size_t from = 0; from < names.size();) {
    const size_t count = std::min(batch, names.size() - from);
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(from);
    const std::vector<std::string> part(first, first + static_cast<std::ptrdiff_t>(count));
    auto status = AppendPartitions(table, part, deadline, &partitions);
    if (status) {
      from += count;
    } else if (count > 1 && MayHelpToAskForFewer(status.error())) {
      // What a server could not do once it cannot do for the rest either: stay small.
      batch = count / 2;
    } else {
      return AsError(std::move(status).error());
    }
  }
  return partitions;
}

Status MetastoreClient::AppendPartitions(const ObjectName& table,
                                         const std::vector<std::string>& names, TimePoint deadline,
                                         std::vector<std::string>* out) {
  ASSIGN_OR_RETURN(const std::string db,
                   DatabaseArgumentFor(table.catalog(), table.db(), deadline));
  const Method& method = methods::kGetPartitionsByNames;
  ASSIGN_OR_RETURN(
      const Answer answer,
      Ask(method, Args().String(1, db).String(2, table.table()).Strings(3, names), deadline));
  auto partitions = answer.Structs();
  if (!partitions) {
    Error error = std::move(partitions)
                      .error()
                      .WithContext(std::string(method.name) + " " + table.ToString());
    if (IsMissingTable(answer)) error.code = ErrorCode::kNotFound;
    return AsError(std::move(error));
  }
  out->insert(out->end(), std::make_move_iterator(partitions->begin()),
              std::make_move_iterator(partitions->end()));
  return Ok();
}

}  // namespace catalogd::hms
