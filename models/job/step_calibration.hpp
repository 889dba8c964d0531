// SPDX-License-Identifier: Apache-2.0
/// What whole training steps add to the sum of their microbenchmarks, by software stack: fitted to published steps.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/job/parameters.hpp"
#include "models/job/stack.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// At most three numbers per stack, each over what microbenchmarks say; docs/validation.md, "Fits".
struct StackCalibration {
  Sourced<double> compute;        ///< time of matrix multiplies and attention
  Sourced<double> communication;  ///< time of collectives
  Sourced<double> host;           ///< time to issue a kernel
  /// Standard deviation of log(predicted/measured) of its steps, models left out; 0: as all stacks together.
  Sourced<double> residual;
};
const Record<StackCalibration>& record(const StackCalibration*);

/// Standard deviations of log(predicted/measured) that remain beyond the fitted parameters, each from rows left out.
struct StepResiduals {
  Sourced<double> known;        ///< every field of the job published
  Sourced<double> unknown;      ///< something assumed: recomputation, micro-batch, virtual stages
  Sourced<double> stack;        ///< added (in squares) for a stack without an entry of its own
  Sourced<double> accelerator;  ///< added for an accelerator whose steps nobody measured, its relative's were
  Sourced<double> generation;   ///< added for an architecture whose steps nobody measured
  Sourced<double> doubling;     ///< added for each doubling of size or sequence beyond what was fitted
  Sourced<double> own;          ///< part that steps of one model on one stack and accelerator do not share
  Sourced<double> size;         ///< part that steps of one job on different numbers of accelerators do not share
};
const Record<StepResiduals>& record(const StepResiduals*);

struct StepCalibration {
  StepCalibration();
  StepCalibration(const StepCalibration&);
  StepCalibration(StepCalibration&&) noexcept;
  StepCalibration& operator=(const StepCalibration&);
  StepCalibration& operator=(StepCalibration&&) noexcept;
  ~StepCalibration();

  std::string name;
  Sourced<double> drift;                              ///< per year: newer software of a stack is so much faster (log)
  std::string reference_date;                         ///< "2024-01": where drift counts as zero
  std::map<std::string, Sourced<double>> cast_bytes;  ///< memory traffic per activation element brought to a format
  /// Matrix and attention kernels of a step take this much longer than alone in a loop, at the same clock; by
  /// architecture, "other" for those without an entry.
  std::map<std::string, Sourced<double>> kernel_overhead;
  /// Of "other": its tax is that of a part with the reference density (models/power_density.hpp), and its logarithm
  /// grows by so much for each TFLOP/s per watt beyond it, never below a tax of 1.
  Sourced<double> overhead_per_density{0, "definition: one overhead factor for all parts"};
  Sourced<double> density_reference{0, "definition: one overhead factor for all parts"};
  std::map<std::string, StackCalibration> stacks;  ///< "other": for stacks without an entry
  std::vector<std::string> accelerators;           ///< whose steps were in the fit
  std::vector<std::string> vendors;                ///< of those; a stack on another's parts is another stack
  double most_accelerators = 1;                    ///< of one job in the fit
  double longest_sequence = 1;                     ///< tokens
  StepResiduals residuals;
  /// Covariance of the logarithms of the fitted numbers, row by row: "compute/nemo-2024", "kernel_tax/Hopper", "drift".
  std::vector<std::string> fitted;
  std::vector<double> covariance;
  std::vector<FitReport> fits;
};
const Record<StepCalibration>& record(const StepCalibration*);

/// Factors of one job on one accelerator.
struct StepFactors {
  double compute = 1;  ///< stack and architecture together
  double communication = 1;
  double host = 1;
  double years = 0;       ///< of the software since the reference date
  double cast_bytes = 0;  ///< memory traffic per activation element that is brought to the job's format; 0 in 16 bit
  std::string entry;      ///< of the calibration
};

/// Name of the entry that serves stacks and architectures without one of their own.
inline constexpr const char* other_entry = "other";

/// Drift included: software of the job's release, or else of the stack's date, against the reference date.
/// @throws ConfigError E0314 if the calibration lacks the cost of casts to the job's format
StepFactors step_factors(const StepCalibration& calibration, const SoftwareStack& stack, const Job& job,
                         const AcceleratorPart& part);

/// Architecture under which the kernel tax of a part is fitted: as the data sheet names it, else the vendor.
std::string step_architecture(const AcceleratorPart& part);

/// Years from one "2024-06" to another; 0 if either is empty or malformed.
double years_between(const std::string& from, const std::string& to);

}  // namespace clusterwright
