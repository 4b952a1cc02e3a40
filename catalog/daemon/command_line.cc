#include "catalog/daemon/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "catalog/api/api_json.h"
#include "catalog/daemon/build_info.h"
#include "catalog/daemon/option_values.h"
#include "catalog/daemon/views.h"
#include "catalogd_idl/catalogd_types.h"

namespace catalogd::daemon {
namespace {

constexpr std::string_view kPrefix = "CATALOGD_";

// Variables that belong to catalogctl and to scripts, not to the daemon's options.
bool BelongsToOthers(std::string_view name) {
  return name == "CATALOGD_HOST" || name == "CATALOGD_HMS_CACHE";
}

void TakeEnvironment(const char* const* environment, OptionSources* sources) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const size_t equals = entry.find('=');
    if (!entry.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    if (BelongsToOthers(name)) continue;
    sources->environment.emplace_back(name, entry.substr(equals + 1));
  }
}

void AddOptions(CLI::App* app, std::map<std::string, std::string>* values) {
  for (const OptionRow& row : OptionRows()) {
    const std::string name(row.name);
    std::string meaning(row.meaning);
    if (!row.default_value.empty()) meaning += fmt::format(" [{}]", row.default_value);
    app->add_option_function<std::string>(
           "--" + name, [values, name](const std::string& text) { (*values)[name] = text; },
           meaning)
        ->type_name(std::string(row.kind));
  }
}

// CLI11 names unknown arguments; the nearest option is what people need.
void PrintUsageError(const CLI::App& app, const CLI::ParseError& error) {
  std::fprintf(stderr, "catalogd: %s\n", error.what());
  const auto rest = app.remaining();
  if (!rest.empty() && rest.front().starts_with("--")) {
    const std::string name = rest.front().substr(2, rest.front().find('=') - 2);
    const std::string nearest = Nearest(name, OptionNames());
    if (!nearest.empty()) std::fprintf(stderr, "did you mean --%s?\n", nearest.c_str());
  }
  std::fprintf(stderr, "catalogd --help lists all options\n");
}

bool IsForMetastore(std::string_view name) {
  return std::any_of(OptionRows().begin(), OptionRows().end(), [name](const OptionRow& row) {
    return row.name == name && row.for_metastore;
  });
}

// Flags of the daemon say nothing to the plain metastore: better refused than silently ignored. In
// the environment and in files, which both may share, they are left alone.
bool FlagsFitMetastore(const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    if (IsForMetastore(name)) continue;
    std::fprintf(stderr,
                 "catalogd: --%s says nothing to `catalogd metastore`, which is only the embedded "
                 "metastore; leave it out, or start `catalogd` without `metastore`\n",
                 name.c_str());
    return false;
  }
  return true;
}

}  // namespace

CommandLine ParseCommandLine(int argc, const char* const* argv, const char* const* environment) {
  CommandLine line;
  std::map<std::string, std::string> values;
  CLI::App app(
      "A catalog daemon between query engines and a Hive Metastore. Without --metastore it is a "
      "metastore by itself.\nEvery option can also be given as CATALOGD_NAME in the environment or "
      "NAME = VALUE in the file named by --config; a flag wins over the environment, the "
      "environment over the file.");
  app.set_version_flag("--version", "catalogd " + BuildVersion());
  AddOptions(&app, &values);
  app.require_subcommand(0, 1);
  const CLI::App* const metastore =
      app.add_subcommand("metastore", "Only the embedded metastore, as a plain metastore server")
          ->fallthrough();
  CLI::App* const config =
      app.add_subcommand("config", "Print every option with value, origin and meaning")
          ->fallthrough();
  config->add_flag("--json", line.json, "For programs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    line.command = CommandLine::Command::kDone;
    line.exit_code = app.exit(help);
    return line;
  } catch (const CLI::CallForVersion& version) {
    line.command = CommandLine::Command::kDone;
    line.exit_code = app.exit(version);
    return line;
  } catch (const CLI::ParseError& error) {
    PrintUsageError(app, error);
    line.command = CommandLine::Command::kDone;
    line.exit_code = 2;
    return line;
  }
  if (metastore->parsed() && !FlagsFitMetastore(values)) {
    line.command = CommandLine::Command::kDone;
    line.exit_code = 2;
    return line;
  }
  for (const auto& [name, text] : values) line.sources.flags.emplace_back(name, text);
  TakeEnvironment(environment, &line.sources);
  if (metastore->parsed()) line.command = CommandLine::Command::kMetastore;
  if (config->parsed()) line.command = CommandLine::Command::kConfig;
  return line;
}

std::string ConfigurationText(const Configuration& configuration) {
  std::string text;
  for (const OptionValue& value : configuration.values) {
    std::string_view meaning;
    for (const OptionRow& row : OptionRows()) {
      if (row.name == value.name) meaning = row.meaning;
    }
    const std::string origin = value.where.empty()
                                   ? std::string(OriginName(value.origin))
                                   : fmt::format("{} {}", OriginName(value.origin), value.where);
    text += fmt::format("{} = {}\n    from {}. {}\n", value.name, value.value, origin, meaning);
  }
  return text;
}

std::string ConfigurationJson(const Configuration& configuration) {
  return api::DumpJson(api::ListToJson(ListConfiguration(configuration.values))) + "\n";
}

}  // namespace catalogd::daemon
