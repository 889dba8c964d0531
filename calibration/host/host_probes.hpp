// SPDX-License-Identifier: Apache-2.0
/// Microbenchmarks of this machine: GEMMs, memory, transfers between processes, storage, data loading.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "calibration/host/host_machine.hpp"
#include "calibration/host/host_probe_sizes.hpp"
#include "calibration/host/probe_case.hpp"
#include "calibration/host/repetitions.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

struct HostProbeOptions {
  ProbeSuite suite = ProbeSuite::quick;
  std::optional<Seconds> budget;  ///< time of all probes; 45 s (quick) or 240 s (full) unless given
  std::filesystem::path folder;   ///< for temporary files; empty: the system's
  /// Sizes to measure; thread counts above the machine's are skipped.
  std::optional<HostProbeSizes> sizes;                ///< those of the suite unless given
  std::function<void(const ProbeSample&)> on_sample;  ///< called with each sample, for progress and for saving it early
};

class HostProbes {
 public:
  explicit HostProbes(HostProbeOptions options = {});

  const HostMachine& machine() const { return machine_; }

  /// Runs every probe. A case that fails, or finds no time left, is listed as skipped with its reason; only `on_sample`
  /// may throw. The budget is checked between repetitions: a run may last one repetition longer.
  ProbeSamples run();

 private:
  /// Plan of a probe, and its weight in sharing the time.
  struct Family {
    std::string_view probe;
    double weight;
    std::function<std::vector<PlannedCase>()> plan;
  };
  std::vector<Family> families() const;
  void run_family(const Family& family, const TimeBudget& budget, ProbeSamples& out) const;
  void run_case(const PlannedCase& planned, Seconds own, const TimeBudget& all, ProbeSamples& out) const;

  HostProbeOptions options_;
  HostMachine machine_;
  HostProbeSizes sizes_;
};

}  // namespace clusterwright
