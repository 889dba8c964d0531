// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/host_probe_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

/// Size in whole pages, so that threads share arrays of doubles evenly.
Bytes whole_pages(Bytes size) {
  constexpr double page = 12 * 4096;  // pages of up to three arrays
  return std::floor(size.in(byte) / page) * page * byte;
}

/// Sizes from the first-level cache on, by `step`; finer from two thirds of `largest`, where a fit reads the bandwidth
/// of memory.
std::vector<Bytes> memory_sizes(double step, Bytes largest) {
  std::vector<Bytes> out;
  for (Bytes size = 24 * kibibyte; size < 0.5 * largest; size *= step) out.push_back(size);
  for (const double share : {0.67, 0.78, 0.89, 1.0}) out.push_back(whole_pages(share * largest));
  return out;
}

std::vector<Bytes> message_sizes(double step) {
  const Bytes largest = 64 * mebibyte;
  std::vector<Bytes> out;
  for (Bytes size = 8 * byte; size < largest; size *= step) out.push_back(size);
  out.push_back(largest);
  return out;
}

Bytes largest_memory(double caches, const HostMachine& machine) {
  const Bytes wanted = std::clamp(caches * machine.device.l3, 128 * mebibyte, 4 * gibibyte);
  return machine.available > Bytes{} ? std::min(wanted, machine.available / 4) : std::min(wanted, 128 * mebibyte);
}

}  // namespace

HostProbeSizes host_probe_sizes(ProbeSuite suite, const HostMachine& machine) {
  HostProbeSizes out;
  out.threads = {1};
  if (machine.device.threads > 1) out.threads.push_back(machine.device.threads);
  if (suite == ProbeSuite::quick) {
    out.gemm = {64, 128, 256, 512, 1024};
    out.gemm64 = {64, 256, 512};
    out.tokens = {128, 512};
    out.memory = memory_sizes(8, largest_memory(3, machine));
    out.messages = message_sizes(16);
    out.kernel_rows = {96, 384};
    out.kernel_widths = {192, 768, 3072};
    out.softmax = {48, 96, 192};
    out.updated = {1'000'000, 8'000'000};
    return out;
  }
  out.gemm = {64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};
  out.gemm64 = out.gemm;
  out.tokens = {16, 64, 128, 256, 512, 2048};  // one token is no GEMM of tiles on a host
  out.weight_gradients = true;
  out.memory = memory_sizes(2, largest_memory(6, machine));
  out.messages = message_sizes(4);
  out.kernel_rows = {24, 96, 384, 1536};
  out.kernel_widths = {192, 768, 3072};
  out.softmax = {24, 48, 96, 192, 384, 768};
  out.updated = {250'000, 1'000'000, 4'000'000, 16'000'000};
  out.file = 256 * mebibyte;
  return out;
}

}  // namespace clusterwright
