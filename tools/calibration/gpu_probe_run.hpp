// SPDX-License-Identifier: Apache-2.0
/// Runs the probe program of GPUs, which is built apart because it needs the CUDA Toolkit.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibration/sample_files/probe_samples.hpp"

namespace clusterwright {

/// Where `look_for_gpu_probe` finds it on this machine.
std::optional<std::filesystem::path> find_gpu_probe();

/// How to build it, in one line to type.
std::string gpu_probe_build_line();

/// What it measures, in its order.
const std::vector<std::string>& gpu_probe_names();

struct GpuProbeRequest {
  std::filesystem::path program;
  ProbeSuite suite = ProbeSuite::quick;
  int device = 0;
  std::optional<Seconds> budget;  ///< of all probes; the suite's if not given
  std::filesystem::path samples;  ///< where it writes, again and again while it runs
  bool quiet = false;
  Seconds grace = 90 * second;  ///< beyond the budget, before it is ended; its own watchdog gives a hung launch 60 s
};

struct GpuProbeOutcome {
  enum class End { done, cut_short, no_gpu, failed };
  End end = End::failed;
  std::string reason;                   ///< in words, unless it was done
  std::optional<ProbeSamples> samples;  ///< what was kept, also of a run that was cut short
};

/// Waits for it; ends it when it is far over its time, or when this program is interrupted. What it wrote stays.
/// @throws Interrupted
GpuProbeOutcome run_gpu_probe(const GpuProbeRequest& request);

}  // namespace clusterwright
