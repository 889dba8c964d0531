// SPDX-License-Identifier: Apache-2.0
/// Runs the probe program of GPUs, which is built apart because it needs the CUDA Toolkit.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibration/sample_files/probe_samples.hpp"

namespace clusterwright {

/// Path of gpu_probe on this machine, as `look_for_gpu_probe` finds it.
std::optional<std::filesystem::path> find_gpu_probe();

/// Command that builds gpu_probe, in one line.
std::string gpu_probe_build_line();

/// Names of the probes in the order in which they run.
const std::vector<std::string>& gpu_probe_names();

struct GpuProbeRequest {
  std::filesystem::path program;
  ProbeSuite suite = ProbeSuite::quick;
  int device = 0;
  std::optional<Seconds> budget;  ///< time for all probes; empty: the suite's
  std::filesystem::path samples;  ///< file that the program rewrites while it runs
  bool quiet = false;
  Seconds grace =
      90 * second;  ///< time beyond the budget before it is ended; its own watchdog gives a hung launch 60 s
};

struct GpuProbeOutcome {
  enum class End { done, cut_short, no_gpu, failed };
  End end = End::failed;
  std::string reason;                   ///< reason in words; empty if done
  std::optional<ProbeSamples> samples;  ///< samples, also of a run that was cut short
};

/// Waits for it; ends it when it is far over its time, or when this program is interrupted. What it wrote stays.
/// @throws Interrupted
GpuProbeOutcome run_gpu_probe(const GpuProbeRequest& request);

}  // namespace clusterwright
