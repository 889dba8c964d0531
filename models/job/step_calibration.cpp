// SPDX-License-Identifier: Apache-2.0
#include "models/job/step_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "models/job/job.hpp"
#include "sim/diagnostic.hpp"
#include "sim/field_table.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

// Copied and moved here, not in every file that holds one: their members are many.
StepCalibration::StepCalibration() = default;
StepCalibration::StepCalibration(const StepCalibration&) = default;
StepCalibration::StepCalibration(StepCalibration&&) noexcept = default;
StepCalibration& StepCalibration::operator=(const StepCalibration&) = default;
StepCalibration& StepCalibration::operator=(StepCalibration&&) noexcept = default;
StepCalibration::~StepCalibration() = default;

namespace {

const StackCalibration* find_entry(const StepCalibration& calibration, const SoftwareStack& stack, std::string& name) {
  const std::string wanted = stack.calibrated.empty() ? other_entry : stack.calibrated;
  const auto found = calibration.stacks.find(wanted);
  if (found == calibration.stacks.end()) return nullptr;
  name = wanted;
  return &found->second;
}

double overhead_of(const StepCalibration& calibration, const AcceleratorPart& part) {
  const Sourced<double>* number = fitted_number(calibration, overhead_number(calibration, part));
  if (!number) return 1;
  const double slope = calibration.overhead_per_density.value;
  if (calibration.kernel_overhead.contains(step_architecture(part)) || slope == 0) return number->value;
  return std::max(1.0, number->value * std::exp(slope * (power_density(part) - calibration.density_reference.value)));
}

double cast_bytes(const StepCalibration& calibration, Precision precision) {
  if (precision == Precision::bf16 || precision == Precision::fp16 || precision == Precision::fp32) return 0;
  const std::string name(EnumNames<Precision>::names[static_cast<std::size_t>(precision)]);
  const auto found = calibration.cast_bytes.find(name);
  if (found != calibration.cast_bytes.end()) return found->second.value;
  throw ConfigError({"E0314", "the step calibration holds no casts to " + name, {}, "", "choose another precision"});
}

}  // namespace

const Record<StackCalibration>& record(const StackCalibration*) {
  using S = StackCalibration;
  static const auto table =
      Record<S>("stack_calibration",
                "Measured times of one stack's steps over the times predicted from microbenchmarks")
          .required("compute", &S::compute, {.help = "factor on the time of GEMMs and attention", .min = 0.2, .max = 5})
          .required("communication", &S::communication,
                    {.help = "factor on the time of collectives", .min = 0.2, .max = 5})
          .required("host", &S::host, {.help = "factor on the host time to launch a kernel", .min = 0, .max = 20})
          .optional("residual", &S::residual,
                    {.help = "standard deviation of log(predicted/measured) of this stack's steps, models held out in "
                             "turn; 0: as for all stacks together",
                     .min = 0,
                     .max = 5});
  return table;
}

const Record<StepResiduals>& record(const StepResiduals*) {
  using R = StepResiduals;
  static const auto table =
      Record<R>("step_residuals",
                "Standard deviations of log(predicted/measured) beyond parameter uncertainty, from held-out rows")
          .required("known", &R::known, {.help = "jobs with every field given", .min = 0, .max = 5})
          .required("unknown", &R::unknown, {.help = "jobs with some field assumed", .min = 0, .max = 5})
          .required("stack", &R::stack,
                    {.help = "added for a stack that differs from those of its entry", .min = 0, .max = 5})
          .required("accelerator", &R::accelerator,
                    {.help = "added for an accelerator without measured steps whose architecture has some",
                     .min = 0,
                     .max = 5})
          .required("generation", &R::generation,
                    {.help = "added for an architecture without measured steps", .min = 0, .max = 5})
          .optional("vendor", &R::vendor,
                    {.help = "added for a vendor without measured steps; 0: as for an architecture and a stack "
                             "without measured steps",
                     .min = 0,
                     .max = 5})
          .optional("experts", &R::experts, {.help = "added for mixtures of experts", .min = 0, .max = 3})
          .required("doubling", &R::doubling,
                    {.help = "added for each doubling of accelerators or sequence length beyond the fitted range",
                     .min = 0,
                     .max = 5})
          .required(
              "own", &R::own,
              {.help = "part that steps of one model on one stack and accelerator do not share", .min = 0, .max = 5})
          .optional(
              "machine", &R::machine,
              {.help =
                   "part that steps of one job and stack on equal numbers of two accelerators do not share; 0: as own",
               .min = 0,
               .max = 5})
          .optional("layout", &R::layout,
                    {.help = "part that steps of one job under different layouts do not share; 0: as own",
                     .min = 0,
                     .max = 5})
          .required("size", &R::size,
                    {.help = "part that steps of one job on different numbers of accelerators do not share",
                     .min = 0,
                     .max = 5})
          .optional("size_lost", &R::size_lost,
                    {.help = "error of the ratio of two sizes by the time that they lose, for a difference of 1 of "
                             "their shares of communication, launches and waiting; grows with its root",
                     .min = 0,
                     .max = 5})
          .optional("size_growth", &R::size_growth,
                    {.help = "error of the ratio of two sizes by what the larger one loses that no model has; grows "
                             "with the root of the doublings between them",
                     .min = 0,
                     .max = 5});
  return table;
}

