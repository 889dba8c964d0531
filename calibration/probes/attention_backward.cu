// SPDX-License-Identifier: Apache-2.0
// One block per 64 keys of one key head: it walks over the query rows of the head's whole group, recomputes the
// weights from the kept log sums, keeps dk and dv in registers and adds its part of dq atomically in fp32.

#include "attention_tile.hpp"

namespace clusterwright::probes {
namespace {

template <int D>
struct BackwardShared {
  alignas(32) Bf16 k[tile * row_stride<D>];
  alignas(32) Bf16 v[tile * row_stride<D>];
  alignas(32) Bf16 q[tile * row_stride<D>];
  alignas(32) Bf16 dout[tile * row_stride<D>];
  alignas(32) Bf16 weights[tile * weight_stride];
  alignas(32) Bf16 dscores[tile * weight_stride];
  alignas(32) float scores[tile * score_stride];  // later scratch for fragments on their way out
  alignas(32) float dweights[tile * score_stride];
};

/// weights = exp(score - log_sum); dscores = weights * (dweights - row_dot), with the scale of the scores put in.
template <int D>
__device__ void weights_of_rows(BackwardShared<D>& s, const float* log_sum, const float* row_dot, bool causal,
                                int first_row, int first_key) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 2;
  const float scale = rsqrtf(static_cast<float>(D)), shift = log_sum[row], dot = row_dot[row];
  const int visible = causal ? first_row + row - first_key + 1 : tile;
  for (int c = lane % 2 * (tile / 2); c < (lane % 2 + 1) * (tile / 2); ++c) {
    const float weight = c < visible ? __expf(s.scores[row * score_stride + c] * scale - shift) : 0.0f;
    const float dscore = weight * (s.dweights[row * score_stride + c] - dot) * scale;
    s.weights[row * weight_stride + c] = __float2bfloat16(weight);
    s.dscores[row * weight_stride + c] = __float2bfloat16(dscore);
  }
}

/// sums[16 keys of this warp][D] += left[64 queries][keys]^T * right[64 queries][D]
template <int D>
__device__ void add_transposed(Accumulator (&sums)[D / 16], const Bf16* left, const Bf16* right) {
  const int key = threadIdx.x / 32 * 16;
  for (int query = 0; query < tile; query += 16) {
    LeftFragment<wmma::col_major> a;  // reads the transpose of `left`
    wmma::load_matrix_sync(a, left + query * weight_stride + key, weight_stride);
#pragma unroll
    for (int n = 0; n < D / 16; ++n) {
      RightFragment<wmma::row_major> b;
      wmma::load_matrix_sync(b, right + query * row_stride<D> + 16 * n, row_stride<D>);
      wmma::mma_sync(sums[n], a, b, sums[n]);
    }
  }
}

/// dq[16 queries of this warp][D] += dscores * k, through this warp's own rows of `scores`.
template <int D>
__device__ void add_query_gradient(BackwardShared<D>& s, float* dq, int stride) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float* scratch = s.scores + row * score_stride;
  for (int n = 0; n < D; n += 16) {
    Accumulator sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int key = 0; key < tile; key += 16) {
      LeftFragment<wmma::row_major> a;
      RightFragment<wmma::row_major> b;
      wmma::load_matrix_sync(a, s.dscores + row * weight_stride + key, weight_stride);
      wmma::load_matrix_sync(b, s.k + key * row_stride<D> + n, row_stride<D>);
      wmma::mma_sync(sum, a, b, sum);
    }
    wmma::store_matrix_sync(scratch, sum, score_stride, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) {
      atomicAdd(dq + static_cast<std::size_t>(row + i / 16) * stride + n + i % 16,
                scratch[i / 16 * score_stride + i % 16]);
    }
    __syncwarp();
  }
}

/// Fragments to bf16 rows, through this warp's own rows of `scores`.
template <int D>
__device__ void write_gradient(BackwardShared<D>& s, const Accumulator (&sums)[D / 16], Bf16* rows, int stride) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  float* scratch = s.scores + row * score_stride;
#pragma unroll
  for (int n = 0; n < D / 16; ++n) {
    wmma::store_matrix_sync(scratch, sums[n], score_stride, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) {
      rows[static_cast<std::size_t>(row + i / 16) * stride + 16 * n + i % 16] =
          __float2bfloat16(scratch[i / 16 * score_stride + i % 16]);
    }
    __syncwarp();
  }
}

