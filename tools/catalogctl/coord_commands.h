#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/catalogctl/commands.h"

// `catalogctl coord ...`: one call of catalogd_coord.thrift each (slices: as many as there are
// pages), and what is to be printed.
namespace catalogd::ctl {

struct CoordArguments {
  std::string user;   // Sent as set_ugi; empty: nothing is said.
  std::string owner;  // Of leases.
  std::string table;
  // Registering and options.
  std::string type = "MOR";
  std::string policy = "maxcompute";
  std::string base_path;
  std::vector<std::string> settings;  // "name=value".
  std::string resolve;
  bool accept_no_cas = false;
  bool take_over = false;
  bool force = false;
  // Transactions and plans.
  int64_t txn_id = 0;
  int64_t plan_id = 0;
  int64_t fence = 0;
  std::string state;
  std::string plan_type;
  std::vector<std::string> plan_types;
  std::string reason;
  int limit = 100;
  int64_t lease_ms = 0;
  int64_t wait_ms = 0;
  bool forced = false;
  bool cancellable = false;
  bool external_override = false;
  // Reading.
  std::vector<std::string> partitions;
  std::string form = "MERGED";
  std::string at;  // A completion time.
  int64_t version = 0;
  std::string axis = "ID";
  std::string from;
  std::string to;
  bool services = false;
  std::string earlier;
  std::string later;
};

using CoordCommand = Result<Output> (*)(DaemonClient*, const CommandOptions&,
                                        const CoordArguments&);

Result<Output> CoordTables(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordState(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordRegister(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordUnregister(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordSet(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordTxns(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordAbort(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordPlans(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordSchedule(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordClaim(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordCancel(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordReset(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordSlices(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordIncremental(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordVersions(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordExplain(DaemonClient*, const CommandOptions&, const CoordArguments&);
Result<Output> CoordConflicts(DaemonClient*, const CommandOptions&, const CoordArguments&);
// Exit code 7 (conflict) when something is wrong with the files.
Result<Output> CoordFsck(DaemonClient*, const CommandOptions&, const CoordArguments&);

}  // namespace catalogd::ctl
