#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "power_sampler.hpp"

namespace clusterwright::probes {
namespace {

constexpr int warmup_launches = 2;
constexpr int max_launches_per_repetition = 200;   // well under the depth of the launch queue (1024)
constexpr double repetition_us = 500, batch_us = 20000, host_launch_us = 8;

__device__ unsigned long long device_time_ns() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_kernel(unsigned long long wait_ns) {
  const unsigned long long start = device_time_ns();
  while (device_time_ns() - start < wait_ns) {
  }
}

/// Microseconds per launch of `launches` launches from `index` on. `wait` hides the host's launch rate.
double time_batch(Context& context, const Work& work, int index, int launches, bool wait) {
  Event begin, end;
  if (wait) enqueue_wait(context.stream, host_launch_us * launches + 20);
  begin.record(context.stream);
  for (int i = 0; i < launches; ++i) work.launch(context.stream, index + i);
  end.record(context.stream);
  end.wait();
  check_launch("kernel launch");
  context.watchdog.progress();
  return elapsed_us(begin, end) / launches;
}

/// The time of one launch once it is warm; the first launch also loads modules and so is not counted.
double pilot_us(Context& context, const Work& work) {
  for (int i = 0; i < warmup_launches; ++i) time_batch(context, work, i, 1, false);
  return std::max(0.5, time_batch(context, work, warmup_launches, 1, true));
}

JsonObject sample_head(const Work& work, const char* mode) {
  JsonObject sample;
  sample.put("probe", work.probe).put("what", work.what).put("mode", mode);
  return sample.put("flops", work.flops).put("bytes", work.bytes);
}

void add_power(JsonObject& sample, const std::vector<PowerReading>& readings, bool keep_trace) {
  const double from_s = readings.empty() ? 0 : 0.25 * readings.back().time_s;
  sample.put("mean_power_w", mean_power_by_energy_w(readings, from_s)).put("state", mean_state(readings, from_s).json());
  if (keep_trace) sample.put("trace", trace_json(readings));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void enqueue_wait(cudaStream_t stream, double wait_us) {
  wait_kernel<<<1, 1, 0, stream>>>(static_cast<unsigned long long>(1e3 * wait_us));
  check_launch("wait_kernel");
}

void measure_burst(Context& context, const Work& work, double target_ms) {
  const double one_us = pilot_us(context, work);
  const int launches = static_cast<int>(std::clamp(repetition_us / one_us, 1.0, double(max_launches_per_repetition)));
  const int repetitions = static_cast<int>(std::clamp(1e3 * target_ms / (one_us * launches), 5.0, 25.0));
  std::vector<double> times_us;
  int index = warmup_launches + 1;
  for (int r = 0; r < repetitions && (r == 0 || context.watchdog.left_s() > 0); ++r, index += launches) {
    times_us.push_back(time_batch(context, work, index, launches, true));
  }
  JsonObject sample = sample_head(work, "burst");
  sample.put("launches_per_repetition", launches).put_json("repetitions_us", json_numbers(times_us));
  context.report.add_sample(sample.put("state", context.nvml.state().json()));
}

void measure_sustained(Context& context, const Work& work, double seconds, bool keep_trace) {
  const double one_us = pilot_us(context, work);
  const int launches = static_cast<int>(std::clamp(batch_us / one_us, 1.0, 400.0));
  std::vector<double> times_us;
  PowerSampler sampler(context.nvml, seconds > 20 ? 0.1 : 0.02);
  const auto start = std::chrono::steady_clock::now();
  Event marks[3];   // while one batch runs, the next already waits in the queue, so that the GPU never idles
  marks[0].record(context.stream);
  for (int batch = 0; batch < 2 || (seconds_since(start) < seconds && context.watchdog.left_s() > 0); ++batch) {
    for (int i = 0; i < launches; ++i) work.launch(context.stream, batch * launches + i);
    marks[(batch + 1) % 3].record(context.stream);
    if (batch > 0) {
      marks[batch % 3].wait();
      times_us.push_back(elapsed_us(marks[(batch - 1) % 3], marks[batch % 3]) / launches);
    }
    context.watchdog.progress();
  }
  const std::vector<PowerReading>& readings = sampler.stop();   // before the queue runs dry
  CHECK_CUDA(cudaStreamSynchronize(context.stream));
  JsonObject sample = sample_head(work, "sustained");
  sample.put("launches_per_repetition", launches).put_json("repetitions_us", json_numbers(times_us));
  add_power(sample, readings, keep_trace);
  context.report.add_sample(sample);
}

void add_host_sample(Context& context, const Work& work, const std::vector<double>& repetitions_us) {
  JsonObject sample = sample_head(work, "burst");
  sample.put("clock", "host").put_json("repetitions_us", json_numbers(repetitions_us));
  context.report.add_sample(sample.put("state", context.nvml.state().json()));
}

void measure_idle(Context& context, const std::string& probe, const JsonObject& what, double seconds) {
  Work work;
  work.probe = probe;
  work.what = what;
  PowerSampler sampler(context.nvml, 0.05);
  const auto start = std::chrono::steady_clock::now();
  while (seconds_since(start) < seconds && context.watchdog.left_s() > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    context.watchdog.progress();
  }
  JsonObject sample = sample_head(work, "sustained");
  sample.put_json("repetitions_us", "[]").put("seconds", seconds_since(start));
  add_power(sample, sampler.stop(), true);
  context.report.add_sample(sample);
}

}  // namespace clusterwright::probes
