// SPDX-License-Identifier: Apache-2.0
#include "fill.hpp"

#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace clusterwright::probes {
namespace {

/// Counter-based (splitmix64), so that each thread makes its own numbers.
__host__ __device__ std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ float normal(std::uint64_t bits) {
  const float u = (static_cast<float>(bits >> 40) + 0.5f) * 0x1p-24f;
  const float v = static_cast<float>((bits >> 16) & 0xffffff) * 0x1p-24f;
  return sqrtf(-2.0f * logf(u)) * cospif(2.0f * v);
}

template <class T>
__global__ void fill_kernel(T* data, std::size_t count, Contents contents, std::uint64_t seed, float deviation,
                            float mean) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const std::uint64_t bits = mixed(seed + i * 0xd1342543de82ef95ull);
    const bool keep = contents == Contents::random || (contents == Contents::sparse && (bits & 0xffff) < 6554);
    data[i] = T(keep ? mean + deviation * normal(mixed(bits)) : 0.0f);
  }
}

template <class T>
void launch_fill(void* data, std::size_t count, Contents contents, std::uint64_t seed, cudaStream_t stream,
                 float deviation, float mean) {
  fill_kernel<T><<<2048, 256, 0, stream>>>(static_cast<T*>(data), count, contents, mixed(seed), deviation, mean);
  check_launch("fill_kernel");
}

}  // namespace

const char* name_of(DataType type) {
  switch (type) {
    case DataType::bf16:
      return "bf16";
    case DataType::fp8_e4m3:
      return "fp8_e4m3";
    case DataType::fp16:
      return "fp16";
    case DataType::tf32:
      return "tf32";
    default:
      return "fp32";
  }
}

std::size_t bytes_of(DataType type) {
  if (type == DataType::fp8_e4m3) return 1;
  return type == DataType::tf32 || type == DataType::fp32 ? 4 : 2;
}

const char* name_of(Contents contents) {
  return contents == Contents::zeros ? "zeros" : contents == Contents::sparse ? "sparse_10pct" : "random_normal";
}

void fill(void* data, DataType type, std::size_t count, Contents contents, std::uint64_t seed, cudaStream_t stream,
          float deviation, float mean) {
  switch (type) {
    case DataType::bf16:
      return launch_fill<__nv_bfloat16>(data, count, contents, seed, stream, deviation, mean);
    case DataType::fp8_e4m3:
      return launch_fill<__nv_fp8_e4m3>(data, count, contents, seed, stream, deviation, mean);
    case DataType::fp16:
      return launch_fill<__half>(data, count, contents, seed, stream, deviation, mean);
    default:
      return launch_fill<float>(data, count, contents, seed, stream, deviation, mean);
  }
}

DeviceArray<__nv_bfloat16> random_bf16(std::size_t count, std::uint64_t seed, cudaStream_t stream, float deviation) {
  DeviceArray<__nv_bfloat16> array(count);
  fill(array.data(), DataType::bf16, count, Contents::random, seed, stream, deviation);
  return array;
}

}  // namespace clusterwright::probes
