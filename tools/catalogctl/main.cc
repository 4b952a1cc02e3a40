// catalogctl: asks a running catalogd. Exit codes: 0 done; 2 wrong usage; otherwise the code of the
// error (catalog/base/error.cc): 3 not found, 5 a fatal finding or wrong state, 8 timed out,
// 10 no daemon there, 12 or 13 something else there, ...
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "tools/catalogctl/commands.h"
#include "tools/catalogctl/coord_cli.h"

namespace {

namespace ctl = catalogd::ctl;
using catalogd::ctl::Command;
using catalogd::ctl::CommandOptions;

struct CommandLine {
  std::string host = "127.0.0.1";
  int port = 9083;
  double timeout_seconds = 30;
  int64_t event_id = -1;
  int64_t from_version = -1;
  CommandOptions options;
  Command command = nullptr;
  ctl::CoordArguments coord;
  ctl::CoordCommand coord_command = nullptr;
};

CLI::App* Add(CLI::App* app, CommandLine* line, const char* name, const char* meaning,
              Command command) {
  CLI::App* const sub = app->add_subcommand(name, meaning);
  sub->fallthrough();
  sub->callback([line, command] { line->command = command; });
  return sub;
}

void AddReads(CLI::App* app, CommandLine* line) {
  CommandOptions* const o = &line->options;
  Add(app, line, "status", "Is the daemon ready, how far behind, and why", ctl::RunStatus);
  Add(app, line, "get", "One object: state, synced event, content, newest events", ctl::RunGet)
      ->add_option("name", o->names,
                   "DB, DB.TABLE or CATALOG.DB.TABLE; `table` or `database` may stand before it")
      ->required()
      ->expected(1, 2);
  CLI::App* const list = Add(app, line, "list", "Databases, or the tables of one", ctl::RunList);
  list->add_option("database", o->names)->expected(0, 1);
  list->add_option("--filter", o->filter, "Only names that contain this text");
  list->add_option("--offset", o->offset);
  list->add_option("--limit", o->limit)->default_val(1000);
  CLI::App* const events =
      Add(app, line, "events", "What the log told, newest first", ctl::RunEvents);
  events->add_option("name", o->names, "Only this object")->expected(0, 1);
  events->add_option("--limit", o->limit)->default_val(50);
  events->add_flag("--follow", o->follow, "Go on with what happens from now on, oldest first");
  CLI::App* const subscribe =
      Add(app, line, "subscribe", "All that is known, then every change of it", ctl::RunSubscribe);
  subscribe
      ->add_option("--from", line->from_version,
                   "Only changes behind this catalog version, if they are still kept")
      ->check(CLI::NonNegativeNumber);
  subscribe->add_flag("--follow", o->follow, "Go on with changes as they come");
  Add(app, line, "locks", "Who holds which names, and who waits", ctl::RunLocks);
  Add(app, line, "doctor", "Can this metastore's log be trusted?", ctl::RunDoctor);
  Add(app, line, "config", "Options with value, origin and meaning", ctl::RunConfig);
}

void AddActions(CLI::App* app, CommandLine* line) {
  CommandOptions* const o = &line->options;
  CLI::App* const wait =
      Add(app, line, "wait", "Until names, or all, reflect the metastore's current event",
          ctl::RunWait);
  wait->add_option("names", o->names, "Default: every name");
  wait->add_option("--event", line->event_id, "This event instead of the current one")
      ->check(CLI::NonNegativeNumber);
  CLI::App* const diff = Add(
      app, line, "diff", "Compare the cache with the metastore, object by object", ctl::RunDiff);
  diff->add_option("names", o->names,
                   "Tables, or databases with their tables; default: everything");
  diff->add_flag("--repair", o->repair, "Take over what the metastore has where it differs");
  Add(app, line, "sync", "Read one object again now", ctl::RunSync)
      ->add_option("name", o->names)
      ->required()
      ->expected(1);
  CLI::App* const mode =
      Add(app, line, "read-mode", "cached, passthrough or default; for one name or the daemon",
          ctl::RunReadMode);
  mode->add_option("mode", o->mode)
      ->required()
      ->check(CLI::IsMember({"cached", "passthrough", "default"}));
  mode->add_option("name", o->names)->expected(0, 1);
  Add(app, line, "reset", "Forget what is cached and read all of it again", ctl::RunReset)
      ->add_option("--reason", o->reason, "Shown in status and log");
  Add(app, line, "pause", "Stop following the log for now", ctl::RunPause);
  Add(app, line, "resume", "Follow the log again", ctl::RunResume);
}

int Fail(const catalogd::Error& error, bool json) {
  std::fputs(ctl::ErrorText(error, json).c_str(), stderr);
  return catalogd::ErrorExitCode(error.code);
}

// CLI11 says only that a command is missing when one was mistyped.
std::string UsageText(const CLI::App& app, const CLI::ParseError& error) {
  const auto rest = app.remaining();
  const auto mistyped = std::find_if(rest.begin(), rest.end(), [](const std::string& word) {
    return !word.empty() && word.front() != '-';
  });
  if (app.get_subcommands().empty() && mistyped != rest.end()) {
    return "there is no command " + *mistyped;
  }
  return error.what();
}

void PrintUsageError(const CLI::App& app, const CLI::ParseError& error, bool json) {
  const std::string text = UsageText(app, error);
  if (json) {
    const catalogd::Error usage{catalogd::ErrorCode::kInvalidArgument,
                                text + "; see catalogctl --help"};
    std::fputs(ctl::ErrorText(usage, true).c_str(), stderr);
    return;
  }
  std::fprintf(stderr, "catalogctl: %s\ncatalogctl --help lists the commands\n", text.c_str());
}

// What was parsed before the error need not include it.
bool AsksForJson(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc,
                     [](const char* word) { return std::string_view(word) == "--json"; });
}

