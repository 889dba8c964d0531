// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/command_line.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return static_cast<int>(clusterwright::run_command_line(arguments));
}
