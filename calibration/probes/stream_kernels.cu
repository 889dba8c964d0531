// SPDX-License-Identifier: Apache-2.0
#include "stream_kernels.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "fill.hpp"

namespace clusterwright::probes {
namespace {

constexpr int threads = 256, unroll = 4;

__device__ float4 combine(StreamKind kind, float4 a, float4 b) {
  if (kind == StreamKind::copy) return a;
  const float scale = kind == StreamKind::triad ? 3.0f : 1.0f;
  return make_float4(a.x + scale * b.x, a.y + scale * b.y, a.z + scale * b.z, a.w + scale * b.w);
}

template <StreamKind kind>
__global__ void stream_kernel(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c,
                              std::size_t vectors) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * (threads * unroll) + threadIdx.x;
  float4 x[unroll], y[unroll];
#pragma unroll
  for (int i = 0; i < unroll; ++i) {
    const std::size_t at = first + static_cast<std::size_t>(i) * threads;
    if (at >= vectors) continue;
    x[i] = a[at];
    y[i] = kind == StreamKind::copy ? x[i] : b[at];
  }
#pragma unroll
  for (int i = 0; i < unroll; ++i) {
    const std::size_t at = first + static_cast<std::size_t>(i) * threads;
    if (at < vectors) c[at] = combine(kind, x[i], y[i]);
  }
}

__global__ void read_kernel(const float4* __restrict__ a, std::size_t vectors, float* sums) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * threads;
  float sum = 0;
#pragma unroll 4
  for (std::size_t at = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x; at < vectors; at += stride) {
    const float4 v = a[at];
    sum += v.x + v.y + v.z + v.w;
  }
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lane);
  __shared__ float warp_sum[threads / 32];
  if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < threads / 32; ++warp) sum += warp_sum[warp];
  sums[blockIdx.x] = sum;
}

template <StreamKind kind>
void launch(const StreamArrays& s, cudaStream_t stream) {
  const std::size_t vectors = s.count / 4;
  const auto blocks = static_cast<unsigned>((vectors + threads * unroll - 1) / (threads * unroll));
  stream_kernel<kind><<<blocks, threads, 0, stream>>>(reinterpret_cast<const float4*>(s.first),
                                                      reinterpret_cast<const float4*>(s.second),
                                                      reinterpret_cast<float4*>(s.out), vectors);
}

double expected(StreamKind kind, double a, double b) {
  if (kind == StreamKind::copy) return a;
  return kind == StreamKind::add ? a + b : a + 3 * b;
}

double worst_difference(StreamKind kind, const std::vector<float>& a, const std::vector<float>& b,
                        const std::vector<float>& c) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double off = std::fabs(c[i] - expected(kind, a[i], b[i]));
    if (!(off <= worst)) worst = off;  // a NaN replaces the worst and is refused below
    if (std::isnan(worst)) break;
  }
  return worst;
}

double sum_difference(const std::vector<float>& numbers, const std::vector<float>& sums) {
  double sum = 0;
  for (const float value : sums) sum += value;
  for (const float value : numbers) sum -= value;
  return std::fabs(sum) / std::sqrt(static_cast<double>(numbers.size()));
}

void require(double difference, StreamKind kind) {
  if (!(difference < 1e-3))
    throw SampleFailed(std::string("stream check, ") + name_of(kind) + ": differs by " + std::to_string(difference));
}

}  // namespace

const char* name_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::copy:
      return "copy";
    case StreamKind::add:
      return "add";
    case StreamKind::triad:
      return "triad";
    default:
      return "read";
  }
}

int arrays_of(StreamKind kind) {
  return kind == StreamKind::read ? 1 : kind == StreamKind::copy ? 2 : 3;
}

void enqueue_stream(StreamKind kind, const StreamArrays& arrays, cudaStream_t stream) {
  switch (kind) {
    case StreamKind::copy:
      launch<StreamKind::copy>(arrays, stream);
      break;
    case StreamKind::add:
      launch<StreamKind::add>(arrays, stream);
      break;
    case StreamKind::triad:
      launch<StreamKind::triad>(arrays, stream);
      break;
    case StreamKind::read:
      read_kernel<<<read_blocks, threads, 0, stream>>>(reinterpret_cast<const float4*>(arrays.first), arrays.count / 4,
                                                       arrays.sums);
  }
  check_launch("stream kernel");
}

void check_stream_kernels(cudaStream_t stream) {
  const std::size_t count = 4 * 12345;  // not a whole number of blocks
  DeviceArray<float> a(count), b(count), c(count), sums(read_blocks);
  fill(a.data(), DataType::fp32, count, Contents::random, 21, stream);
  fill(b.data(), DataType::fp32, count, Contents::random, 22, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const auto host_a = a.to_host(), host_b = b.to_host();
  for (const StreamKind kind : {StreamKind::copy, StreamKind::add, StreamKind::triad, StreamKind::read}) {
    CHECK_CUDA(cudaMemsetAsync(c.data(), 0xff, c.bytes(), stream));
    enqueue_stream(kind, {a.data(), b.data(), c.data(), sums.data(), count}, stream);
    CHECK_CUDA(cudaStreamSynchronize(stream));
    require(kind == StreamKind::read ? sum_difference(host_a, sums.to_host())
                                     : worst_difference(kind, host_a, host_b, c.to_host()),
            kind);
  }
}

}  // namespace clusterwright::probes
