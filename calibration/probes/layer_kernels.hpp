// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts of a transformer layer that are not multiplies: bf16 storage, fp32 arithmetic, row-major, no padding.
// Widths are multiples of 8, so that every access is 16 bytes wide.

#include <cuda_bf16.h>

#include <cstdint>
#include <vector>

namespace clusterwright::probes {

using Bf16 = __nv_bfloat16;

// y = x / rms(x) * weight, one row per token. `inverse_rms` [tokens] is kept for the backward pass.
void enqueue_rms_norm(const Bf16* x, const Bf16* weight, Bf16* y, float* inverse_rms, int tokens, int width,
                      cudaStream_t stream);
/// `weight_gradient` [width] is added to.
void enqueue_rms_norm_backward(const Bf16* x, const Bf16* weight, const float* inverse_rms, const Bf16* dy, Bf16* dx,
                               float* weight_gradient, int tokens, int width, cudaStream_t stream);

/// Rotates the first `heads` heads of every row of `row_stride` numbers, in place; position = row mod `sequence`.
/// Pairs are (i, i + head_dim / 2), base 10000. `direction` -1 is the backward pass.
void enqueue_rotary(Bf16* rows, int tokens, int sequence, int heads, int head_dim, int row_stride, int direction,
                    cudaStream_t stream);

/// in [tokens, 2 width] holds gate and up side by side; out = silu(gate) * up.
void enqueue_swiglu(const Bf16* in, Bf16* out, int tokens, int width, cudaStream_t stream);
void enqueue_swiglu_backward(const Bf16* in, const Bf16* dout, Bf16* din, int tokens, int width, cudaStream_t stream);

/// The tanh form of GELU.
void enqueue_gelu(const Bf16* in, Bf16* out, std::int64_t count, cudaStream_t stream);
void enqueue_gelu_backward(const Bf16* in, const Bf16* dout, Bf16* din, std::int64_t count, cudaStream_t stream);

void enqueue_add(const Bf16* a, const Bf16* b, Bf16* out, std::int64_t count, cudaStream_t stream);

/// loss [tokens] and the gradient of the mean loss, written over the logits [tokens, vocabulary].
void enqueue_cross_entropy(Bf16* logits, const int* targets, float* loss, int tokens, int vocabulary,
                           cudaStream_t stream);

/// out[token] = table[ids[token]], rows of `width`.
void enqueue_embedding(const Bf16* table, const int* ids, Bf16* out, int tokens, int width, cudaStream_t stream);
/// Adds every token's gradient to its row of the table's, which the caller has cleared.
void enqueue_embedding_backward(const Bf16* dout, const int* ids, Bf16* table_gradient, int tokens, int width,
                                cudaStream_t stream);

/// Rounds fp32 to bf16, and the way back. `count` is a multiple of 8.
void enqueue_round(const float* in, Bf16* out, std::int64_t count, cudaStream_t stream);
void enqueue_widen(const Bf16* in, float* out, std::int64_t count, cudaStream_t stream);

/// Adam with decoupled weight decay on fp32 state, which also writes the bf16 copy that the next forward pass reads.
struct AdamState {
  float *weight, *first_moment, *second_moment;
  const Bf16* gradient;
  Bf16* weight_bf16;
};
struct AdamStep {
  int number = 1000;  // from 1; the correction of young moments depends on it
  float rate = 1e-4f;
};
/// `count` is a multiple of 8.
void enqueue_adam(const AdamState& state, std::int64_t count, const AdamStep& step, cudaStream_t stream);

/// Bytes that one parameter's update moves: 3 fp32 read and written, one bf16 read, one written.
constexpr int adam_bytes_per_parameter = 3 * 8 + 2 + 2;

/// Compares a family of the kernels above with double precision on the host. `run` throws SampleFailed.
struct KernelCheck {
  const char* family;
  void (*run)(cudaStream_t stream);
};
/// norm, rotary, pointwise, cross entropy, embedding, adam.
const std::vector<KernelCheck>& layer_kernel_checks();

/// All of them. @throws SampleFailed
void check_layer_kernels(cudaStream_t stream);

}  // namespace clusterwright::probes
