#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catalog/base/result.h"
#include "tools/catalogctl/daemon_client.h"

// The subcommands: each makes one call and gives back what is to be printed.
namespace catalogd::ctl {

struct CommandOptions {
  bool json = false;
  std::vector<std::string> names;
  std::optional<int64_t> event_id;
  std::string filter;
  std::string mode;
  std::string reason;  // Of a reset. Empty: the daemon says that an operator asked.
  int offset = 0;
  int limit = 50;
  int64_t timeout_ms = 30000;
  bool follow = false;
  bool repair = false;
  std::optional<int64_t> from_version;
  // Long output as it comes, and what is only for people who look on.
  std::function<void(const std::string&)> print;
  std::function<void(const std::string&)> progress;
};

// What goes to standard output, and the exit code that goes with it.
struct Output {
  std::string text;
  int exit_code = 0;
};

// One line for standard error: "catalogctl: TEXT", or {"error": {"code": ..., "message": ...}}.
std::string ErrorText(const Error& error, bool json);

using Command = Result<Output> (*)(DaemonClient*, const CommandOptions&);

Result<Output> RunStatus(DaemonClient* client, const CommandOptions& options);
Result<Output> RunGet(DaemonClient* client, const CommandOptions& options);
Result<Output> RunList(DaemonClient* client, const CommandOptions& options);
Result<Output> RunWait(DaemonClient* client, const CommandOptions& options);
Result<Output> RunSync(DaemonClient* client, const CommandOptions& options);
// With `follow`: prints until it fails.
Result<Output> RunEvents(DaemonClient* client, const CommandOptions& options);
// Prints as it comes; with `follow`, until it fails.
Result<Output> RunSubscribe(DaemonClient* client, const CommandOptions& options);
// Exit code 7 (conflict) when something differs.
Result<Output> RunDiff(DaemonClient* client, const CommandOptions& options);
// Exit code 5 (invalid_state) when a finding is fatal.
Result<Output> RunDoctor(DaemonClient* client, const CommandOptions& options);
Result<Output> RunLocks(DaemonClient* client, const CommandOptions& options);
Result<Output> RunReadMode(DaemonClient* client, const CommandOptions& options);
Result<Output> RunReset(DaemonClient* client, const CommandOptions& options);
Result<Output> RunPause(DaemonClient* client, const CommandOptions& options);
Result<Output> RunResume(DaemonClient* client, const CommandOptions& options);
Result<Output> RunConfig(DaemonClient* client, const CommandOptions& options);

}  // namespace catalogd::ctl