/// One tile of query rows of one head against this block's keys.
template <int D>
__device__ void query_tile(BackwardShared<D>& s, const AttentionShape& shape, const AttentionBackward& data, int batch,
                           int head, int first_row, int first_key, Accumulator (&dk)[D / 16],
                           Accumulator (&dv)[D / 16]) {
  const std::size_t token = token_at(shape, batch, first_row), state = row_state(shape, batch, head, first_row);
  __syncthreads();  // all warps are done with the tile before
  load_tile<D>(s.q, data.forward.q + token * shape.q_stride + head * D, shape.q_stride);
  load_tile<D>(s.dout, data.dout + token * shape.out_stride + head * D, shape.out_stride);
  __syncthreads();
  multiply_transposed<D>(s.scores, s.q, s.k);
  multiply_transposed<D>(s.dweights, s.dout, s.v);
  __syncwarp();
  weights_of_rows<D>(s, data.forward.log_sum + state, data.row_dot + state, shape.causal, first_row, first_key);
  __syncthreads();  // dk and dv need the weights of every query row
  add_transposed<D>(dv, s.weights, s.dout);
  add_transposed<D>(dk, s.dscores, s.q);
  const int dq_stride = shape.heads * D;
  add_query_gradient<D>(s, data.dq_fp32 + token * dq_stride + head * D, dq_stride);
}

template <int D>
__global__ void __launch_bounds__(attention_threads)
    attention_backward_kernel(AttentionShape shape, AttentionBackward data) {
  extern __shared__ __align__(32) unsigned char raw[];
  BackwardShared<D>& s = *reinterpret_cast<BackwardShared<D>*>(raw);
  const int first_key = blockIdx.x * tile, kv_head = blockIdx.y, batch = blockIdx.z,
            group = shape.heads / shape.kv_heads;
  const std::size_t offset = token_at(shape, batch, first_key) * shape.kv_stride + kv_head * D;
  load_tile<D>(s.k, data.forward.k + offset, shape.kv_stride);
  load_tile<D>(s.v, data.forward.v + offset, shape.kv_stride);
  Accumulator dk[D / 16], dv[D / 16];
#pragma unroll
  for (int n = 0; n < D / 16; ++n) {
    wmma::fill_fragment(dk[n], 0.0f);
    wmma::fill_fragment(dv[n], 0.0f);
  }
  for (int head = kv_head * group; head < (kv_head + 1) * group; ++head) {
    for (int row = shape.causal ? first_key : 0; row < shape.sequence; row += tile) {
      query_tile<D>(s, shape, data, batch, head, row, first_key, dk, dv);
    }
  }
  __syncwarp();
  write_gradient<D>(s, dk, data.dk + offset, shape.kv_stride);
  write_gradient<D>(s, dv, data.dv + offset, shape.kv_stride);
}

/// row_dot = dout . out, one warp per row and head.
__global__ void row_dot_kernel(AttentionShape shape, AttentionBackward data) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const int token = warp / shape.heads, head = warp % shape.heads;
  if (token >= shape.tokens()) return;
  const std::size_t at = static_cast<std::size_t>(token) * shape.out_stride + head * shape.head_dim;
  float sum = 0;
  for (int c = lane; c < shape.head_dim; c += 32)
    sum += __bfloat162float(data.forward.out[at + c]) * __bfloat162float(data.dout[at + c]);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (lane == 0) data.row_dot[row_state(shape, token / shape.sequence, head, token % shape.sequence)] = sum;
}

__global__ void round_query_gradient_kernel(AttentionShape shape, const float* dq_fp32, Bf16* dq) {
  const int width = shape.heads * shape.head_dim;
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    dq[static_cast<std::size_t>(blockIdx.x) * shape.q_stride + c] =
        __float2bfloat16(dq_fp32[static_cast<std::size_t>(blockIdx.x) * width + c]);
  }
}

template <int D>
void launch(const AttentionShape& shape, const AttentionBackward& data, cudaStream_t stream) {
  allow_shared(attention_backward_kernel<D>, sizeof(BackwardShared<D>));
  const dim3 grid(static_cast<unsigned>(shape.sequence / tile), static_cast<unsigned>(shape.kv_heads),
                  static_cast<unsigned>(shape.batch));
  attention_backward_kernel<D><<<grid, attention_threads, sizeof(BackwardShared<D>), stream>>>(shape, data);
  check_launch("attention_backward_kernel");
}

}  // namespace

void enqueue_attention_backward(const AttentionShape& shape, const AttentionBackward& data, cudaStream_t stream) {
  require_tiles(shape);
  const std::size_t dq_bytes = sizeof(float) * static_cast<std::size_t>(shape.tokens()) * shape.heads * shape.head_dim;
  CHECK_CUDA(cudaMemsetAsync(data.dq_fp32, 0, dq_bytes, stream));
  const auto dot_blocks = static_cast<unsigned>((static_cast<std::size_t>(shape.tokens()) * shape.heads + 7) / 8);
  row_dot_kernel<<<dot_blocks, 256, 0, stream>>>(shape, data);
  check_launch("row_dot_kernel");
  shape.head_dim == 64 ? launch<64>(shape, data, stream) : launch<128>(shape, data, stream);
  round_query_gradient_kernel<<<shape.tokens(), 256, 0, stream>>>(shape, data.dq_fp32, data.dq);
  check_launch("round_query_gradient_kernel");
}

}  // namespace clusterwright::probes
