// SPDX-License-Identifier: Apache-2.0
// Error of a predicted step, as the standard deviation of log(predicted / measured).
//
//   sigma^2 = own^2 + shared^2 + s' C s
//   C       covariance of the logarithms of the fitted factors (step calibration)
//   s       slopes d ln(time) / d ln(factor): to first order, the share of the step that the factor scales
//   own     part of the residual of whole steps that each job has for itself
//   shared  the other part, which steps of one stack entry on one architecture have in common; with the error of kernel
//           parameters that come from other generations
// The residual (own and shared together) is that of the nearest class of held-out steps. It grows with fields that had
// to be assumed, a stack, accelerator or architecture that was not fitted, and doublings beyond the fitted sizes. The
// 90 % interval is time * exp(+-1.645 sigma).
//
// Invariant: in the ratio of two steps, common causes cancel. Slopes are subtracted before C is applied, shared parts
// of one family too, and steps of one job (job_key) keep only the part of `own` that differs with the number of
// accelerators.
//
// Example: residual 0.080, of it own 0.050, so shared = sqrt(0.080^2 - 0.050^2) = 0.062. GEMMs are 60 % of the step and
// their factor is known to 5 %: s' C s = 0.03^2. sigma = sqrt(0.080^2 + 0.03^2) = 0.085, and 90 % lie within a factor
// of 1.15. Against the same job on another number of accelerators, with equal slopes and a size part of 0.02, sigma is
// sqrt(2) * 0.02 = 0.028: 4.8 %.
//
// Source: first-order propagation of errors; docs/models/interval.md.
#include "models/prediction/prediction_interval.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

namespace {

/// Median of |x| over the standard deviation of a normal x.
constexpr double median_over_sigma = 0.6745;

/// Share of one kind of charges in the time outside bubbles, as bubbles scale with the work around them.
double share(const StepPrediction& step, ChargeKind kind) {
  const auto of = [&](StepCharge charge) { return step.breakdown[static_cast<std::size_t>(charge)] / step.step_time; };
  double sum = 0;
  for (std::size_t i = 0; i < step_charge_count; ++i)
    if (kind_of(static_cast<StepCharge>(i)) == kind) sum += of(static_cast<StepCharge>(i));
  return sum / std::max(0.01, 1 - of(StepCharge::bubble));
}

double compute_share(const StepPrediction& step) {
  return share(step, ChargeKind::compute);
}

double communication_share(const StepPrediction& step) {
  return share(step, ChargeKind::communication);
}

/// Slopes to first order: the share of the step that a factor scales.
std::map<std::string, double> slopes_of(const StepPrediction& step, const StepFactors& factors,
                                        const std::string& architecture) {
  const std::string& entry = factors.entry;
  const double compute = compute_share(step);
  return {{"compute/" + entry, compute},
          {"communication/" + entry, communication_share(step)},
          {"host/" + entry, share(step, ChargeKind::launch)},
          {"kernel_tax/" + architecture, compute},
          {"drift", -compute * factors.years}};
}

double slope_of(const std::map<std::string, double>& slopes, const std::string& name) {
  const auto found = slopes.find(name);
  return found == slopes.end() ? 0 : found->second;
}

/// Variance of a sum of fitted logarithms.
double fitted_variance(const std::map<std::string, double>& slopes, const StepCalibration& calibration) {
  const std::size_t n = calibration.fitted.size();
  if (calibration.covariance.size() != n * n) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = slope_of(slopes, calibration.fitted[i]);
    for (std::size_t k = 0; a != 0 && k < n; ++k)
      sum += a * slope_of(slopes, calibration.fitted[k]) * calibration.covariance[i * n + k];
  }
  return std::max(0.0, sum);
}