const Record<MemoryResiduals>& record(const MemoryResiduals*) {
  using R = MemoryResiduals;
  static const auto table =
      Record<R>("memory_residuals",
                "Standard deviations of log(needed/counted) of device memory beyond weights, gradients and optimizer "
                "states, from published peaks")
          .required("known", &R::known, {.help = "stacks with an entry in stacks", .min = 0, .max = 3})
          .required("other", &R::other, {.help = "stacks without one", .min = 0, .max = 3});
  return table;
}

const Record<StepCalibration>& record(const StepCalibration*) {
  using S = StepCalibration;
  static const auto table =
      Record<S>("step_calibration", "Corrections from sums of microbenchmarks to whole training steps")
          .required("name", &S::name, {.help = "name for readers"})
          .required("drift_per_year", &S::drift,
                    {.help = "yearly speed-up of software, as a logarithm", .min = -1, .max = 1})
          .required("reference_date", &S::reference_date, {.help = "date at which drift is zero"})
          .optional("oldest_release", &S::oldest_release,
                    {.help = "oldest software of a fitted step; older software counts as this one"})
          .optional("newest_release", &S::newest_release,
                    {.help = "newest software of a fitted step; newer software counts as this one"})
          .required("cast_bytes", &S::cast_bytes,
                    {.help = "memory traffic per activation element cast to a number format, by format", .min = 0})
          .required("kernel_tax", &S::kernel_overhead,
                    {.help = "kernel overhead factor: time of GEMM and attention kernels in a step over their time "
                             "alone in a loop at the same clock; by architecture, \"other\" for those without an entry",
                     .min = 0.5,
                     .max = 3})
          .optional("vendor_tax", &S::vendor_overhead,
                    {.help = "kernel overhead factor of an architecture without an entry, by vendor; vendors without "
                             "one take \"other\"",
                     .min = 0.5,
                     .max = 5})
          .optional("tax_per_density", &S::overhead_per_density,
                    {.help = "increase of the logarithm of the kernel overhead factors of vendor_tax and \"other\" per "
                             "dense 16-bit TFLOP/s per rated watt above density_reference",
                     .min = -5,
                     .max = 5})
          .optional("density_reference", &S::density_reference,
                    {.help = "dense 16-bit TFLOP/s per rated watt at which those factors hold", .min = 0, .max = 1000})
          .optional("expert_kernels", &S::expert_kernels,
                    {.help = "factor on the time of the kernels of routed experts beyond those of dense layers, at the "
                             "reference date",
                     .min = 0.5,
                     .max = 3})
          .optional("expert_drift_per_year", &S::expert_drift,
                    {.help = "yearly speed-up of those kernels beyond that of all others, as a logarithm",
                     .min = -1,
                     .max = 1})
          .optional("replica_spread", &S::replica_spread,
                    {.help = "standard deviation of the logarithm of the time that replicas of one job take for the "
                             "same work; 0: all run alike",
                     .min = 0,
                     .max = 0.5})
          .required("stacks", &S::stacks, {.help = "factors by stack; \"other\" for stacks without an entry"})
          .optional("accelerators", &S::accelerators, {.help = "accelerators whose steps were fitted"})
          .optional("measured_steps", &S::measured_steps,
                    {.help = "fitted steps by accelerator and by architecture, those of one cell as one; few steps add "
                             "a part of the residual of an unmeasured one",
                     .min = 0,
                     .max = 1e9})
          .optional(
              "vendors", &S::vendors,
              {.help =
                   "vendors of those accelerators; parts of other vendors add the residual of an unmeasured vendor"})
          .optional("most_accelerators", &S::most_accelerators,
                    {.help = "maximum number of accelerators of a fitted job", .min = 1, .max = 16777216})
          .optional("longest_sequence", &S::longest_sequence,
                    {.help = "maximum sequence length of a fitted job, in tokens", .min = 1, .max = 16777216})
          .required("residuals", &S::residuals, {.help = "remaining error"})
          .optional("memory_residuals", &S::memory_residuals,
                    {.help = "error of peak memory; without it the program takes memory as exact"})
          .optional("fitted", &S::fitted, {.help = "names of the fitted numbers, in the order of the covariance"})
          .optional("covariance", &S::covariance,
                    {.help = "covariance of the logarithms of the fitted numbers, row by row", .min = -25, .max = 25})
          .optional("fits", &S::fits, {.help = "quality of the fit, in sample and held out"});
  return table;
}

