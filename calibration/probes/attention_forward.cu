// SPDX-License-Identifier: Apache-2.0
// One block per 64 query rows of one head: it walks over the keys with a running maximum and sum (online softmax).

#include "attention_tile.hpp"

namespace clusterwright::probes {
namespace {

template <int D>
constexpr int out_stride_shared = D + 4;

template <int D>
struct ForwardShared {
  alignas(32) Bf16 q[tile * row_stride<D>];
  alignas(32) Bf16 k[tile * row_stride<D>];
  alignas(32) Bf16 v[tile * row_stride<D>];
  alignas(32) Bf16 weights[tile * weight_stride];
  alignas(32) float scores[tile * score_stride];
  alignas(32) float out[tile * out_stride_shared<D>];
  float largest[tile], sum[tile];
};

/// Two neighbouring lanes share a row, half of its columns each.
struct RowHalf {
  int row, half;
};

__device__ RowHalf row_of_lane() {
  const int lane = threadIdx.x % 32;
  return {static_cast<int>(threadIdx.x) / 32 * 16 + lane / 2, lane % 2};
}

__device__ float both_halves_max(float x) {
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
}
__device__ float both_halves_sum(float x) {
  return x + __shfl_xor_sync(0xffffffffu, x, 1);
}

/// Scores become weights relative to the new maximum; what was summed before is rescaled to it.
/// `visible` is how many columns of this tile the row may see.
template <int D>
__device__ void softmax_step(ForwardShared<D>& s, float scale, int visible) {
  const RowHalf r = row_of_lane();
  const int from = r.half * (tile / 2), to = from + tile / 2;
  const float before = s.largest[r.row];
  float largest = -INFINITY, sum = 0;
  for (int c = from; c < min(to, visible); ++c) largest = fmaxf(largest, s.scores[r.row * score_stride + c] * scale);
  largest = fmaxf(before, both_halves_max(largest));
  for (int c = from; c < to; ++c) {
    const float weight = c < visible ? __expf(s.scores[r.row * score_stride + c] * scale - largest) : 0.0f;
    s.weights[r.row * weight_stride + c] = __float2bfloat16(weight);
    sum += weight;
  }
  sum = both_halves_sum(sum);
  const float keep = __expf(before - largest);
  for (int c = r.half * (D / 2); c < (r.half + 1) * (D / 2); ++c) s.out[r.row * out_stride_shared<D> + c] *= keep;
  __syncwarp();
  if (r.half == 0) {
    s.largest[r.row] = largest;
    s.sum[r.row] = s.sum[r.row] * keep + sum;
  }
  __syncwarp();
}

template <int D>
__device__ void add_weighted_values(ForwardShared<D>& s) {
  const int row = threadIdx.x / 32 * 16;
  for (int n = 0; n < D; n += 16) {
    Accumulator sum;
    float* out = s.out + row * out_stride_shared<D> + n;
    wmma::load_matrix_sync(sum, out, out_stride_shared<D>, wmma::mem_row_major);
    for (int k = 0; k < tile; k += 16) {
      LeftFragment<wmma::row_major> a;
      RightFragment<wmma::row_major> b;
      wmma::load_matrix_sync(a, s.weights + row * weight_stride + k, weight_stride);
      wmma::load_matrix_sync(b, s.v + k * row_stride<D> + n, row_stride<D>);
      wmma::mma_sync(sum, a, b, sum);
    }
    wmma::store_matrix_sync(out, sum, out_stride_shared<D>, wmma::mem_row_major);
  }
  __syncwarp();
}

template <int D>
__device__ void clear_state(ForwardShared<D>& s) {
  for (int i = threadIdx.x; i < tile * out_stride_shared<D>; i += attention_threads) s.out[i] = 0;
  if (threadIdx.x < tile) {
    s.largest[threadIdx.x] = -INFINITY;
    s.sum[threadIdx.x] = 0;
  }
}

template <int D>
__device__ void write_rows(const ForwardShared<D>& s, const AttentionShape& shape, const AttentionForward& data,
                           int batch, int head, int first_row) {
  const RowHalf r = row_of_lane();
  const int position = first_row + r.row;
  Bf16* out = data.out + token_at(shape, batch, position) * shape.out_stride + head * D;
  const float inverse = 1.0f / s.sum[r.row];
  for (int c = r.half * (D / 2); c < (r.half + 1) * (D / 2); c += 2) {
    const float* pair = s.out + r.row * out_stride_shared<D> + c;
    *reinterpret_cast<__nv_bfloat162*>(out + c) = __floats2bfloat162_rn(pair[0] * inverse, pair[1] * inverse);
  }
  if (r.half == 0) data.log_sum[row_state(shape, batch, head, position)] = s.largest[r.row] + __logf(s.sum[r.row]);
}

template <int D>
__global__ void __launch_bounds__(attention_threads)
    attention_forward_kernel(AttentionShape shape, AttentionForward data) {
  extern __shared__ __align__(32) unsigned char raw[];
  ForwardShared<D>& s = *reinterpret_cast<ForwardShared<D>*>(raw);
  const int first_row = (gridDim.x - 1 - blockIdx.x) * tile;  // longest rows first, so that the last wave is short
  const int head = blockIdx.y, batch = blockIdx.z, kv_head = head / (shape.heads / shape.kv_heads);
  load_tile<D>(s.q, data.q + token_at(shape, batch, first_row) * shape.q_stride + head * D, shape.q_stride);
  clear_state(s);
  const int end = shape.causal ? first_row + tile : shape.sequence;
  for (int key = 0; key < end; key += tile) {
    const std::size_t offset = token_at(shape, batch, key) * shape.kv_stride + kv_head * D;
    __syncthreads();  // all warps are done with the tile before
    load_tile<D>(s.k, data.k + offset, shape.kv_stride);
    load_tile<D>(s.v, data.v + offset, shape.kv_stride);
    __syncthreads();
    multiply_transposed<D>(s.scores, s.q, s.k);
    __syncwarp();
    const int last_seen = first_row + row_of_lane().row - key;  // column index in this tile
    softmax_step<D>(s, rsqrtf(static_cast<float>(D)), shape.causal ? min(tile, last_seen + 1) : tile);
    add_weighted_values<D>(s);
  }
  write_rows<D>(s, shape, data, batch, head, first_row);
}

template <int D>
void launch(const AttentionShape& shape, const AttentionForward& data, cudaStream_t stream) {
  allow_shared(attention_forward_kernel<D>, sizeof(ForwardShared<D>));
  const dim3 grid(static_cast<unsigned>(shape.sequence / tile), static_cast<unsigned>(shape.heads),
                  static_cast<unsigned>(shape.batch));
  attention_forward_kernel<D><<<grid, attention_threads, sizeof(ForwardShared<D>), stream>>>(shape, data);
  check_launch("attention_forward_kernel");
}

}  // namespace

AttentionShape packed_attention(int batch, int sequence, int heads, int kv_heads, int head_dim, bool causal) {
  return {batch, sequence, heads, kv_heads, head_dim, causal, heads * head_dim, kv_heads * head_dim, heads * head_dim};
}

AttentionShape fused_attention(int batch, int sequence, int heads, int kv_heads, int head_dim, bool causal) {
  AttentionShape out = packed_attention(batch, sequence, heads, kv_heads, head_dim, causal);
  out.q_stride = out.kv_stride = (heads + 2 * kv_heads) * head_dim;
  return out;
}

void enqueue_attention(const AttentionShape& shape, const AttentionForward& data, cudaStream_t stream) {
  require_tiles(shape);
  shape.head_dim == 64 ? launch<64>(shape, data, stream) : launch<128>(shape, data, stream);
}

}  // namespace clusterwright::probes
