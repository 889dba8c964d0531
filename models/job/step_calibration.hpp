// SPDX-License-Identifier: Apache-2.0
/// Step calibration: corrections from sums of microbenchmarks to whole training steps, fitted to published steps.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/job/parameters.hpp"
#include "models/job/stack.hpp"
#include "sim/calendar_date.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Factors of one stack on the times that microbenchmarks give; docs/validation.md, "Fits".
struct StackCalibration {
  Sourced<double> compute;        ///< factor on the time of GEMMs and attention
  Sourced<double> communication;  ///< factor on the time of collectives
  Sourced<double> host;           ///< factor on the time to issue a kernel
  /// Standard deviation of log(predicted/measured) of its steps, with models held out; 0: that of all stacks together.
  Sourced<double> residual;
};
const Record<StackCalibration>& record(const StackCalibration*);

/// Standard deviations of log(predicted/measured) beyond the errors of fitted parameters, each from held-out rows.
struct StepResiduals {
  Sourced<double> known;        ///< steps with every field of the job published
  Sourced<double> unknown;      ///< steps with assumed recomputation, micro-batch or virtual stages
  Sourced<double> stack;        ///< added (in squares) for a stack that differs from those of its entry
  Sourced<double> accelerator;  ///< added for an accelerator without measured steps, if its relatives have some
  Sourced<double> generation;   ///< added for an architecture without measured steps
  Sourced<double> vendor;       ///< added for a vendor without measured steps, instead of `generation`
  Sourced<double> experts;      ///< added for mixtures of experts
  Sourced<double> doubling;     ///< added for each doubling of size or sequence beyond the fitted range
  Sourced<double> own;          ///< part that steps of one model on one stack and accelerator do not share
  /// Part that steps of one job and stack on equal numbers of two accelerators do not share.
  Sourced<double> machine{0, "not fitted"};
  Sourced<double> layout;  ///< part that steps of one job under different layouts do not share
  Sourced<double> size;    ///< part that steps of one job and layout on different numbers of accelerators do not share
  /// Error of their ratio by the time that they lose, for a difference of 1 of the shares of communication, launches
  /// and waiting; grows with the root of the difference.
  Sourced<double> size_lost{0, "not fitted"};
  /// Error of their ratio by what the larger one loses that no model has: one-sided, for one doubling.
  Sourced<double> size_growth{0, "not fitted"};
};
const Record<StepResiduals>& record(const StepResiduals*);

/// Standard deviations of log(needed/counted) of the device memory beyond weights, gradients and optimizer states, from
/// published peaks; 0: not judged. Those three follow from counting parameters.
struct MemoryResiduals {
  Sourced<double> known{0, "not judged"};  ///< jobs on stacks with an entry of their own
  Sourced<double> other{0, "not judged"};  ///< jobs on other stacks
};
const Record<MemoryResiduals>& record(const MemoryResiduals*);

/// Steps of all others that are mixed in with those of one stack, accelerator or architecture, so that few steps do not
/// look sure.
inline constexpr double mixed_in_steps = 8;

struct StepCalibration {
  StepCalibration();
  StepCalibration(const StepCalibration&);
  StepCalibration(StepCalibration&&) noexcept;
  StepCalibration& operator=(const StepCalibration&);
  StepCalibration& operator=(StepCalibration&&) noexcept;
  ~StepCalibration();

