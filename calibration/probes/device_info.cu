// SPDX-License-Identifier: Apache-2.0
#include "device_info.hpp"

#include <cublasLt.h>

namespace clusterwright::probes {
namespace {

constexpr int oldest_capability = 80;

__global__ void first_kernel() {}

std::string dotted_cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void require(cudaError_t status, const std::string& message) {
  if (status == cudaSuccess) return;
  throw NoDevice(message + " (" + cudaGetErrorName(status) + ": " + cudaGetErrorString(status) + ")");
}

/// A binary of another architecture fails here, with a reason, instead of in every probe.
void try_kernel() {
  first_kernel<<<1, 1>>>();
  require(cudaGetLastError(), "the GPU cannot run this binary; build it on this node with -arch=native");
  require(cudaDeviceSynchronize(), "the first kernel failed");
}

}  // namespace

DeviceFacts open_device(int index) {
  int count = 0;
  require(cudaGetDeviceCount(&count), "no NVIDIA GPU or driver found");
  if (count == 0) throw NoDevice("no NVIDIA GPU found");
  if (index >= count)
    throw UsageError("--device " + std::to_string(index) + ": this node has " + std::to_string(count) +
                     " GPU(s), numbered from 0");
  require(cudaSetDevice(index), "cannot select the GPU");
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, index), "cannot read the GPU's properties");
  DeviceFacts facts;
  facts.name = properties.name;
  facts.compute_capability = 10 * properties.major + properties.minor;
  facts.multiprocessors = properties.multiProcessorCount;
  facts.memory_bytes = properties.totalGlobalMem;
  facts.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  facts.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
  if (facts.compute_capability < oldest_capability)
    throw NoDevice(facts.name + ": needs compute capability 8.0 or newer");
  try_kernel();
  return facts;
}

std::string pci_bus_id(int index) {
  char text[32] = "";
  CHECK_CUDA(cudaDeviceGetPCIBusId(text, sizeof text, index));
  return text;
}

JsonObject device_json(int index, const DeviceFacts& facts, const Nvml& nvml, const std::string& nvml_problem) {
  int driver = 0, runtime = 0, count = 0;
  CHECK_CUDA(cudaDriverGetVersion(&driver));
  CHECK_CUDA(cudaRuntimeGetVersion(&runtime));
  CHECK_CUDA(cudaGetDeviceCount(&count));
  JsonObject out;
  out.put("kind", "gpu")
      .put("name", facts.name)
      .put("compute_capability",
           std::to_string(facts.compute_capability / 10) + "." + std::to_string(facts.compute_capability % 10));
  out.put("multiprocessors", facts.multiprocessors)
      .put("memory_bytes", facts.memory_bytes)
      .put("l2_bytes", facts.l2_bytes);
  out.put("shared_bytes_per_block", facts.shared_bytes_per_block).put("index", index).put("gpus_in_node", count);
  out.put("driver", nvml.driver())
      .put("cuda_driver", dotted_cuda_version(driver))
      .put("cuda_runtime", dotted_cuda_version(runtime));
  out.put("cublaslt", cublasLtGetVersion());
  out.put("power_limit_w", nvml.power_limit_w()).put("max_sm_mhz", nvml.max_clock_mhz(Nvml::sm_clock));
  out.put("max_memory_mhz", nvml.max_clock_mhz(Nvml::memory_clock)).put("pci_link", nvml.pci_link());
  if (!nvml_problem.empty()) out.put("nvml", nvml_problem);
  return out;
}

}  // namespace clusterwright::probes
