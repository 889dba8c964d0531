// SPDX-License-Identifier: Apache-2.0
/// Microbenchmarks of this machine: GEMMs, memory, transfers between processes, storage, data loading; and the
/// sizes that they measure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "calibration/host/host_machine.hpp"
#include "calibration/host/probe_case.hpp"
#include "calibration/host/repetitions.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Sizes that the probes of a suite go through.
struct HostProbeSizes {
  std::vector<std::int64_t> threads;
  std::vector<std::int64_t> gemm;    ///< sides of square problems, fp32
  std::vector<std::int64_t> gemm64;  ///< the same, fp64
  std::vector<std::int64_t> tokens;  ///< rows of the layer's problems, fp32
  std::int64_t hidden = 512, ffn = 2048;
  bool weight_gradients = false;  ///< weight gradients of the layer's problems too
  std::vector<Bytes> memory;      ///< all arrays of a kernel together
  std::vector<Bytes> messages;
  std::vector<std::int64_t> kernel_rows, kernel_widths;  ///< kernels between the GEMMs
  std::vector<std::int64_t> softmax;                     ///< sides of square scores
  std::vector<std::int64_t> updated;                     ///< parameters that an optimizer updates at once
  Bytes file = 64 * mebibyte;                            ///< storage and data loading
  Bytes block = 1 * mebibyte;
  Bytes record = 8 * kibibyte;  ///< 4096 tokens of two bytes
  std::int64_t records = 256;   ///< records of one call
};

/// Memory goes to three times the last-level cache (quick) or six times (full), at most a quarter of what is available.
HostProbeSizes host_probe_sizes(ProbeSuite suite, const HostMachine& machine);

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