double squared(double x) {
  return x * x;
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

double doublings_beyond(double value, double most) {
  return value > most ? std::log2(value / most) : 0;
}

/// Variance that the residuals of whole steps add, by the nearest class.
double class_variance(const Scenario& s, const std::string& entry, const std::string& architecture, bool known) {
  const StepCalibration& c = s.steps;
  const StepResiduals& r = c.residuals;
  const auto found = c.stacks.find(entry);
  const double own = found == c.stacks.end() ? 0 : found->second.residual.value;
  double variance = squared(own > 0 ? own : r.known.value);
  if (!known && r.known.value > 0) variance *= squared(std::max(1.0, r.unknown.value / r.known.value));
  if (entry.empty() || entry == other_entry) variance += squared(r.stack.value);
  if (!contains(c.fitted, "kernel_tax/" + architecture)) {
    variance += squared(r.generation.value);
    // The quality of software of a vendor without measurements is unknown.
    if (!c.vendors.empty() && !contains(c.vendors, s.cluster.accelerator.vendor)) variance += squared(r.stack.value);
  } else if (!contains(c.accelerators, s.cluster.accelerator.id)) {
    variance += squared(r.accelerator.value);
  }
  const double beyond = doublings_beyond(s.cluster.spec.accelerators, c.most_accelerators) +
                        doublings_beyond(s.job.sequence, c.longest_sequence);
  return variance + squared(r.doubling.value * beyond);
}

/// Residual on held-out generations of a family of kernels whose parameters come from other generations.
double generic_sigma(const ParameterSet& parameters, std::string_view family) {
  double widest = 0;
  for (const FitReport& fit : parameters.fits)
    if (fit.name.starts_with(family) && fit.name.ends_with("generation held out") &&
        fit.name.find("M < 1024") == std::string::npos && fit.name.find("below 1 MB") == std::string::npos)
      widest = std::max(widest, fit.held_out_median_abs_log / median_over_sigma);
  return widest;
}

/// Variance of a step by generic kernel parameters. Residuals of whole steps already include the kernels of
/// measured accelerators; sets that samples moved in part keep the reports of generic families.
double generic_variance(const StepPrediction& step, const Scenario& s) {
  return squared(compute_share(step) * generic_sigma(s.parameters, "gemm/bf16")) +
         squared(communication_share(step) * generic_sigma(s.parameters, "collectives"));
}

}  // namespace

std::string job_key(const Scenario& s, const Plan& p) {
  const Transformer& m = s.transformer;
  const Job& j = s.job;
  const auto number = [](auto value) { return static_cast<int>(value); };
  const std::string model = fmt::format("{} {} {} {} {} {} {}", m.layers, m.hidden, m.heads, m.key_value_heads(), m.ffn,
                                        m.gated_mlp, m.vocabulary);
  const std::string work =
      fmt::format("{} {} {} {} {} {} {} {}", j.sequence, j.sample_tokens, j.lora_rank, number(j.precision),
                  j.offload.any(), number(p.sharding), number(p.recompute), p.recomputed_layers.value_or(-1));
  const std::string layout = fmt::format("{} {} {} {} {} {} {} {} {}", p.tensor, p.sequence_parallel, p.pipeline,
                                         p.virtual_pipeline, number(p.schedule), fmt::join(p.stage_layers, ","),
                                         p.context, number(p.context_exchange), p.micro_batch);
  return fmt::format("{} | {} | {} | {} | {}", model, work, layout, s.stack.name, s.cluster.accelerator.id);
}

StepUncertainty step_uncertainty(const StepPrediction& step, const Scenario& s, bool known) {
  const StepFactors factors = step_factors(s.steps, s.stack, s.job, s.cluster.accelerator);
  const std::string& entry = factors.entry;
  const std::string architecture = step_architecture(s.cluster.accelerator);
  StepUncertainty out;
  out.family = entry + " on " + architecture;
  out.slopes = slopes_of(step, factors, architecture);
  const double classes = class_variance(s, entry, architecture, known);
  out.own = std::min(s.steps.residuals.own.value, std::sqrt(classes));
  out.job = job_key(s, step.plan);
  out.size = std::min(s.steps.residuals.size.value, out.own);
  const double rest = classes - squared(out.own) + generic_variance(step, s);
  out.shared = std::sqrt(std::max(0.0, rest));
  out.sigma = std::sqrt(squared(out.own) + squared(out.shared) + fitted_variance(out.slopes, s.steps));
  return out;
}

double sigma_of_ratio(const StepUncertainty& a, const StepUncertainty& b, const StepCalibration& calibration) {
  std::map<std::string, double> difference = a.slopes;
  for (const auto& [name, slope] : b.slopes) difference[name] -= slope;
  const bool together = a.family == b.family;
  const double shared = together ? squared(a.shared - b.shared) : squared(a.shared) + squared(b.shared);
  const bool one_job = a.job == b.job;
  const double own = one_job ? squared(a.size) + squared(b.size) : squared(a.own) + squared(b.own);
  return std::sqrt(own + shared + fitted_variance(difference, calibration));
}

double probability_faster(const StepPrediction& a, const StepPrediction& b, const StepCalibration& calibration) {
  const double ahead = std::log(a.tokens_per_second_per_accelerator() / b.tokens_per_second_per_accelerator());
  const double sigma = sigma_of_ratio(a.uncertainty, b.uncertainty, calibration);
  if (sigma <= 0) return ahead > 0 ? 1 : ahead < 0 ? 0 : 0.5;
  return 0.5 * std::erfc(-ahead / sigma / std::sqrt(2.0));
}

}  // namespace clusterwright
