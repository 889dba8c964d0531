// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eight bf16 numbers as one 16-byte access, worked on in fp32.

#include <cuda_bf16.h>

#include <cstddef>

namespace clusterwright::probes {

struct alignas(16) Bf16x8 {
  __nv_bfloat162 pair[4];
};

struct alignas(16) Float8 {
  float at[8];
};

__device__ inline Float8 load8(const __nv_bfloat16* from) {
  const Bf16x8 packed = *reinterpret_cast<const Bf16x8*>(from);
  Float8 out;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 two = __bfloat1622float2(packed.pair[i]);
    out.at[2 * i] = two.x;
    out.at[2 * i + 1] = two.y;
  }
  return out;
}

__device__ inline void store8(__nv_bfloat16* to, const Float8& values) {
  Bf16x8 packed;
#pragma unroll
  for (int i = 0; i < 4; ++i) packed.pair[i] = __floats2bfloat162_rn(values.at[2 * i], values.at[2 * i + 1]);
  *reinterpret_cast<Bf16x8*>(to) = packed;
}

/// The sum over a block, given to every thread. `scratch` holds 32 floats; all threads must call.
__device__ inline float block_sum(float value, float* scratch) {
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(0xffffffffu, value, lane);
  __syncthreads();  // the scratch may still be read from the call before
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) sum += scratch[warp];
  return sum;
}

__device__ inline float block_max(float value, float* scratch) {
  for (int lane = 16; lane > 0; lane /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, lane));
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  float largest = scratch[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) largest = fmaxf(largest, scratch[warp]);
  return largest;
}

}  // namespace clusterwright::probes
