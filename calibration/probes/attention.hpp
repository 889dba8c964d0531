// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tiled attention of our own on the matrix units (WMMA), forward and backward, as a memory-lean kernel does it: no
// score matrix in device memory. Simple on purpose; slower than cuDNN's or FlashAttention's, and the samples say "own".

#include <cuda_bf16.h>

#include <cstddef>

#include "fill.hpp"

namespace clusterwright::probes {

/// q, k, v, out are [batch * sequence, stride] with a head's numbers together, so that they can lie in one fused qkv
/// row. `sequence` is a multiple of 64; head_dim is 64 or 128; query head h reads key head h / (heads / kv_heads).
struct AttentionShape {
  int batch, sequence, heads, kv_heads, head_dim;
  bool causal;
  int q_stride, kv_stride, out_stride;  // numbers from one token to the next

  __host__ __device__ int tokens() const { return batch * sequence; }
  /// Two multiplies forward, five backward; a causal mask halves them (as published rates count).
  double forward_flops() const {
    const double pairs = static_cast<double>(sequence) * sequence * (causal ? 0.5 : 1.0);
    return 4.0 * batch * heads * pairs * head_dim;
  }
  double backward_flops() const { return 2.5 * forward_flops(); }
};

/// A shape whose q, k, v and out are separate and packed.
AttentionShape packed_attention(int batch, int sequence, int heads, int kv_heads, int head_dim, bool causal);
/// One whose q, k and v lie side by side in rows of (heads + 2 kv_heads) * head_dim numbers.
AttentionShape fused_attention(int batch, int sequence, int heads, int kv_heads, int head_dim, bool causal);

struct AttentionForward {
  const __nv_bfloat16 *q, *k, *v;
  __nv_bfloat16* out;
  float* log_sum;  // [batch, heads, sequence]: log of the softmax's sum, kept for the backward pass
};

struct AttentionBackward {
  AttentionForward forward;
  const __nv_bfloat16* dout;
  float* row_dot;               // [batch, heads, sequence] scratch: dout . out
  float* dq_fp32;               // [tokens, heads * head_dim] scratch: blocks add to it
  __nv_bfloat16 *dq, *dk, *dv;  // strides as q, k, v
};

/// @throws NotPossible for another head_dim or a sequence that is not whole tiles
void enqueue_attention(const AttentionShape& shape, const AttentionForward& data, cudaStream_t stream);
void enqueue_attention_backward(const AttentionShape& shape, const AttentionBackward& data, cudaStream_t stream);

/// Compares both with double precision on the host, grouped and causal, and without a mask.
/// @throws SampleFailed when they differ, NotPossible when the GPU cannot run them
void check_attention(int head_dim, cudaStream_t stream);

}  // namespace clusterwright::probes
