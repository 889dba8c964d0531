// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/exit_code.hpp"

namespace clusterwright {

/// The whole program. Errors go to standard error in the one shape; nothing is thrown.
/// @param arguments  without the name of the program
ExitCode run_command_line(const std::vector<std::string>& arguments);

}  // namespace clusterwright