double memory_residual(const StepCalibration& calibration, const SoftwareStack& stack) {
  const MemoryResiduals& residuals = calibration.memory_residuals;
  return (calibration.stacks.contains(stack.calibrated) ? residuals.known : residuals.other).value;
}

std::string step_architecture(const AcceleratorPart& part) {
  const std::string name = architecture_of(part);
  return name.empty() ? part.vendor : name;
}

std::string overhead_number(const StepCalibration& calibration, const AcceleratorPart& part) {
  const std::string architecture = step_architecture(part);
  if (calibration.kernel_overhead.contains(architecture)) return "kernel_tax/" + architecture;
  if (calibration.vendor_overhead.contains(part.vendor)) return "vendor_tax/" + part.vendor;
  return std::string("kernel_tax/") + other_entry;
}

const Sourced<double>* fitted_number(const StepCalibration& calibration, const std::string& name) {
  if (name == "drift") return &calibration.drift;
  if (name == "experts") return &calibration.expert_kernels;
  if (name == "replica_spread") return &calibration.replica_spread;
  if (name == "expert_drift") return &calibration.expert_drift;
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return nullptr;
  const std::string kind = name.substr(0, slash), owner = name.substr(slash + 1);
  if (kind == "kernel_tax") {
    const auto found = calibration.kernel_overhead.find(owner);
    return found == calibration.kernel_overhead.end() ? nullptr : &found->second;
  }
  if (kind == "vendor_tax") {
    const auto found = calibration.vendor_overhead.find(owner);
    return found == calibration.vendor_overhead.end() ? nullptr : &found->second;
  }
  const auto found = calibration.stacks.find(owner);
  if (found == calibration.stacks.end()) return nullptr;
  if (kind == "compute") return &found->second.compute;
  if (kind == "communication") return &found->second.communication;
  return kind == "host" ? &found->second.host : nullptr;
}

CalendarDate release_of(const SoftwareStack& stack, const Job& job) {
  return job.release.known() ? job.release : stack.date;
}

CalendarDate measured_release(const StepCalibration& calibration, const CalendarDate& release) {
  const CalendarDate &oldest = calibration.oldest_release, &newest = calibration.newest_release;
  if (!release.known()) return release;
  if (oldest.known() && release < oldest) return oldest;
  return newest.known() && newest < release ? newest : release;
}

StepFactors step_factors(const StepCalibration& calibration, const SoftwareStack& stack, const Job& job,
                         const AcceleratorPart& part) {
  StepFactors out;
  out.cast_bytes = cast_bytes(calibration, job.precision);
  const StackCalibration* entry = find_entry(calibration, stack, out.entry);
  if (!entry) return out;
  out.years = years_between(calibration.reference_date, measured_release(calibration, release_of(stack, job)));
  out.compute = overhead_of(calibration, part) * entry->compute.value * std::exp(-calibration.drift.value * out.years);
  out.communication = entry->communication.value;
  out.host = entry->host.value;
  out.expert_host = std::exp(-calibration.expert_drift.value * out.years);
  out.experts = calibration.expert_kernels.value * out.expert_host;
  return out;
}

}  // namespace clusterwright
