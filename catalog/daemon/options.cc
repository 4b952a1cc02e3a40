#include "catalog/daemon/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "catalog/daemon/hive_site.h"
#include "catalog/daemon/option_values.h"

namespace catalogd::daemon {
namespace {

constexpr std::string_view kPrefix = "CATALOGD_";

struct Setting {
  std::string value;
  std::string where;
};
using Settings = std::map<std::string, Setting>;

const OptionRow* FindRow(std::string_view name) {
  const auto& rows = OptionRows();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [name](const OptionRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::string Advice(std::string_view typed) {
  const std::string nearest = Nearest(typed, OptionNames());
  return nearest.empty() ? "catalogd --help lists the options"
                         : fmt::format("did you mean {}?", nearest);
}

std::string WithDashes(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Result<Settings> FromFlags(const OptionSources& sources) {
  Settings settings;
  for (const auto& [name, value] : sources.flags) {
    if (FindRow(name) == nullptr) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("there is no option --{}; {}", name, Advice(name)));
    }
    settings[name] = {value, "--" + name};
  }
  return settings;
}

// The environment belongs to others too (a Kubernetes service called catalogd puts CATALOGD_PORT_*
// and CATALOGD_SERVICE_* there, catalogctl reads CATALOGD_ENDPOINT): only a name that looks like a
// misspelt option is an error.
Result<Settings> FromEnvironment(const OptionSources& sources, std::vector<std::string>* notes) {
  Settings settings;
  for (const auto& [variable, value] : sources.environment) {
    if (variable.substr(0, kPrefix.size()) != kPrefix) continue;
    const std::string name = WithDashes(variable.substr(kPrefix.size()));
    if (FindRow(name) != nullptr) {
      settings[name] = {value, variable};
      continue;
    }
    if (name == "endpoint" || name == "service-host" || name == "service-port") continue;
    const std::string nearest = Nearest(name, OptionNames());
    if (!nearest.empty()) {
      std::string meant(kPrefix);
      for (const char c : nearest) {
        meant += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
      }
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("the environment sets {}, which is no option; did you mean {}?",
                                   variable, meant));
    }
    notes->push_back(
        fmt::format("ignored {} of the environment: no option is called {}", variable, name));
  }
  return settings;
}

std::string_view Unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == text.back() &&
      (text.front() == '"' || text.front() == '\'')) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

Result<Settings> FromFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: cannot read the file; check --config", path));
  }
  // A directory can be opened like a file, and has no lines.
  if (file.peek(); file.bad() || std::filesystem::is_directory(path)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{}: this is not a file with NAME = VALUE lines but a directory "
                                 "or something else that cannot be read; check --config",
                                 path));
  }
  file.clear();
  Settings settings;
  std::string line;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  for (int number = 1; std::getline(file, line); ++number) {
    std::string_view text = line;
    if (number == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    text = Trim(text);
    if (text.empty() || text.front() == '#' || text.front() == ';') continue;
    const std::string where = fmt::format("{}:{}", path, number);
    const size_t equals = text.find('=');
    const std::string typed(Trim(text.substr(0, equals)));
    if (equals == std::string_view::npos || typed.empty()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("{}: expected NAME = VALUE, found {}", where, text));
    }
    const std::string name = WithDashes(typed);
    if (name == "config") {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("{}: a file cannot name another one; put everything into one "
                                   "file, named by --config or CATALOGD_CONFIG",
                                   where));
    }
    if (FindRow(name) == nullptr) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("{}: there is no option {}; {}", where, typed, Advice(name)));
    }
    if (settings.count(name) > 0) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("{}: {} was set before, at {}; remove one of the two lines",
                                   where, name, settings[name].where));
    }
    settings[name] = {std::string(Unquoted(Trim(text.substr(equals + 1)))), where};
  }
  return settings;
}

struct AllSettings {
  Settings flags;
  Settings environment;
  Settings file;
  Settings hive_site;

