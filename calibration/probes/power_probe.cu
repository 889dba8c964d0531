// SPDX-License-Identifier: Apache-2.0
// What each kind of work draws. The energy counter gives the mean, the instant power its shape over time.
// Operand contents move watts, and through the power limit clocks, at equal work; no clock or limit is touched.

#include <algorithm>
#include <utility>

#include "device_clock.hpp"
#include "gemm_pool.hpp"
#include "measure.hpp"
#include "probes.hpp"
#include "stream_kernels.hpp"

namespace clusterwright::probes {
namespace {

const char* const probe_name = "power";
constexpr GemmShape large_gemm{8192, 8192, 8192, GemmLayout::forward, DataType::bf16};
constexpr GemmShape decode_gemm{8, 28672, 8192, GemmLayout::forward, DataType::bf16};

/// Polls a word of device memory, as a collective's kernel waits for its neighbour, until the time is over.
__global__ void poll_kernel(const volatile int* flag, unsigned long long wait_ns) {
  const DeviceTimer timer(wait_ns);
  while (*flag == 0 && !timer.over()) {
  }
}

Work load(const std::string& name) {
  Work work;
  work.probe = probe_name;
  work.what.put("load", name);
  return work;
}

Work gemm_load(const LtHandle& handle, const GemmPool& pool, const std::string& name, const GemmShape& shape) {
  Work work = pool.work(handle, probe_name, "power", shape);
  work.what.put("load", name);
  return work;
}

double held_s(const Context& context) {
  return context.options.full ? 15 : 5;
}

constexpr double wave_periods = 5;  // of a load in waves, at least

void run_loads(Context& context, std::vector<Work> loads) {
  std::vector<Task> tasks;
  for (Work& work : loads) {
    const std::string what = work.what.text();
    tasks.push_back(
        {what, [&context, work = std::move(work)] { measure_sustained(context, work, held_s(context), true); }});
  }
  run_tasks(context, probe_name, tasks);
}

void run_idle(Context& context, const std::string& name, double seconds) {
  const JsonObject what = load(name).what;
  run_tasks(context, probe_name, {{name, [&] { measure_idle(context, probe_name, what, seconds); }}});
}

void run_waiting(Context& context) {
  const DeviceArray<int> flag(std::vector<int>{0});
  std::vector<Work> loads;
  for (const int blocks : {16, context.device.multiprocessors}) {  // a collective's few channels; the whole chip
    Work work = load("spin_wait");
    work.what.put("blocks", blocks).put("threads_per_block", 512);
    work.launch = [&flag, blocks](cudaStream_t stream, int) {
      poll_kernel<<<blocks, 512, 0, stream>>>(flag.data(), 2000000);
      check_launch("poll_kernel");
    };
    loads.push_back(work);
  }
  run_loads(context, loads);
}

Work copy_load(const DeviceArray<char>& from, const DeviceArray<char>& to) {
  Work work = load("device_copy");
  work.bytes = 2.0 * static_cast<double>(from.bytes());
  work.launch = [to = to.data(), from = from.data(), bytes = from.bytes()](cudaStream_t stream, int) {
    CHECK_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
  };
  return work;
}

Work stream_load(const StreamArrays& arrays, StreamKind kind) {
  Work work = load(std::string("memory_bound_") + name_of(kind));
  work.bytes = 4.0 * static_cast<double>(arrays.count) * arrays_of(kind);
  work.launch = [=](cudaStream_t stream, int) { enqueue_stream(kind, arrays, stream); };
  return work;
}

/// One after the other on one stream: the mean of two loads, as layers alternate multiplies and norms.
Work alternating(const std::string& name, const Work& first, const Work& second) {
  Work work = load(name);
  work.what.put("first", first.what).put("second", second.what);
  work.flops = first.flops + second.flops;
  work.bytes = first.bytes + second.bytes;
  work.operations = first.operations + second.operations;
  work.launch = [first, second](cudaStream_t stream, int i) {
    first.launch(stream, i);
    second.launch(stream, i);
  };
  return work;
}

Work waiting_work(double wait_us) {
  Work work = load("wait");
  work.what.put("wait_us", wait_us);
  work.launch = [wait_us](cudaStream_t stream, int) { enqueue_wait(stream, wait_us); };
  return work;
}

/// So many multiplies, then as long a wait: one period of a square wave of power. Steps of a training run do the same
/// at lengths on both sides of the time over which a power limit is held.
Work wave(const Work& gemm, int gemms, double wait_ms) {
  Work work = load("gemm_wave");
  work.what.put("gemms", gemms).put("wait_ms", wait_ms).put("first", gemm.what);
  work.flops = gemms * gemm.flops;
  work.bytes = gemms * gemm.bytes;
  work.operations = gemms * gemm.operations;
  work.launch = [gemm, gemms, wait_ms](cudaStream_t stream, int i) {
    for (int j = 0; j < gemms; ++j) gemm.launch(stream, i * gemms + j);
    enqueue_wait(stream, 1e3 * wait_ms);
  };
  return work;
}

/// Waves of 20 ms, 200 ms and 2 s on a GPU of some 700 TFLOP/s; longer ones on slower GPUs.
void run_waves(Context& context, const LtHandle& handle) {
  const GemmPool pool(context, DataType::bf16, Contents::random);
  const Work gemm = gemm_load(handle, pool, "gemm", large_gemm);
  std::vector<Task> tasks;
  for (const auto& [gemms, wait_ms] : {std::pair{7, 10.0}, {70, 100.0}, {700, 1000.0}}) {
    const Work work = wave(gemm, gemms, wait_ms);
    const double seconds = std::max(held_s(context), wave_periods * 2e-3 * wait_ms);
    tasks.push_back({work.what.text(), [=, &context] { measure_sustained(context, work, seconds, true); }});
  }
  run_tasks(context, probe_name, tasks);
}

void run_memory_and_mixed(Context& context, const LtHandle& handle) {
  const std::size_t bytes = std::min(std::size_t{1} << 30, free_memory_bytes() / 8) / 4096 * 4096;
  DeviceArray<char> a(bytes), b(bytes), c(bytes);
  DeviceArray<float> sums(read_blocks);
  for (DeviceArray<char>* array : {&a, &b})
    fill(array->data(), DataType::fp32, bytes / 4, Contents::random, context.options.seed, context.stream);
  const StreamArrays arrays{reinterpret_cast<float*>(a.data()), reinterpret_cast<float*>(b.data()),
                            reinterpret_cast<float*>(c.data()), sums.data(), bytes / 4};
  const GemmPool pool(context, DataType::bf16, Contents::random);
  const Work gemm = gemm_load(handle, pool, "gemm", large_gemm);
  run_loads(context,
            {gemm, copy_load(a, c), stream_load(arrays, StreamKind::read), stream_load(arrays, StreamKind::triad),
             gemm_load(handle, pool, "decode_like", decode_gemm), alternating("mixed_gemm_copy", gemm, copy_load(a, c)),
             alternating("gemm_half_duty", gemm, waiting_work(1500))});
}

void run_contents(Context& context, const LtHandle& handle, DataType type, Contents contents) {
  const GemmPool pool(context, type, contents);
  GemmShape shape = large_gemm;
  shape.type = type;
  run_loads(context, {gemm_load(handle, pool, "gemm", shape)});
}

void run_ramp(Context& context, const LtHandle& handle) {
  run_idle(context, "idle_before_ramp", context.options.full ? 60 : 10);
  const GemmPool pool(context, DataType::bf16, Contents::random);
  const Work work = gemm_load(handle, pool, "ramp", large_gemm);
  const double room_s = context.probe_deadline_s - context.watchdog.elapsed_s();
  const double seconds = std::min(context.options.full ? 240.0 : 45.0, 0.75 * room_s);
  run_tasks(context, probe_name, {{"ramp", [&] { measure_sustained(context, work, seconds, true); }}});
  run_idle(context, "cool_down", std::min(context.options.full ? 120.0 : 15.0, 0.2 * room_s));
}

}  // namespace

void probe_power(Context& context) {
  if (!context.nvml.present()) throw NotPossible("NVML is not there: no power, clock or temperature to read");
  const LtHandle handle;
  run_idle(context, "idle", context.options.full ? 20 : 6);
  std::vector<Task> tasks = {{"waiting", [&] { run_waiting(context); }},
                             {"memory and mixed", [&] { run_memory_and_mixed(context, handle); }},
                             {"waves", [&] { run_waves(context, handle); }}};
  for (const Contents contents : {Contents::zeros, Contents::sparse}) {
    tasks.push_back({name_of(contents),
                     [&context, &handle, contents] { run_contents(context, handle, DataType::bf16, contents); }});
  }
  if (context.device.compute_capability >= 89) {
    tasks.push_back({"fp8", [&] { run_contents(context, handle, DataType::fp8_e4m3, Contents::random); }});
  }
  tasks.push_back({"ramp", [&] { run_ramp(context, handle); }});
  run_tasks(context, probe_name, tasks);
}

}  // namespace clusterwright::probes
