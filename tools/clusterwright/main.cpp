// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdlib>
#include <new>

#include "tools/cli/command_line.hpp"
#include "tools/heap_growth.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

// Allocation of the program, and not of the library: large blocks come as huge pages where the system offers them.
// Unfolded steps touch gigabytes at random; with small pages, each touch would look up its page in memory, too. Address
// sanitizer brings its own, which libraries use as well.
void* operator new(std::size_t size) {
  const std::size_t bytes = size > 0 ? size : 1;
  void* block = std::malloc(bytes);
  while (block == nullptr) {
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
    block = std::malloc(bytes);
  }
  clusterwright::ask_for_huge_pages(block, size);
  return block;
}

void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
#endif

int main(int argc, char** argv) {
  clusterwright::grow_heap_in_large_steps();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return static_cast<int>(clusterwright::run_command_line(arguments));
}
