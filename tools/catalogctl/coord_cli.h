#pragma once

#include <functional>

#include "tools/catalogctl/coord_commands.h"

namespace CLI {
class App;
}

namespace catalogd::ctl {

// `coord` with its subcommands; `chosen` is told which one was given. The arguments outlive `app`.
void AddCoordCommands(CLI::App* app, CoordArguments* arguments,
                      std::function<void(CoordCommand)> chosen);

}  // namespace catalogd::ctl