  [[nodiscard]] std::string ValueOf(const std::string& name) const {
    for (const Settings* settings : {&flags, &environment, &file}) {
      const auto found = settings->find(name);
      if (found != settings->end()) return found->second.value;
    }
    return "";
  }
};

OptionValue Pick(const OptionRow& row, const AllSettings& all) {
  const std::string name(row.name);
  const std::pair<const Settings*, Origin> sources[] = {{&all.flags, Origin::kFlag},
                                                        {&all.environment, Origin::kEnvironment},
                                                        {&all.file, Origin::kFile},
                                                        {&all.hive_site, Origin::kHiveSite}};
  for (const auto& [settings, origin] : sources) {
    const auto found = settings->find(name);
    if (found == settings->end()) continue;
    return {name, found->second.value, origin, found->second.where};
  }
  return {name, std::string(row.default_value), Origin::kDefault, ""};
}

// A line of a file does not say which option it sets.
std::string NameOf(const OptionValue& value) {
  if (value.where.empty()) return value.name;
  return value.origin == Origin::kFile ? value.where + ": " + value.name : value.where;
}

std::string BadValueHint(const OptionValue& value) {
  if (value.name == "port" && value.value.substr(0, 6) == "tcp://") {
    return "; Kubernetes sets this for a service called catalogd: use enableServiceLinks: false";
  }
  return "";
}

// Whoever reads it later (in the location of a table, say) stands in another directory.
std::string Absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

// What is empty in the table because it depends on the machine or on other options.
void FillDerived(Configuration* configuration) {
  Options& options = configuration->options;
  if (options.state_dir.empty()) options.state_dir = DefaultStateDir();
  options.state_dir = Absolute(options.state_dir);
  const bool has_scheme = options.warehouse_dir.find(':') != std::string::npos;
  if (!options.warehouse_dir.empty() && !has_scheme) {
    options.warehouse_dir = Absolute(options.warehouse_dir);
  }
  if (options.warehouse_dir.empty()) options.warehouse_dir = options.state_dir + "/warehouse";
  for (OptionValue& value : configuration->values) {
    if (value.name == "state-dir") value.value = options.state_dir;
    if (value.name == "warehouse-dir") value.value = options.warehouse_dir;
  }
}

}  // namespace

std::string_view OriginName(Origin origin) {
  switch (origin) {
    case Origin::kDefault:
      return "default";
    case Origin::kHiveSite:
      return "hive-site";
    case Origin::kFile:
      return "file";
    case Origin::kEnvironment:
      return "environment";
    case Origin::kFlag:
      return "flag";
  }
  return "";
}

Result<Configuration> ResolveOptions(const OptionSources& sources) {
  Configuration configuration;
  AllSettings all;
  ASSIGN_OR_RETURN(all.flags, FromFlags(sources));
  ASSIGN_OR_RETURN(all.environment, FromEnvironment(sources, &configuration.notes));
  if (const std::string path = all.ValueOf("config"); !path.empty()) {
    ASSIGN_OR_RETURN(all.file, FromFile(path));
  }
  if (const std::string path = all.ValueOf("hive-site"); !path.empty()) {
    ASSIGN_OR_RETURN(const std::string uris, ReadMetastoreUris(path));
    all.hive_site["metastore"] = {uris, path};
  }
  for (const OptionRow& row : OptionRows()) {
    OptionValue value = Pick(row, all);
    const Status applied = row.apply(value.value, &configuration.options);
    if (!applied) {
      return MakeError(applied.error().code,
                       fmt::format("{}={}: {}{}", NameOf(value), value.value,
                                   applied.error().message, BadValueHint(value)));
    }
    configuration.values.push_back(std::move(value));
  }
  FillDerived(&configuration);
  return configuration;
}

std::string DefaultStateDir() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') {
    return std::string(state) + "/catalogd";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.local/state/catalogd";
  }
  return "/var/lib/catalogd";
}

}  // namespace catalogd::daemon
