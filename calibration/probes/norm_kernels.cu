// SPDX-License-Identifier: Apache-2.0
// RMS norm, forward and backward, one block per row at a time.

#include <algorithm>

#include "bf16x8.hpp"
#include "layer_kernels.hpp"
#include "status.hpp"

namespace clusterwright::probes {
namespace {

constexpr int threads = 256, backward_blocks = 512;
constexpr float epsilon = 1e-5f;

__global__ void rms_norm_kernel(const Bf16* x, const Bf16* weight, Bf16* y, float* inverse_rms, int width) {
  __shared__ float scratch[32];
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * width;
  float squares = 0;
  for (int i = 8 * threadIdx.x; i < width; i += 8 * threads) {
    const Float8 v = load8(x + row + i);
    for (const float number : v.at) squares += number * number;
  }
  const float inverse = rsqrtf(block_sum(squares, scratch) / width + epsilon);
  if (threadIdx.x == 0) inverse_rms[blockIdx.x] = inverse;
  for (int i = 8 * threadIdx.x; i < width; i += 8 * threads) {
    Float8 v = load8(x + row + i);
    const Float8 w = load8(weight + i);
    for (int j = 0; j < 8; ++j) v.at[j] *= inverse * w.at[j];
    store8(y + row + i, v);
  }
}

/// With n = x * inverse and g = dy * weight: dx = inverse * (g - n * mean(g n)); dweight = sum over rows of dy n.
__device__ void backward_row(const Bf16* x, const Bf16* weight, float inverse, const Bf16* dy, Bf16* dx,
                             float* column_sums, float* scratch, int width) {
  float dot = 0;
  for (int i = 8 * threadIdx.x; i < width; i += 8 * threads) {
    const Float8 v = load8(x + i), w = load8(weight + i), g = load8(dy + i);
    Float8 sums = *reinterpret_cast<const Float8*>(column_sums + i);  // a column belongs to one thread
    for (int j = 0; j < 8; ++j) {
      dot += g.at[j] * w.at[j] * v.at[j] * inverse;
      sums.at[j] += g.at[j] * v.at[j] * inverse;
    }
    *reinterpret_cast<Float8*>(column_sums + i) = sums;
  }
  const float mean = block_sum(dot, scratch) / width;
  for (int i = 8 * threadIdx.x; i < width; i += 8 * threads) {
    const Float8 v = load8(x + i), w = load8(weight + i), g = load8(dy + i);
    Float8 out;
    for (int j = 0; j < 8; ++j) out.at[j] = inverse * (g.at[j] * w.at[j] - v.at[j] * inverse * mean);
    store8(dx + i, out);
  }
}

__global__ void rms_norm_backward_kernel(const Bf16* x, const Bf16* weight, const float* inverse_rms, const Bf16* dy,
                                         Bf16* dx, float* weight_gradient, int tokens, int width) {
  extern __shared__ __align__(16) float column_sums[];  // [width]
  __shared__ float scratch[32];
  for (int i = threadIdx.x; i < width; i += threads) column_sums[i] = 0;
  __syncthreads();
  for (int token = blockIdx.x; token < tokens; token += gridDim.x) {
    const std::size_t row = static_cast<std::size_t>(token) * width;
    backward_row(x + row, weight, inverse_rms[token], dy + row, dx + row, column_sums, scratch, width);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += threads) atomicAdd(weight_gradient + i, column_sums[i]);
}

}  // namespace

void enqueue_rms_norm(const Bf16* x, const Bf16* weight, Bf16* y, float* inverse_rms, int tokens, int width,
                      cudaStream_t stream) {
  rms_norm_kernel<<<tokens, threads, 0, stream>>>(x, weight, y, inverse_rms, width);
  check_launch("rms_norm_kernel");
}

void enqueue_rms_norm_backward(const Bf16* x, const Bf16* weight, const float* inverse_rms, const Bf16* dy, Bf16* dx,
                               float* weight_gradient, int tokens, int width, cudaStream_t stream) {
  const std::size_t shared_bytes = static_cast<std::size_t>(width) * sizeof(float);
  if (shared_bytes > std::size_t{48} << 10) {  // more than that must be asked for
    CHECK_CUDA(cudaFuncSetAttribute(rms_norm_backward_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes)));
  }
  rms_norm_backward_kernel<<<std::min(tokens, backward_blocks), threads, shared_bytes, stream>>>(
      x, weight, inverse_rms, dy, dx, weight_gradient, tokens, width);
  check_launch("rms_norm_backward_kernel");
}

}  // namespace clusterwright::probes
