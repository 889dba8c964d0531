// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the forward and the backward kernel share: tiles of 64 rows in shared memory, four warps of 16 rows each.

#include <mma.h>

#include <string>

#include "attention.hpp"

namespace clusterwright::probes {

constexpr int tile = 64, attention_threads = 128;
constexpr int score_stride = tile + 4;   // fp32; the padding keeps rows off the same shared-memory banks
constexpr int weight_stride = tile + 8;  // bf16
template <int D>
constexpr int row_stride = D + 8;

using Bf16 = __nv_bfloat16;
namespace wmma = nvcuda::wmma;
using Accumulator = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
template <class Layout>
using LeftFragment = wmma::fragment<wmma::matrix_a, 16, 16, 16, Bf16, Layout>;
template <class Layout>
using RightFragment = wmma::fragment<wmma::matrix_b, 16, 16, 16, Bf16, Layout>;

/// Shared memory rows of D numbers from device rows `stride` apart, 16 bytes at a time.
template <int D>
__device__ void load_tile(Bf16* shared, const Bf16* rows, int stride) {
  for (int at = threadIdx.x; at < tile * D / 8; at += attention_threads) {
    const int row = at / (D / 8), column = at % (D / 8) * 8;
    *reinterpret_cast<uint4*>(shared + row * row_stride<D> + column) =
        *reinterpret_cast<const uint4*>(rows + static_cast<std::size_t>(row) * stride + column);
  }
}

/// scores[16 rows of this warp][64] = left[rows][D] * right[64][D]^T
template <int D>
__device__ void multiply_transposed(float* scores, const Bf16* left, const Bf16* right) {
  const int row = threadIdx.x / 32 * 16;
  for (int n = 0; n < tile; n += 16) {
    Accumulator sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < D; k += 16) {
      LeftFragment<wmma::row_major> a;
      RightFragment<wmma::col_major> b;  // a row of `right` is a column of its transpose
      wmma::load_matrix_sync(a, left + row * row_stride<D> + k, row_stride<D>);
      wmma::load_matrix_sync(b, right + n * row_stride<D> + k, row_stride<D>);
      wmma::mma_sync(sum, a, b, sum);
    }
    wmma::store_matrix_sync(scores + row * score_stride + n, sum, score_stride, wmma::mem_row_major);
  }
}

/// Where a query row of a head starts in the per-row arrays [batch, heads, sequence].
__device__ inline std::size_t row_state(const AttentionShape& s, int batch, int head, int position) {
  return (static_cast<std::size_t>(batch) * s.heads + head) * s.sequence + position;
}

__device__ inline std::size_t token_at(const AttentionShape& s, int batch, int position) {
  return static_cast<std::size_t>(batch) * s.sequence + position;
}

inline void require_tiles(const AttentionShape& s) {
  const bool known = (s.head_dim == 64 || s.head_dim == 128) && s.sequence % tile == 0 && s.heads % s.kv_heads == 0;
  if (!known)
    throw NotPossible("own attention needs head_dim 64 or 128, whole tiles of 64 tokens and whole groups of heads");
}

/// More than 48 KiB of shared memory must be asked for.
/// @throws NotPossible where a block cannot have so much: compute capability 8.6 and 8.9 stop at 99 KiB
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  int device = 0, most = 0;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (bytes > static_cast<std::size_t>(most)) {
    throw NotPossible("own attention needs " + std::to_string(bytes) + " bytes of shared memory, a block has " +
                      std::to_string(most));
  }
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

}  // namespace clusterwright::probes
