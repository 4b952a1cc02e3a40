#pragma once

#include <string>

#include "catalog/daemon/options.h"

namespace catalogd::daemon {

// What was asked for on the command line.
struct CommandLine {
  enum class Command { kServe, kMetastore, kConfig, kDone };
  Command command = Command::kServe;
  OptionSources sources;
  bool json = false;  // kConfig.
  int exit_code = 0;  // kDone: help, version or a usage error has been printed.
};

// `environment`: the process's, of which the CATALOGD_* variables count. Prints help, version and
// usage errors (with a suggestion for a mistyped option) itself.
CommandLine ParseCommandLine(int argc, const char* const* argv, const char* const* environment);

// The text of `catalogd config`: every option with value, origin and meaning.
std::string ConfigurationText(const Configuration& configuration);
// The same for programs, in the form of `catalogctl config --json`.
std::string ConfigurationJson(const Configuration& configuration);

}  // namespace catalogd::daemon
