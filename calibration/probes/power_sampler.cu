// SPDX-License-Identifier: Apache-2.0
#include "power_sampler.hpp"

#include <chrono>
#include <limits>

namespace clusterwright::probes {
namespace {

constexpr int energy_every = 5;  // the energy counter costs milliseconds to read, the rest microseconds
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double mean_of(const std::vector<PowerReading>& readings, double from_s, double GpuState::*field) {
  double sum = 0;
  int count = 0;
  for (const PowerReading& reading : readings) {
    const double value = reading.state.*field;
    if (reading.time_s < from_s || !std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / count;
}

template <class Get>
std::string column(const std::vector<PowerReading>& readings, Get get) {
  std::vector<double> values;
  for (const PowerReading& reading : readings) values.push_back(get(reading));
  return json_numbers(values);
}

}  // namespace

PowerSampler::PowerSampler(const Nvml& nvml, double interval_s)
    : nvml_(nvml), interval_s_(interval_s), thread_([this] { sample(); }) {}

PowerSampler::~PowerSampler() {
  stop();
}

const std::vector<PowerReading>& PowerSampler::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
  return readings_;
}

bool PowerSampler::wait_for_stop() {
  std::unique_lock<std::mutex> lock(mutex_);
  return stopped_.wait_for(lock, std::chrono::duration<double>(interval_s_), [this] { return stop_; });
}

void PowerSampler::sample() {
  const auto start = Clock::now();
  bool last = !nvml_.present();
  for (int i = 0;; ++i) {
    PowerReading reading{};
    reading.energy_j = i % energy_every == 0 || last ? nvml_.energy_j() : std::numeric_limits<double>::quiet_NaN();
    reading.time_s = seconds_since(start);
    reading.state = nvml_.state();
    readings_.push_back(reading);
    if (last) return;
    last = wait_for_stop();
  }
}

GpuState mean_state(const std::vector<PowerReading>& readings, double from_s) {
  GpuState mean{};
  for (const auto field : {&GpuState::sm_mhz, &GpuState::memory_mhz, &GpuState::temperature_c,
                           &GpuState::memory_temperature_c, &GpuState::power_w, &GpuState::power_average_w}) {
    mean.*field = mean_of(readings, from_s, field);
  }
  // A mean of a bit mask says nothing; the last one is the steady state's.
  mean.clock_limit_reasons = readings.empty() ? 0 : readings.back().state.clock_limit_reasons;
  return mean;
}

double mean_power_by_energy_w(const std::vector<PowerReading>& readings, double from_s) {
  const PowerReading* first = nullptr;
  const PowerReading* last = nullptr;
  for (const PowerReading& reading : readings) {
    if (!std::isfinite(reading.energy_j) || reading.time_s < from_s) continue;
    if (first == nullptr) first = &reading;
    last = &reading;
  }
  if (first == nullptr || last->time_s <= first->time_s) return std::numeric_limits<double>::quiet_NaN();
  return (last->energy_j - first->energy_j) / (last->time_s - first->time_s);
}

JsonObject trace_json(const std::vector<PowerReading>& readings) {
  // The counter's own value has more digits than the document keeps.
  double first_j = std::numeric_limits<double>::quiet_NaN();
  for (const PowerReading& reading : readings) {
    if (!std::isfinite(first_j)) first_j = reading.energy_j;
  }
  JsonObject out;
  out.put_json("t_s", column(readings, [](const PowerReading& r) { return r.time_s; }));
  out.put_json("power_w", column(readings, [](const PowerReading& r) { return r.state.power_w; }));
  out.put_json("power_average_w", column(readings, [](const PowerReading& r) { return r.state.power_average_w; }));
  out.put_json("energy_j", column(readings, [&](const PowerReading& r) { return r.energy_j - first_j; }));
  out.put_json("sm_mhz", column(readings, [](const PowerReading& r) { return r.state.sm_mhz; }));
  out.put_json("memory_mhz", column(readings, [](const PowerReading& r) { return r.state.memory_mhz; }));
  out.put_json("temperature_c", column(readings, [](const PowerReading& r) { return r.state.temperature_c; }));
  out.put_json("memory_temperature_c",
               column(readings, [](const PowerReading& r) { return r.state.memory_temperature_c; }));
  return out.put_json("clock_limit_reasons",
                      column(readings, [](const PowerReading& r) { return r.state.clock_limit_reasons; }));
}

}  // namespace clusterwright::probes
