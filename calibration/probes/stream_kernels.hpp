// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels bound by memory alone: 16-byte accesses, four in flight per thread.

#include <cuda_runtime.h>

#include <cstddef>

namespace clusterwright::probes {

enum class StreamKind { copy, add, triad, read };

const char* name_of(StreamKind kind);
/// Arrays read plus arrays written.
int arrays_of(StreamKind kind);

/// out = first; out = first + second; out = first + 3 second; or the sum of `first` into `sums`. `count` fp32 numbers,
/// a multiple of 4.
struct StreamArrays {
  const float *first, *second;
  float* out;
  float* sums;  // read_blocks partial sums
  std::size_t count;
};

constexpr int read_blocks = 2048;

void enqueue_stream(StreamKind kind, const StreamArrays& arrays, cudaStream_t stream);

/// Compares each kernel with the host. @throws SampleFailed
void check_stream_kernels(cudaStream_t stream);

}  // namespace clusterwright::probes
