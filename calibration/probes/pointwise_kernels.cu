// SPDX-License-Identifier: Apache-2.0
// SwiGLU, GELU, rotary embedding, residual add, fp32 to bf16 and back.

#include "bf16x8.hpp"
#include "layer_kernels.hpp"
#include "status.hpp"

namespace clusterwright::probes {
namespace {

constexpr int threads = 256;

/// Blocks for one thread per eight numbers.
unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count / 8 + threads - 1) / threads);
}

__device__ std::int64_t first_of_thread() {
  return 8 * (static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x);
}

__device__ float sigmoid(float x) {
  return 1.0f / (1.0f + __expf(-x));
}

__global__ void swiglu_kernel(const Bf16* in, Bf16* out, std::int64_t count, int width) {
  const std::int64_t at = first_of_thread();
  if (at >= count) return;
  const std::int64_t row = at / width, column = at % width;
  Float8 gate = load8(in + 2 * row * width + column);
  const Float8 up = load8(in + (2 * row + 1) * width + column);
  for (int j = 0; j < 8; ++j) gate.at[j] *= sigmoid(gate.at[j]) * up.at[j];
  store8(out + at, gate);
}

__global__ void swiglu_backward_kernel(const Bf16* in, const Bf16* dout, Bf16* din, std::int64_t count, int width) {
  const std::int64_t at = first_of_thread();
  if (at >= count) return;
  const std::int64_t gate_at = 2 * (at / width) * width + at % width;
  const Float8 gate = load8(in + gate_at), up = load8(in + gate_at + width), gradient = load8(dout + at);
  Float8 dgate, dup;
  for (int j = 0; j < 8; ++j) {
    const float s = sigmoid(gate.at[j]);
    dup.at[j] = gradient.at[j] * gate.at[j] * s;
    dgate.at[j] = gradient.at[j] * up.at[j] * s * (1.0f + gate.at[j] * (1.0f - s));
  }
  store8(din + gate_at, dgate);
  store8(din + gate_at + width, dup);
}

__device__ float gelu_tanh(float x) {
  return tanhf(0.7978845608f * (x + 0.044715f * x * x * x));
}

__global__ void gelu_kernel(const Bf16* in, Bf16* out, std::int64_t count) {
  const std::int64_t at = first_of_thread();
  if (at >= count) return;
  Float8 v = load8(in + at);
  for (float& x : v.at) x = 0.5f * x * (1.0f + gelu_tanh(x));
  store8(out + at, v);
}

__global__ void gelu_backward_kernel(const Bf16* in, const Bf16* dout, Bf16* din, std::int64_t count) {
  const std::int64_t at = first_of_thread();
  if (at >= count) return;
  const Float8 v = load8(in + at);
  Float8 gradient = load8(dout + at);
  for (int j = 0; j < 8; ++j) {
    const float x = v.at[j], t = gelu_tanh(x);
    gradient.at[j] *= 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * 0.7978845608f * (1.0f + 3.0f * 0.044715f * x * x);
  }
  store8(din + at, gradient);
}

__global__ void add_kernel(const Bf16* a, const Bf16* b, Bf16* out, std::int64_t count) {
  const std::int64_t at = first_of_thread();
  if (at >= count) return;
  Float8 v = load8(a + at);
  const Float8 w = load8(b + at);
  for (int j = 0; j < 8; ++j) v.at[j] += w.at[j];
  store8(out + at, v);
}

__global__ void round_kernel(const float* in, Bf16* out, std::int64_t count) {
  const std::int64_t at = first_of_thread();
  if (at < count) store8(out + at, *reinterpret_cast<const Float8*>(in + at));
}

__global__ void widen_kernel(const Bf16* in, float* out, std::int64_t count) {
  const std::int64_t at = first_of_thread();
  if (at < count) *reinterpret_cast<Float8*>(out + at) = load8(in + at);
}

/// A block turns one row; its angles are computed once and shared by all heads.
__global__ void rotary_kernel(Bf16* rows, int sequence, int heads, int head_dim, int row_stride, float direction) {
  extern __shared__ float2 turn[];  // [head_dim / 2]: cosine and sine
  const int half = head_dim / 2;
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    const float angle =
        static_cast<float>(blockIdx.x % sequence) * exp2f(-13.28771238f * 2.0f * i / head_dim);  // log2(10000)
    turn[i] = make_float2(cosf(angle), direction * sinf(angle));
  }
  __syncthreads();
  Bf16* row = rows + static_cast<std::size_t>(blockIdx.x) * row_stride;
  for (int at = 8 * threadIdx.x; at < heads * half; at += 8 * blockDim.x) {
    Bf16* low = row + at / half * head_dim + at % half;
    Float8 a = load8(low), b = load8(low + half);
    for (int j = 0; j < 8; ++j) {
      const float2 t = turn[at % half + j];
      const float x = a.at[j], y = b.at[j];
      a.at[j] = x * t.x - y * t.y;
      b.at[j] = x * t.y + y * t.x;
    }
    store8(low, a);
    store8(low + half, b);
  }
}

}  // namespace

void enqueue_rotary(Bf16* rows, int tokens, int sequence, int heads, int head_dim, int row_stride, int direction,
                    cudaStream_t stream) {
  const std::size_t shared_bytes = static_cast<std::size_t>(head_dim / 2) * sizeof(float2);
  rotary_kernel<<<tokens, threads, shared_bytes, stream>>>(rows, sequence, heads, head_dim, row_stride,
                                                           static_cast<float>(direction));
  check_launch("rotary_kernel");
}

void enqueue_swiglu(const Bf16* in, Bf16* out, int tokens, int width, cudaStream_t stream) {
  const std::int64_t count = std::int64_t{tokens} * width;
  swiglu_kernel<<<blocks_for(count), threads, 0, stream>>>(in, out, count, width);
  check_launch("swiglu_kernel");
}

void enqueue_swiglu_backward(const Bf16* in, const Bf16* dout, Bf16* din, int tokens, int width, cudaStream_t stream) {
  const std::int64_t count = std::int64_t{tokens} * width;
  swiglu_backward_kernel<<<blocks_for(count), threads, 0, stream>>>(in, dout, din, count, width);
  check_launch("swiglu_backward_kernel");
}

void enqueue_gelu(const Bf16* in, Bf16* out, std::int64_t count, cudaStream_t stream) {
  gelu_kernel<<<blocks_for(count), threads, 0, stream>>>(in, out, count);
  check_launch("gelu_kernel");
}

void enqueue_gelu_backward(const Bf16* in, const Bf16* dout, Bf16* din, std::int64_t count, cudaStream_t stream) {
  gelu_backward_kernel<<<blocks_for(count), threads, 0, stream>>>(in, dout, din, count);
  check_launch("gelu_backward_kernel");
}

void enqueue_add(const Bf16* a, const Bf16* b, Bf16* out, std::int64_t count, cudaStream_t stream) {
  add_kernel<<<blocks_for(count), threads, 0, stream>>>(a, b, out, count);
  check_launch("add_kernel");
}

void enqueue_round(const float* in, Bf16* out, std::int64_t count, cudaStream_t stream) {
  round_kernel<<<blocks_for(count), threads, 0, stream>>>(in, out, count);
  check_launch("round_kernel");
}

void enqueue_widen(const Bf16* in, float* out, std::int64_t count, cudaStream_t stream) {
  widen_kernel<<<blocks_for(count), threads, 0, stream>>>(in, out, count);
  check_launch("widen_kernel");
}

}  // namespace clusterwright::probes
