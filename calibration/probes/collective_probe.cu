// SPDX-License-Identifier: Apache-2.0
// NCCL by size over the GPUs of this node, one process per GPU; one GPU gives the floor of a collective's launch.
// Device time of rank 0; a collective ends on all ranks within its latency. Then copies between two GPUs.

#include <algorithm>

#include "collective_group.hpp"
#include "measure.hpp"
#include "peer_copies.hpp"
#include "probes.hpp"

namespace clusterwright::probes {
namespace {

const char* const probe_name = "collectives";
constexpr double burst_ms = 25;
constexpr double ready_us = 300;  // from the order on, until the other processes' kernels wait on their GPUs

void measure_collective(Context& context, CollectiveGroup& group, CollectiveOperation operation, std::size_t bytes) {
  Work work;
  work.probe = probe_name;
  work.what.put("operation", name_of(operation)).put("bytes", bytes).put("dtype", "bf16").put("ranks", group.ranks());
  work.what.put("processes", group.ranks()).put("nccl_version", Nccl::library().version());
  work.bytes = static_cast<double>(bytes);
  work.launch = [&group, operation, bytes](cudaStream_t, int) { group.enqueue(operation, bytes); };
  if (group.ranks() > 1) {
    work.announce = [&group, operation, bytes](int launches) { group.announce(operation, bytes, launches); };
    work.still_possible = [&group] { group.require_alive(); };
    work.least_wait_us = ready_us;
  }
  measure_burst(context, work, burst_ms);
}

/// A failure may leave a kernel that waits for another rank, so it ends the group.
template <class Run>
void run_in(CollectiveGroup& group, Run run) {
  group.require_whole();
  try {
    run();
  } catch (...) {
    group.abandon();
    throw;
  }
}

std::vector<std::size_t> sizes_up_to(std::size_t largest, int factor) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 8; bytes < largest; bytes *= static_cast<std::size_t>(factor)) sizes.push_back(bytes);
  sizes.push_back(largest);
  return sizes;
}

std::vector<int> other_devices(const Context& context) {
  std::vector<int> out;
  for (int device = 0; device < gpu_count(); ++device) {
    if (device != context.options.device) out.push_back(device);
  }
  return out;
}

void run_collectives(Context& context) {
  Nccl::library();  // where it is missing, nobody is started
  const std::size_t largest = std::min(std::size_t{1} << 30, free_memory_bytes() / 4 / 4096 * 4096);
  CollectiveGroup group(context, other_devices(context), largest);
  run_in(group, [&] { group.check(context); });
  std::vector<Task> tasks;
  for (const std::size_t size : sizes_up_to(largest, context.options.full ? 2 : 4)) {
    for (const CollectiveOperation operation : all_operations) {
      const std::size_t bytes = counted_bytes(operation, size, group.ranks());
      if (bytes == 0) continue;  // not even one number for every rank
      const std::string what = std::string(name_of(operation)) + " " + std::to_string(bytes) + " bytes";
      tasks.push_back({what, [&context, &group, operation, bytes] {
                         run_in(group, [&] { measure_collective(context, group, operation, bytes); });
                       }});
    }
  }
  run_tasks(context, probe_name, tasks);
}

}  // namespace

void probe_collectives(Context& context) {
  run_tasks(
      context, probe_name,
      {{"NCCL", [&] { run_collectives(context); }}, {"peer-to-peer", [&] { run_peer_copies(context, probe_name); }}});
}

}  // namespace clusterwright::probes
