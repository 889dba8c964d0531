/// Microbenchmarks of this machine: matrix multiplies, memory, transfers between processes, storage, data loading.
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
  std::optional<Seconds> budget;  ///< of all probes; 45 s (quick) or 240 s (full) unless given
  std::filesystem::path folder;   ///< for temporary files; empty: the system's
  /// Thread counts above the machine's are left out.
  std::optional<HostProbeSizes> sizes;                ///< those of the suite unless given
  std::function<void(const ProbeSample&)> on_sample;  ///< as each is taken, for progress and for saving it early
};

class HostProbes {
 public:
  explicit HostProbes(HostProbeOptions options = {});

  const HostMachine& machine() const { return machine_; }

  /// Runs every probe. What fails, or finds no time left, is listed as skipped with its reason; nothing is thrown but
  /// by `on_sample`. The budget is looked at between repetitions: a run may last one repetition longer.
  ProbeSamples run();

 private:
  /// What a probe plans, and its weight in sharing out the time.
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
