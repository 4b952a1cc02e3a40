// catalogd: the daemon. Exit codes: 0 stopped on a signal, 1 could not start or stop, 2 wrong
// usage.
#include <glog/logging.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "catalog/base/clock.h"
#include "catalog/base/executor.h"
#include "catalog/daemon/command_line.h"
#include "catalog/daemon/daemon.h"
#include "catalog/daemon/metastore_server.h"

extern char** environ;

namespace {

using catalogd::daemon::CommandLine;
using catalogd::daemon::Configuration;

constexpr auto kStopGrace = std::chrono::seconds(3);

catalogd::Status StartLogging(const catalogd::daemon::Options& options) {
  if (!options.log_dir.empty() && ::access(options.log_dir.c_str(), W_OK | X_OK) != 0) {
    return catalogd::MakeError(catalogd::ErrorCode::kUnavailable,
                               "log directory " + options.log_dir +
                                   " cannot be written: " + std::system_category().message(errno) +
                                   "; make it, or choose another with --log-dir");
  }
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
  return catalogd::Ok();
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

// A connection is a file, and shells allow a thousand of them unless asked for more.
void AllowManyFiles(size_t max_connections) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
  constexpr size_t kForItself = 1000;  // Metastore connections, SQLite, the log.
  if (limit.rlim_cur >= max_connections + kForItself) return;
  LOG(WARNING) << "the system allows this process " << limit.rlim_cur << " files, too few for "
               << max_connections
               << " connections (--max-connections); raise the hard limit (ulimit -Hn, "
                  "LimitNOFILE=)";
}

int Fail(const catalogd::Error& error) {
  std::fprintf(stderr, "catalogd: %s\n", error.message.c_str());
  return error.code == catalogd::ErrorCode::kInvalidArgument ? 2 : 1;
}

// A second signal ends the process at once.
void WaitForSignal(const sigset_t& signals) {
  int signal_number = 0;
  sigwait(&signals, &signal_number);
  LOG(INFO) << "signal " << signal_number << "; another one ends the process at once";
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

// Calls that hang at the metastore must not hold up the end for ever. The exit code.
template <class Server>
int StopInTime(Server* server, catalogd::Duration stop_timeout) {
  const catalogd::Clock& clock = catalogd::SystemClock();
  catalogd::ThreadTimer watchdog(clock);
  watchdog.At(clock.Now() + stop_timeout + kStopGrace, [] {
    LOG(ERROR) << "calls at the metastore did not end within --stop-timeout; ending without them";
    google::FlushLogFiles(google::GLOG_INFO);
    ::_exit(1);
  });
  const size_t left = server->Stop();
  if (left == 0) return 0;
  LOG(ERROR) << left << " calls were not answered within --stop-timeout, and their clients cut off";
  return 1;
}

int Serve(const Configuration& configuration, const sigset_t& signals) {
  auto daemon = catalogd::daemon::Daemon::Start(configuration);
  if (!daemon) return Fail(daemon.error());
  std::printf("catalogd ready endpoint=%s web=%s\n", (*daemon)->endpoint().c_str(),
              (*daemon)->web().c_str());
  std::fflush(stdout);
  WaitForSignal(signals);
  return StopInTime(daemon->get(), configuration.options.stop_timeout);
}

int ServeMetastore(const Configuration& configuration, const sigset_t& signals) {
  auto server = catalogd::daemon::MetastoreServer::Start(configuration);
  if (!server) return Fail(server.error());
  std::printf("catalogd metastore ready endpoint=%s\n", (*server)->endpoint().c_str());
  std::fflush(stdout);
  WaitForSignal(signals);
  return StopInTime(server->get(), configuration.options.stop_timeout);
}

}  // namespace

int main(int argc, char** argv) {
  const CommandLine line = catalogd::daemon::ParseCommandLine(argc, argv, environ);
  if (line.command == CommandLine::Command::kDone) return line.exit_code;
  const auto configuration = catalogd::daemon::ResolveOptions(line.sources);
  if (!configuration) return Fail(configuration.error());
  if (line.command == CommandLine::Command::kConfig) {
    const std::string text = line.json ? catalogd::daemon::ConfigurationJson(*configuration)
                                       : catalogd::daemon::ConfigurationText(*configuration);
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  if (const auto logging = StartLogging(configuration->options); !logging) {
    return Fail(logging.error());
  }
  AllowManyFiles(configuration->options.max_connections);
  const sigset_t signals = BlockStopSignals();
  return line.command == CommandLine::Command::kMetastore ? ServeMetastore(*configuration, signals)
                                                          : Serve(*configuration, signals);
}