  std::string name;
  Sourced<double> drift;        ///< logarithm of the speed-up per year of newer software of a stack
  CalendarDate reference_date;  ///< date of zero drift
  CalendarDate oldest_release;  ///< of a fitted step; drift ends there
  CalendarDate newest_release;  ///< of a fitted step; drift ends there
  std::map<std::string, Sourced<double>>
      cast_bytes;  ///< memory traffic per activation element cast to a format, by format
  /// Kernel overhead factor: time of GEMM and attention kernels of a step over that alone in a loop, at the same clock;
  /// by architecture, "other" for those without an entry.
  std::map<std::string, Sourced<double>> kernel_overhead;
  /// Kernel overhead factor of an architecture without an entry, by vendor; vendors without one take "other".
  std::map<std::string, Sourced<double>> vendor_overhead;
  /// Growth of the logarithm of the factors of vendors and of "other" for each TFLOP/s per watt of power_density beyond
  /// the reference. They are never below 1.
  Sourced<double> overhead_per_density{0, "definition: one overhead factor for all parts"};
  Sourced<double> density_reference{
      0, "definition: one overhead factor for all parts"};  ///< power_density that "other" holds for
  /// Expert kernel factor: time of the kernels of routed experts (grouped GEMMs, and what sorts, casts and moves their
  /// rows) in a step over what the same kernels take in dense layers, at the reference date.
  Sourced<double> expert_kernels{1, "definition: as kernels of dense layers"};
  /// Logarithm of the yearly speed-up of those kernels beyond that of all others.
  Sourced<double> expert_drift{0, "definition: as kernels of dense layers"};
  /// Standard deviation of the logarithm of the time that replicas of one job take for the same work.
  Sourced<double> replica_spread{0, "definition: replicas run alike"};
  std::map<std::string, StackCalibration> stacks;  ///< "other": for stacks without an entry
  std::vector<std::string> accelerators;           ///< accelerators with steps in the fit
  /// Steps in the fit by accelerator and by architecture, those of one cell as one; empty: many of each.
  std::map<std::string, double> measured_steps;
  std::vector<std::string> vendors;  ///< vendors of those; parts of others add their residual
  double most_accelerators = 1;      ///< largest job in the fit
  double longest_sequence = 1;       ///< longest sequence in the fit, tokens
  StepResiduals residuals;
  MemoryResiduals memory_residuals;
  /// Covariance of the logarithms of the fitted numbers, row by row: "compute/nemo-2024", "kernel_tax/Hopper", "drift",
  /// "experts".
  std::vector<std::string> fitted;
  std::vector<double> covariance;
  std::vector<FitReport> fits;
};
const Record<StepCalibration>& record(const StepCalibration*);

/// Factors of one job on one accelerator, on the times that microbenchmarks give.
struct StepFactors {
  double compute = 1;  ///< product of stack and architecture
  double communication = 1;
  double host = 1;
  double experts = 1;      ///< on the time of kernels of routed experts, beyond `compute`
  double expert_host = 1;  ///< on host time of experts launched one by one, beyond `host`: their drift
  double years = 0;        ///< age of the software since the reference date
  double cast_bytes = 0;   ///< memory traffic per activation element cast to the job's format; 0 in 16 bit
  std::string entry;       ///< entry of the calibration that was taken
};

/// Name of the entry that serves stacks and architectures without one of their own.
inline constexpr const char* other_entry = "other";

/// Factors with drift: from the reference date to the job's release, or else to the stack's date.
/// @throws ConfigError E0314 if the calibration lacks the cost of casts to the job's format
StepFactors step_factors(const StepCalibration& calibration, const SoftwareStack& stack, const Job& job,
                         const AcceleratorPart& part);

/// Residual of the memory of jobs on this stack.
double memory_residual(const StepCalibration& calibration, const SoftwareStack& stack);

/// Architecture by which the kernel overhead factor of a part is fitted: that of the data sheet, else the vendor.
std::string step_architecture(const AcceleratorPart& part);

/// Name of the number whose kernel overhead factor a part takes: "kernel_tax/Hopper", "vendor_tax/AMD",
/// "kernel_tax/other".
std::string overhead_number(const StepCalibration& calibration, const AcceleratorPart& part);

/// Number that a name of `StepCalibration::fitted` or `overhead_number` stands for; nullptr if there is none.
const Sourced<double>* fitted_number(const StepCalibration& calibration, const std::string& name);

/// Date of the software of a job: its own, else that of its stack.
CalendarDate release_of(const SoftwareStack& stack, const Job& job);

/// Release as the fit knows it: one outside the measured range counts as the nearest measured one, since no row says
/// how fast software becomes beyond.
CalendarDate measured_release(const StepCalibration& calibration, const CalendarDate& release);

}  // namespace clusterwright
