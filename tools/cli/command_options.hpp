// SPDX-License-Identifier: Apache-2.0
/// The commands and their options.
#pragma once

#include <functional>
#include <string>

#include "tools/exit_code.hpp"

namespace CLI {
class App;
}

namespace clusterwright {

/// What the parsed words ask for.
using Action = std::function<ExitCode()>;

/// Adds every command with its options. Option values stay text: the commands read them, in one way.
/// @param typed   the whole command line, for reports
/// @param action  is set while `root` parses
void add_commands(CLI::App& root, const std::string& typed, Action& action);

}  // namespace clusterwright
