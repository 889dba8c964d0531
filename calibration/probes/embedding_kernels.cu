// SPDX-License-Identifier: Apache-2.0
// The look-up of token embeddings and its gradient, one block per token.

#include "bf16x8.hpp"
#include "layer_kernels.hpp"
#include "status.hpp"

namespace clusterwright::probes {
namespace {

constexpr int threads = 256;

__global__ void embedding_kernel(const Bf16* table, const int* ids, Bf16* out, int width) {
  const Bf16* row = table + static_cast<std::size_t>(ids[blockIdx.x]) * width;
  Bf16* to = out + static_cast<std::size_t>(blockIdx.x) * width;
  for (int i = 8 * threadIdx.x; i < width; i += 8 * threads) {
    *reinterpret_cast<Bf16x8*>(to + i) = *reinterpret_cast<const Bf16x8*>(row + i);
  }
}

/// Two tokens may have the same id, so rows are added to atomically.
__global__ void embedding_backward_kernel(const Bf16* dout, const int* ids, Bf16* table_gradient, int width) {
  const auto* row = reinterpret_cast<const __nv_bfloat162*>(dout + static_cast<std::size_t>(blockIdx.x) * width);
  auto* to = reinterpret_cast<__nv_bfloat162*>(table_gradient + static_cast<std::size_t>(ids[blockIdx.x]) * width);
  for (int i = threadIdx.x; i < width / 2; i += threads) atomicAdd(to + i, row[i]);
}

}  // namespace

void enqueue_embedding(const Bf16* table, const int* ids, Bf16* out, int tokens, int width, cudaStream_t stream) {
  embedding_kernel<<<tokens, threads, 0, stream>>>(table, ids, out, width);
  check_launch("embedding_kernel");
}

void enqueue_embedding_backward(const Bf16* dout, const int* ids, Bf16* table_gradient, int tokens, int width,
                                cudaStream_t stream) {
  embedding_backward_kernel<<<tokens, threads, 0, stream>>>(dout, ids, table_gradient, width);
  check_launch("embedding_backward_kernel");
}

}  // namespace clusterwright::probes
