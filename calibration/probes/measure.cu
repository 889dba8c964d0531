// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "device_clock.hpp"
#include "power_sampler.hpp"

namespace clusterwright::probes {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int warmup_launches = 2, least_repetitions = 3, most_repetitions = 25;
// Both well under the depth of a stream's queue (about 1024 entries): a full one would let the host's rate in.
constexpr int most_launches = 200, most_queued = 400;
constexpr double repetition_us = 500, batch_us = 20000, longest_wait_us = 50000;

__global__ void wait_kernel(unsigned long long wait_ns) {
  const DeviceTimer timer(wait_ns);
  while (!timer.over()) {
  }
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void wait_for(Event& event, const Work& work) {
  while (work.still_possible && !event.done()) work.still_possible();
  event.wait();
}

/// Per launch.
struct BatchTime {
  double device_us, host_us;
};

/// `launches` launches from `index` on, behind a wait kernel of `wait_us` (0: none).
BatchTime time_batch(Context& context, const Work& work, int index, int launches, double wait_us) {
  Event begin, end;
  if (work.announce) work.announce(launches);
  if (wait_us > 0) enqueue_wait(context.stream, wait_us);
  begin.record(context.stream);
  const auto start = Clock::now();
  for (int i = 0; i < launches; ++i) work.launch(context.stream, index + i);
  const double host_us = 1e6 * seconds_since(start) / launches;
  end.record(context.stream);
  wait_for(end, work);
  check_launch("kernel launch");
  context.watchdog.progress();
  return {elapsed_us(begin, end) / launches, host_us};
}

/// Long enough for the host to enqueue them all.
double covering_wait_us(const Work& work, double host_us, int launches) {
  return std::min(longest_wait_us, std::max(work.least_wait_us, 20 + 1.5 * host_us * launches));
}

/// One launch once it is warm; the first also loads modules and so is not counted.
BatchTime pilot(Context& context, const Work& work) {
  BatchTime warm{};
  for (int i = 0; i < warmup_launches; ++i) warm = time_batch(context, work, i, 1, work.least_wait_us);
  const BatchTime out = time_batch(context, work, warmup_launches, 1, covering_wait_us(work, warm.host_us, 1));
  return {std::max(0.5, out.device_us), std::max(2.0, out.host_us)};
}

int launches_for(double target_us, double one_us, int most) {
  return static_cast<int>(std::min(std::max(1.0, target_us / one_us), static_cast<double>(most)));
}

JsonObject sample_head(const Work& work, const char* mode) {
  JsonObject sample;
  sample.put("probe", work.probe).put("what", work.what).put("mode", mode);
  return sample.put("flops", work.flops).put("bytes", work.bytes);
}

void add_power(JsonObject& sample, const std::vector<PowerReading>& readings, bool keep_trace) {
  const double from_s = readings.empty() ? 0 : 0.25 * readings.back().time_s;
  sample.put("mean_power_w", mean_power_by_energy_w(readings, from_s))
      .put("state", mean_state(readings, from_s).json());
  if (keep_trace) sample.put("trace", trace_json(readings));
}

}  // namespace

void enqueue_wait(cudaStream_t stream, double wait_us) {
  wait_kernel<<<1, 1, 0, stream>>>(static_cast<unsigned long long>(1e3 * wait_us));
  check_launch("wait_kernel");
}

void measure_burst(Context& context, const Work& work, double target_ms) {
  const BatchTime one = pilot(context, work);
  const int launches =
      launches_for(repetition_us, one.device_us, std::max(1, std::min(most_launches, most_queued / work.operations)));
  const double wanted = std::max(5.0, 1e3 * target_ms / (one.device_us * launches));
  const int repetitions = static_cast<int>(std::min(wanted, static_cast<double>(most_repetitions)));
  const double wait_us = covering_wait_us(work, one.host_us, launches);
  std::vector<double> times_us;
  int index = warmup_launches + 1;
  for (int r = 0; r < repetitions && (r < least_repetitions || context.watchdog.left_s() > 0); ++r, index += launches) {
    times_us.push_back(time_batch(context, work, index, launches, wait_us).device_us);
  }
  JsonObject sample = sample_head(work, "burst");
  sample.put("launches_per_repetition", launches).put_json("repetitions_us", json_numbers(times_us));
  context.report.add_sample(sample.put("state", context.nvml.state().json()));
}

void measure_sustained(Context& context, const Work& work, double seconds, bool keep_trace) {
  const int launches = launches_for(batch_us, pilot(context, work).device_us, 2 * most_launches);
  std::vector<double> times_us;
  PowerSampler sampler(context.nvml, seconds > 20 ? 0.1 : 0.02);
  const auto start = Clock::now();
  Event marks[3];  // while one batch runs, the next already waits in the queue, so that the GPU never idles
  marks[0].record(context.stream);
  for (int batch = 0; batch <= least_repetitions || (seconds_since(start) < seconds && context.watchdog.left_s() > 0);
       ++batch) {
    for (int i = 0; i < launches; ++i) work.launch(context.stream, batch * launches + i);
    marks[(batch + 1) % 3].record(context.stream);
    if (batch > 0) {
      marks[batch % 3].wait();
      times_us.push_back(elapsed_us(marks[(batch - 1) % 3], marks[batch % 3]) / launches);
    }
    context.watchdog.progress();
  }
  const std::vector<PowerReading>& readings = sampler.stop();  // before the queue runs dry
  CHECK_CUDA(cudaStreamSynchronize(context.stream));
  JsonObject sample = sample_head(work, "sustained");
  sample.put("launches_per_repetition", launches).put_json("repetitions_us", json_numbers(times_us));
  add_power(sample, readings, keep_trace);
  context.report.add_sample(sample);
}

void add_host_sample(Context& context, const Work& work, const std::vector<double>& repetitions_us, int launches) {
  JsonObject sample = sample_head(work, "burst");
  sample.put("clock", "host")
      .put("launches_per_repetition", launches)
      .put_json("repetitions_us", json_numbers(repetitions_us));
  context.report.add_sample(sample.put("state", context.nvml.state().json()));
}

void measure_idle(Context& context, const std::string& probe, const JsonObject& what, double seconds) {
  Work work;
  work.probe = probe;
  work.what = what;
  PowerSampler sampler(context.nvml, 0.05);
  const auto start = Clock::now();
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
