// SPDX-License-Identifier: Apache-2.0
/// Growth of the heap of the program.
#pragma once

namespace clusterwright {

/// Lets the heap grow by many pages at once and keep them, the first 64 MiB as huge pages where the system offers them.
/// The first touch of a page takes the kernel as long as thousands of additions, and most commands touch some thousand
/// pages and end. Memory that is not touched is not used. Call once, at the start; does nothing without glibc.
void grow_heap_in_large_steps();

}  // namespace clusterwright
