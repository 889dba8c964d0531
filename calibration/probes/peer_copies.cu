// SPDX-License-Identifier: Apache-2.0
#include "peer_copies.hpp"

#include "fill.hpp"
#include "measure.hpp"

namespace clusterwright::probes {
namespace {

/// Makes one device current and the former one again at the end.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    CHECK_CUDA(cudaGetDevice(&former_));
    CHECK_CUDA(cudaSetDevice(device));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaSetDevice(former_); }

 private:
  int former_ = 0;
};

DeviceArray<char> array_on(int device, std::size_t bytes) {
  const OnDevice here(device);
  return DeviceArray<char>(bytes);
}

/// Direct access is switched on where the hardware has it; without it CUDA copies through the host.
bool enable_peer(int from, int to) {
  int possible = 0;
  CHECK_CUDA(cudaDeviceCanAccessPeer(&possible, from, to));
  if (possible == 0) return false;
  const OnDevice here(from);
  const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
  if (status != cudaErrorPeerAccessAlreadyEnabled) CHECK_CUDA(status);
  cudaGetLastError();  // "already" stays behind as the last error
  return true;
}

void measure_peer(Context& context, const std::string& probe, int peer, std::size_t bytes) {
  const int self = context.options.device;
  const bool direct = enable_peer(self, peer);
  const DeviceArray<char> from = array_on(self, bytes), to = array_on(peer, bytes);
  fill(from.data(), DataType::bf16, bytes / 2, Contents::random, context.options.seed, context.stream);
  Work work;
  work.probe = probe;
  work.what.put("operation", "peer_copy").put("bytes", bytes).put("from", self).put("to", peer).put("direct", direct);
  work.bytes = static_cast<double>(bytes);
  work.launch = [&](cudaStream_t stream, int) {
    CHECK_CUDA(cudaMemcpyPeerAsync(to.data(), peer, from.data(), self, bytes, stream));
  };
  measure_burst(context, work, 30);
}

}  // namespace

int gpu_count() {
  int count = 0;
  CHECK_CUDA(cudaGetDeviceCount(&count));
  return count;
}

void run_peer_copies(Context& context, const std::string& probe) {
  if (gpu_count() < 2) throw NotPossible("peer-to-peer needs two GPUs");
  std::vector<Task> tasks;
  for (int peer = 0; peer < gpu_count(); ++peer) {
    if (peer == context.options.device || (!context.options.full && peer > 1)) continue;
    for (std::size_t bytes = 4096; bytes <= std::size_t{256} << 20; bytes *= 4) {
      const std::string what = "peer copy to " + std::to_string(peer) + ", " + std::to_string(bytes) + " bytes";
      tasks.push_back({what, [&context, &probe, peer, bytes] { measure_peer(context, probe, peer, bytes); }});
    }
  }
  run_tasks(context, probe, tasks);
}

}  // namespace clusterwright::probes
