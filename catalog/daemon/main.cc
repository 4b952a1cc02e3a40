// catalogd: the daemon. Exit codes: 0 stopped on a signal, 1 could not start, 2 wrong usage.
#include <glog/logging.h>
#include <pthread.h>
#include <signal.h>

#include <cstdio>

#include "catalog/daemon/command_line.h"
#include "catalog/daemon/daemon.h"
#include "catalog/daemon/metastore_server.h"

extern char** environ;

namespace {

using catalogd::daemon::CommandLine;
using catalogd::daemon::Configuration;

void StartLogging(const catalogd::daemon::Options& options) {
  FLAGS_logtostderr = options.log_to_stderr && options.log_dir.empty();
  FLAGS_alsologtostderr = options.log_to_stderr;
  if (options.log_dir.empty()) {
    for (int severity = 0; severity < google::NUM_SEVERITIES; ++severity) {
      google::SetLogDestination(severity, "");
    }
  } else {
    FLAGS_log_dir = options.log_dir;
  }
  if (!options.log_to_stderr) FLAGS_stderrthreshold = google::NUM_SEVERITIES;
  if (options.log_level == "debug") FLAGS_v = 1;
  if (options.log_level == "warning") FLAGS_minloglevel = google::GLOG_WARNING;
  if (options.log_level == "error") FLAGS_minloglevel = google::GLOG_ERROR;
  google::InitGoogleLogging("catalogd");
}

// Blocked in every thread, so that only this one takes them.
sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

int Fail(const catalogd::Error& error) {
  std::fprintf(stderr, "catalogd: %s\n", error.message.c_str());
  return error.code == catalogd::ErrorCode::kInvalidArgument ? 2 : 1;
}

void WaitForSignal(const sigset_t& signals) {
  int signal_number = 0;
  sigwait(&signals, &signal_number);
}

int Serve(const Configuration& configuration, const sigset_t& signals) {
  auto daemon = catalogd::daemon::Daemon::Start(configuration);
  if (!daemon) return Fail(daemon.error());
  std::printf("catalogd ready endpoint=%s web=%s\n", (*daemon)->endpoint().c_str(),
              (*daemon)->web().c_str());
  std::fflush(stdout);
  WaitForSignal(signals);
  (*daemon)->Stop();
  return 0;
}

int ServeMetastore(const Configuration& configuration, const sigset_t& signals) {
  auto server = catalogd::daemon::MetastoreServer::Start(configuration);
  if (!server) return Fail(server.error());
  std::printf("catalogd metastore ready endpoint=%s\n", (*server)->endpoint().c_str());
  std::fflush(stdout);
  WaitForSignal(signals);
  (*server)->Stop();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const CommandLine line = catalogd::daemon::ParseCommandLine(argc, argv, environ);
  if (line.command == CommandLine::Command::kDone) return line.exit_code;
  const auto configuration = catalogd::daemon::ResolveOptions(line.sources);
  if (!configuration) return Fail(configuration.error());
  if (line.command == CommandLine::Command::kConfig) {
    std::fputs(catalogd::daemon::ConfigurationText(*configuration).c_str(), stdout);
    return 0;
  }
  StartLogging(configuration->options);
  const sigset_t signals = BlockStopSignals();
  return line.command == CommandLine::Command::kMetastore ? ServeMetastore(*configuration, signals)
                                                          : Serve(*configuration, signals);
}
