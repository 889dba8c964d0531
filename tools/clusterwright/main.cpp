// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/command_line.hpp"
#include "tools/heap_growth.hpp"

int main(int argc, char** argv) {
  clusterwright::grow_heap_in_large_steps();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return static_cast<int>(clusterwright::run_command_line(arguments));
}
