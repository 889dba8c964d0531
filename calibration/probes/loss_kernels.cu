// SPDX-License-Identifier: Apache-2.0
// Softmax-cross-entropy with its gradient, and the optimizer's update.

#include "bf16x8.hpp"
#include "layer_kernels.hpp"
#include "status.hpp"

namespace clusterwright::probes {
namespace {

constexpr int loss_threads = 512, adam_threads = 256;

/// Adds `value` to a running sum of exponentials that is kept relative to the running maximum.
__device__ void add_exponential(float& largest, float& sum, float value) {
  const float bound = fmaxf(largest, value);
  sum = sum * __expf(largest - bound) + __expf(value - bound);
  largest = bound;
}

/// One pass for maximum and sum together, one to write the gradient: two reads and one write of the logits.
__global__ void cross_entropy_kernel(Bf16* logits, const int* targets, float* loss, int vocabulary, float scale) {
  __shared__ float scratch[32];
  Bf16* row = logits + static_cast<std::size_t>(blockIdx.x) * vocabulary;
  const int target = targets[blockIdx.x];
  const float target_logit = __bfloat162float(row[target]);
  float largest = -1e30f, sum = 0;
  for (int i = 8 * threadIdx.x; i < vocabulary; i += 8 * loss_threads) {
    const Float8 v = load8(row + i);
    for (const float value : v.at) add_exponential(largest, sum, value);
  }
  const float row_max = block_max(largest, scratch);
  const float log_sum = row_max + __logf(block_sum(sum * __expf(largest - row_max), scratch));
  if (threadIdx.x == 0) loss[blockIdx.x] = log_sum - target_logit;
  for (int i = 8 * threadIdx.x; i < vocabulary; i += 8 * loss_threads) {
    Float8 v = load8(row + i);
    for (int j = 0; j < 8; ++j) v.at[j] = scale * (__expf(v.at[j] - log_sum) - (i + j == target ? 1.0f : 0.0f));
    store8(row + i, v);
  }
}

struct AdamConstants {
  float rate, beta1, beta2, epsilon, decay, correction1, correction2;
};

__global__ void adam_kernel(AdamState state, std::int64_t count, AdamConstants c) {
  const std::int64_t first = 8 * (static_cast<std::int64_t>(blockIdx.x) * adam_threads + threadIdx.x);
  if (first >= count) return;
  const Float8 gradient = load8(state.gradient + first);
  Float8 weight = *reinterpret_cast<const Float8*>(state.weight + first);
  Float8 m = *reinterpret_cast<const Float8*>(state.first_moment + first);
  Float8 v = *reinterpret_cast<const Float8*>(state.second_moment + first);
  for (int j = 0; j < 8; ++j) {
    m.at[j] = c.beta1 * m.at[j] + (1 - c.beta1) * gradient.at[j];
    v.at[j] = c.beta2 * v.at[j] + (1 - c.beta2) * gradient.at[j] * gradient.at[j];
    const float update = m.at[j] * c.correction1 / (sqrtf(v.at[j] * c.correction2) + c.epsilon);
    weight.at[j] -= c.rate * (update + c.decay * weight.at[j]);
  }
  *reinterpret_cast<Float8*>(state.weight + first) = weight;
  *reinterpret_cast<Float8*>(state.first_moment + first) = m;
  *reinterpret_cast<Float8*>(state.second_moment + first) = v;
  store8(state.weight_bf16 + first, weight);
}

}  // namespace

void enqueue_cross_entropy(Bf16* logits, const int* targets, float* loss, int tokens, int vocabulary,
                           cudaStream_t stream) {
  cross_entropy_kernel<<<tokens, loss_threads, 0, stream>>>(logits, targets, loss, vocabulary,
                                                            1.0f / static_cast<float>(tokens));
  check_launch("cross_entropy_kernel");
}

void enqueue_adam(const AdamState& state, std::int64_t count, const AdamStep& step, cudaStream_t stream) {
  AdamConstants c{step.rate, 0.9f, 0.95f, 1e-8f, 0.1f, 0, 0};
  c.correction1 = 1.0f / (1.0f - powf(c.beta1, static_cast<float>(step.number)));
  c.correction2 = 1.0f / (1.0f - powf(c.beta2, static_cast<float>(step.number)));
  const auto blocks = static_cast<unsigned>((count / 8 + adam_threads - 1) / adam_threads);
  adam_kernel<<<blocks, adam_threads, 0, stream>>>(state, count, c);
  check_launch("adam_kernel");
}

}  // namespace clusterwright::probes
