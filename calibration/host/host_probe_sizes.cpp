#include "calibration/host/host_probe_sizes.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

/// From the first-level cache on, by `step`; the last is `largest`.
std::vector<Bytes> memory_sizes(double step, Bytes largest) {
  std::vector<Bytes> out;
  for (Bytes size = 24 * kibibyte; size < largest / std::min(step, 2.0); size *= step) out.push_back(size);
  out.push_back(largest);
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
    out.memory = memory_sizes(8, largest_memory(2, machine));
    out.messages = message_sizes(16);
    return out;
  }
  out.gemm = {64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};
  out.gemm64 = out.gemm;
  out.tokens = {1, 16, 128, 512, 2048};
  out.weight_gradients = true;
  out.memory = memory_sizes(2, largest_memory(4, machine));
  out.messages = message_sizes(4);
  out.file = 256 * mebibyte;
  return out;
}

}  // namespace clusterwright
