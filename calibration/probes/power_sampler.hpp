// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread that reads clocks, temperature and power while the GPU works.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "nvml.hpp"

namespace clusterwright::probes {

struct PowerReading {
  double time_s;    // since the sampler started
  double energy_j;  // the driver's counter moves in steps of about 0.1 s; NaN between its readings
  GpuState state;
};

class PowerSampler {
 public:
  PowerSampler(const Nvml& nvml, double interval_s);
  ~PowerSampler();
  PowerSampler(const PowerSampler&) = delete;
  PowerSampler& operator=(const PowerSampler&) = delete;

  /// Ends the thread at once; every reading, the last one taken now.
  const std::vector<PowerReading>& stop();

 private:
  void sample();
  bool wait_for_stop();

  const Nvml& nvml_;
  double interval_s_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::vector<PowerReading> readings_;
  std::thread thread_;
};

/// Means over the readings from `from_s` on.
GpuState mean_state(const std::vector<PowerReading>& readings, double from_s);

/// Mean power by the energy counter from `from_s` on; NaN where there is no counter.
double mean_power_by_energy_w(const std::vector<PowerReading>& readings, double from_s);

/// Columns of equal length: t_s, power_w, energy_j (since the first reading), sm_mhz, memory_mhz, temperature_c, ...
JsonObject trace_json(const std::vector<PowerReading>& readings);

}  // namespace clusterwright::probes
