// SPDX-License-Identifier: Apache-2.0
// Host memory to device and back over the GPU's link, pinned, one way and both ways at once.

#include <algorithm>
#include <memory>

#include "measure.hpp"
#include "probes.hpp"

namespace clusterwright::probes {
namespace {

const char* const probe_name = "copies";

struct Buffers {
  PinnedBytes host_out, host_in;
  DeviceArray<char> device_in, device_out;
  Stream upload, download;
  Event forked, uploaded, downloaded;

  explicit Buffers(std::size_t bytes) : host_out(bytes), host_in(bytes), device_in(bytes), device_out(bytes) {}
};

Work copy_work(const char* direction, std::size_t bytes, double link_bytes) {
  Work work;
  work.probe = probe_name;
  work.what.put("direction", direction).put("bytes", bytes).put("host_memory", "pinned");
  work.bytes = link_bytes;
  return work;
}

void copy_to_device(const Buffers& b, std::size_t bytes, cudaStream_t stream) {
  CHECK_CUDA(cudaMemcpyAsync(b.device_in.data(), b.host_out.data(), bytes, cudaMemcpyHostToDevice, stream));
}

void copy_to_host(const Buffers& b, std::size_t bytes, cudaStream_t stream) {
  CHECK_CUDA(cudaMemcpyAsync(b.host_in.data(), b.device_out.data(), bytes, cudaMemcpyDeviceToHost, stream));
}

/// Forks into two streams and joins again, so that events on the main stream time both.
void copy_both_ways(Buffers& b, std::size_t bytes, cudaStream_t stream) {
  b.forked.record(stream);
  CHECK_CUDA(cudaStreamWaitEvent(b.upload.get(), b.forked.get(), 0));
  CHECK_CUDA(cudaStreamWaitEvent(b.download.get(), b.forked.get(), 0));
  copy_to_device(b, bytes, b.upload.get());
  copy_to_host(b, bytes, b.download.get());
  b.uploaded.record(b.upload.get());
  b.downloaded.record(b.download.get());
  CHECK_CUDA(cudaStreamWaitEvent(stream, b.uploaded.get(), 0));
  CHECK_CUDA(cudaStreamWaitEvent(stream, b.downloaded.get(), 0));
}

void measure_size(Context& context, Buffers& buffers, std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  Work up = copy_work("host_to_device", bytes, size);
  up.launch = [&buffers, bytes](cudaStream_t stream, int) { copy_to_device(buffers, bytes, stream); };
  Work down = copy_work("device_to_host", bytes, size);
  down.launch = [&buffers, bytes](cudaStream_t stream, int) { copy_to_host(buffers, bytes, stream); };
  Work both = copy_work("both", bytes, 2 * size);
  both.operations = 9;  // two copies, three events, four waits
  both.launch = [&buffers, bytes](cudaStream_t stream, int) { copy_both_ways(buffers, bytes, stream); };
  for (const Work& work : {up, down, both}) measure_burst(context, work, 30);
}

}  // namespace

void probe_copies(Context& context) {
  const std::size_t largest =
      std::min((context.options.full ? std::size_t{1} << 30 : std::size_t{1} << 28), free_memory_bytes() / 4);
  Buffers buffers(largest);
  CHECK_CUDA(cudaMemset(buffers.device_out.data(), 0x5a, largest));
  CHECK_CUDA(cudaDeviceSynchronize());
  std::fill_n(static_cast<char*>(buffers.host_out.data()), largest, char{0x3c});  // touched, so that its pages exist
  std::vector<Task> tasks;
  for (std::size_t bytes = 1024; bytes <= largest; bytes *= 4) {
    tasks.push_back(
        {std::to_string(bytes) + " bytes", [&context, &buffers, bytes] { measure_size(context, buffers, bytes); }});
  }
  run_tasks(context, probe_name, tasks);
}

}  // namespace clusterwright::probes
