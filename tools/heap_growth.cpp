// SPDX-License-Identifier: Apache-2.0
#include "tools/heap_growth.hpp"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#endif

namespace clusterwright {

#ifdef __GLIBC__

void grow_heap_in_large_steps() {
  constexpr int step = 64 << 20;
  constexpr int largest_block = 32 << 20;  // the most that glibc takes from the heap
  mallopt(M_TOP_PAD, step);
  mallopt(M_MMAP_THRESHOLD, largest_block);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
  void* volatile block = std::malloc(1 << 20);  // more than is left: the heap grows now
  std::free(block);
  const auto after = reinterpret_cast<std::uintptr_t>(sbrk(0));
  constexpr std::uintptr_t huge_page = 2 << 20;
  const std::uintptr_t first = (before + huge_page - 1) / huge_page * huge_page;
  if (first < after) madvise(reinterpret_cast<void*>(first), after - first, MADV_HUGEPAGE);
}

#else

void grow_heap_in_large_steps() {}

#endif

}  // namespace clusterwright
