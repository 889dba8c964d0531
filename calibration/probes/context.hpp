// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every probe is given.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "device_memory.hpp"
#include "nvml.hpp"
#include "options.hpp"
#include "report.hpp"
#include "watchdog.hpp"

namespace clusterwright::probes {

struct DeviceFacts {
  std::string name;
  int compute_capability = 0;  // 90 for 9.0
  int multiprocessors = 0;
  std::size_t memory_bytes = 0, l2_bytes = 0, shared_bytes_per_block = 0;
};

struct Context {
  const Options& options;
  Report& report;
  Watchdog& watchdog;
  const Nvml& nvml;
  DeviceFacts device;
  cudaStream_t stream;
  double probe_deadline_s = 0;  // on the watchdog's clock: this probe's share of the budget
  bool cut_short = false;       // something was left out for lack of time

  bool out_of_time() const { return watchdog.elapsed_s() >= probe_deadline_s; }
};

/// One entry of a probe's agenda: what to say when it is left out, and how to take the sample.
struct Task {
  std::string what;
  std::function<void()> run;
};

/// Runs one task; when it throws, an entry of the document says why. Returns whether it finished.
/// @throws DeviceLost
bool run_task(Context& context, const std::string& probe, const Task& task);

/// Runs the tasks in order until the time share is used.
/// Returns false when tasks were left out for lack of time (one "skipped" entry names how many).
/// @throws DeviceLost
bool run_tasks(Context& context, const std::string& probe, const std::vector<Task>& tasks);

/// Free device memory now.
std::size_t free_memory_bytes();

}  // namespace clusterwright::probes