int Run(CommandLine* line) {
  CommandOptions& options = line->options;
  options.timeout_ms = static_cast<int64_t>(line->timeout_seconds * 1000);
  if (line->event_id >= 0) options.event_id = line->event_id;
  if (line->from_version >= 0) options.from_version = line->from_version;
  options.print = [](const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  };
  const bool on_terminal = isatty(STDERR_FILENO) != 0;
  if (on_terminal) {
    options.progress = [](const std::string& text) { std::fprintf(stderr, "\r%s", text.c_str()); };
  }
  // The daemon's own deadline should come first: its text says more.
  const auto patience = std::chrono::milliseconds(options.timeout_ms + 2000);
  auto client = catalogd::ctl::DaemonClient::Connect(line->host, line->port, patience);
  if (!client) return Fail(client.error(), options.json);
  const auto output = line->coord_command != nullptr
                          ? line->coord_command(client->get(), options, line->coord)
                          : line->command(client->get(), options);
  if (on_terminal && line->command == ctl::RunDiff) std::fputc('\n', stderr);
  if (!output) return Fail(output.error(), options.json);
  std::fputs(output->text.c_str(), stdout);
  return output->exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  CLI::App app(
      "Asks a running catalogd. Exit codes: 0 done, 2 wrong usage, 3 not found, "
      "5 wrong state or a fatal finding, 7 something differs or has changed meanwhile, 8 timed "
      "out, "
      "10 no daemon there, or its metastore is away, 12 or 13 something else is there or a daemon "
      "of another version, 14 too much is going on. With --json errors are JSON too.");
  app.set_version_flag("--version", "catalogctl " CATALOGD_VERSION);
  app.add_option("--host", line.host, "Address of the daemon's endpoint")
      ->envname("CATALOGD_HOST")
      ->capture_default_str();
  app.add_option("--port", line.port, "Port of the daemon's endpoint")
      ->envname("CATALOGD_PORT")
      ->capture_default_str();
  app.add_option("--timeout", line.timeout_seconds, "Seconds to wait for the answer")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  app.add_flag("--json", line.options.json, "For programs");
  app.require_subcommand(1);
  AddReads(&app, &line);
  AddActions(&app, &line);
  ctl::AddCoordCommands(&app, &line.coord,
                        [&line](ctl::CoordCommand command) { line.coord_command = command; });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(e);
    PrintUsageError(app, e, AsksForJson(argc, argv));
    return 2;
  }
  return Run(&line);
}
