// SPDX-License-Identifier: Apache-2.0
// What a launch costs: a stream of empty kernels, the same in a CUDA graph, and one launch waited for by the host.

#include <chrono>

#include "cuda_graph.hpp"
#include "measure.hpp"
#include "probes.hpp"

namespace clusterwright::probes {
namespace {

const char* const probe_name = "launch";
constexpr int stream_launches = 500;
using Clock = std::chrono::steady_clock;

__global__ void empty_kernel() {}

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void enqueue_empty(cudaStream_t stream, int blocks) {
  empty_kernel<<<blocks, 128, 0, stream>>>();
  check_launch("empty_kernel");
}

Work launch_work(const char* operation, int kernels) {
  Work work;
  work.probe = probe_name;
  work.what.put("operation", operation).put("kernels", kernels);
  return work;
}

/// Host-bound: what one kernel adds when the device is never busy.
void measure_stream_rate(Context& context) {
  std::vector<double> total_us, host_us;
  for (int r = -2; r < 30; ++r) {  // two to warm up
    const auto start = Clock::now();
    for (int i = 0; i < stream_launches; ++i) enqueue_empty(context.stream, 1);
    const double enqueued_us = us_since(start);
    CHECK_CUDA(cudaStreamSynchronize(context.stream));
    const double finished_us = us_since(start);
    context.watchdog.progress();
    if (r < 0) continue;
    host_us.push_back(enqueued_us / stream_launches);
    total_us.push_back(finished_us / stream_launches);
  }
  add_host_sample(context, launch_work("stream_launch_enqueue", 1), host_us, stream_launches);
  add_host_sample(context, launch_work("stream_launch_and_finish", 1), total_us, stream_launches);
}

void measure_round_trip(Context& context, bool launch) {
  std::vector<double> times_us;
  for (int r = 0; r < 320; ++r) {
    const auto start = Clock::now();
    if (launch) enqueue_empty(context.stream, 1);
    CHECK_CUDA(cudaStreamSynchronize(context.stream));
    if (r >= 20) times_us.push_back(us_since(start));
  }
  add_host_sample(context, launch_work(launch ? "launch_and_synchronize" : "synchronize_only", launch ? 1 : 0),
                  times_us);
}

/// Device-bound: the queue is full before the clock starts, so this is the gap between two kernels on the device.
void measure_back_to_back(Context& context, int blocks) {
  Work work = launch_work("back_to_back_on_device", 1);
  work.what.put("blocks", blocks);
  work.launch = [blocks](cudaStream_t stream, int) { enqueue_empty(stream, blocks); };
  measure_burst(context, work, 20);
}

void measure_graph(Context& context, int kernels) {
  const CudaGraph graph(context.stream, [&] {
    for (int i = 0; i < kernels; ++i) enqueue_empty(context.stream, 1);
  });
  Work work = launch_work("graph_replay_on_device", kernels);
  work.launch = [&graph](cudaStream_t stream, int) { graph.launch(stream); };
  measure_burst(context, work, 20);
  std::vector<double> enqueue_us, total_us;
  for (int r = 0; r < 60; ++r) {
    const auto start = Clock::now();
    graph.launch(context.stream);
    const double enqueued_us = us_since(start);
    CHECK_CUDA(cudaStreamSynchronize(context.stream));
    if (r < 10) continue;  // the first replays upload the graph
    enqueue_us.push_back(enqueued_us);
    total_us.push_back(us_since(start));
  }
  add_host_sample(context, launch_work("graph_launch_enqueue", kernels), enqueue_us);
  add_host_sample(context, launch_work("graph_launch_and_synchronize", kernels), total_us);
}

}  // namespace

void probe_launch(Context& context) {
  const int multiprocessors = context.device.multiprocessors;
  std::vector<Task> tasks = {
      {"stream rate", [&] { measure_stream_rate(context); }},
      {"round trip", [&] { measure_round_trip(context, true); }},
      {"synchronize only", [&] { measure_round_trip(context, false); }},
      {"back to back", [&] { measure_back_to_back(context, 1); }},
      {"back to back, whole chip", [&, multiprocessors] { measure_back_to_back(context, 8 * multiprocessors); }}};
  for (const int kernels : {1, 10, 100, 1000}) {
    tasks.push_back({"graph of " + std::to_string(kernels), [&context, kernels] { measure_graph(context, kernels); }});
  }
  run_tasks(context, probe_name, tasks);
}

}  // namespace clusterwright::probes
