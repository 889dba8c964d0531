// SPDX-License-Identifier: Apache-2.0
#include "tools/heap_growth.hpp"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace clusterwright {

#ifdef __GLIBC__

void ask_for_huge_pages(void* block, std::size_t size) {
  constexpr std::uintptr_t huge_page = 2 << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t first = (begin + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t behind = (begin + size) / huge_page * huge_page;
  if (first < behind) madvise(reinterpret_cast<void*>(first), behind - first, MADV_HUGEPAGE);
}

void grow_heap_in_large_steps() {
  constexpr int step = 64 << 20;
  constexpr int largest_block = 32 << 20;  // the most that glibc takes from the heap
  mallopt(M_TOP_PAD, step);
  mallopt(M_MMAP_THRESHOLD, largest_block);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  void* const before = sbrk(0);
  void* volatile block = std::malloc(1 << 20);  // more than is left: the heap grows now
  std::free(block);
  ask_for_huge_pages(before, static_cast<std::size_t>(static_cast<char*>(sbrk(0)) - static_cast<char*>(before)));
}

#else

void ask_for_huge_pages(void*, std::size_t) {}
void grow_heap_in_large_steps() {}

#endif

}  // namespace clusterwright
