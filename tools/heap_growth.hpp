// SPDX-License-Identifier: Apache-2.0
/// Growth of the heap of the program, and huge pages for its large blocks.
#pragma once

#include <cstddef>

namespace clusterwright {

/// Asks for huge pages as far as whole ones fit into a block; does nothing without glibc.
void ask_for_huge_pages(void* block, std::size_t size);

/// Lets the heap grow by many pages at once and keep them, the first 64 MiB as huge pages where the system offers them.
/// The first touch of a page takes the kernel as long as thousands of additions, and most commands touch some thousand
/// pages and end. Memory that is not touched is not used. Call once, at the start; does nothing without glibc.
void grow_heap_in_large_steps();

}  // namespace clusterwright
