// SPDX-License-Identifier: Apache-2.0
// Error of a predicted step, as the standard deviation of log(predicted / measured).
//
//   sigma^2 = own^2 + shared^2 + folding^2 + s' C s
//   C       covariance of the logarithms of the fitted factors (step calibration)
//   s       slopes d ln(time) / d ln(factor): to first order, the share of the step that the factor scales
//   own     part of the residual of whole steps that each job has for itself
//   shared  the other part, which steps of one stack entry on one architecture have in common; with the error of kernel
//           parameters that come from other generations
//   folding error of classes that stand for ranks that are nearly alike; 0 where all ranks of a class are alike
// The residual (own and shared together) is that of the nearest class of held-out steps. It grows with fields that had
// to be assumed, a stack, accelerator or architecture that was not fitted, and doublings beyond the fitted sizes. The
// 90 % interval is time * exp(+-1.645 sigma).
//
// Example: residual 0.080, of it own 0.050, so shared = sqrt(0.080^2 - 0.050^2) = 0.062. GEMMs are 60 % of the step and
// their factor is known to 5 %: s' C s = 0.03^2. sigma = sqrt(0.080^2 + 0.03^2) = 0.085, and 90 % lie within a factor
// of 1.15.
//
// Source: first-order propagation of errors; docs/models/interval.md.
#include "models/prediction/prediction_interval.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "models/job/parameter_choice.hpp"
#include "models/kernels/collectives/slow_flow.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/evidence.hpp"
#include "models/prediction/parameter_error.hpp"
#include "models/prediction/prediction.hpp"
#include "models/prediction/variance.hpp"
#include "models/settling/replica_jitter.hpp"
#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

/// Median of |x| over the standard deviation of a normal x.
constexpr double median_over_sigma = 0.6745;

/// Median distance of the data sheets of fitted parts from their nearest fitted relative, which `residuals.accelerator`
/// was measured at.
constexpr double usual_distance = 0.36;

/// Standard deviation of ln(folded / unfolded) where classes run at the pace of their slowest members: 90 % of steps
/// with hashed paths were within 1.3 % (docs/models/pipeline-and-step.md, "Folding").
constexpr double folding_error = 0.008;

/// An interval of a factor of 100 either way says that nothing is known, and no wider one says more.
constexpr double most_sigma = 2.8;

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

/// Share of a step that kernels of routed experts take: of its computation, what they have of the FLOPs.
double routed_share(const StepPrediction& step, const Scenario& s) {
  if (!s.transformer.experts) return 0;
  const TrainingWork work = training_work(s.job);
  const Flops all = training_flops_per_token(s.transformer, work);
  return compute_share(step) * (1 - training_flops_per_token(s.transformer, work, 0) / all);
}

/// Share of the step that replicas of unequal speed add; that of unequal flows stands on no fit.
double replica_share(const StepPrediction& step, const Scenario& s) {
  const StepTime time{to_picoseconds(step.step_time), {step.breakdown.begin(), step.breakdown.end()}, {}};
  return to_seconds(replica_jitter(expected_loss(s.steps, step.plan), time)) / step.step_time;
}

/// Shares of a step that the factors of a stack, and that of experts, scale.
struct FactorShares {
  double compute, communication, host, experts, years, jitter;
};

/// Slopes to first order: the share of the step that a factor scales.
std::map<std::string, double> slopes_of(const FactorShares& shares, const std::string& entry,
                                        const std::string& overhead) {
  return {{"compute/" + entry, shares.compute},
          {"communication/" + entry, shares.communication},
          {"host/" + entry, shares.host},
          {overhead, shares.compute},
          {"drift", -shares.compute * shares.years},
          {"experts", shares.experts},
          {"replica_spread", shares.jitter},
          {"expert_drift", -shares.experts * shares.years}};
}

double doublings_beyond(double value, double most) {
  return value > most ? std::log2(value / most) : 0;
}

/// Factors of a step as its interval sees them.
struct StepFactorErrors {
  const Scenario& scenario;
  Evidence evidence;
  FactorShares shares;
  std::string entry;     ///< of the stack
  std::string overhead;  ///< number whose kernel overhead factor the step takes
  double assumed = 1;    ///< growth of residuals by fields of the job that had to be assumed

  std::map<std::string, double> slopes() const { return slopes_of(shares, entry, overhead); }

  /// Residual of an entry and the error of its factors, as a variance.
  double entry_variance(const std::string& name) const {
    const StepCalibration& c = scenario.steps;
    const auto found = c.stacks.find(name);
    const double own = found == c.stacks.end() ? 0 : found->second.residual.value;
    return squared(assumed * (own > 0 ? own : c.residuals.known.value)) +
           fitted_variance(slopes_of(shares, name, overhead), c);
  }
};

/// Variance of a stack: residual and fitted factors of its entry. For a stack without measured steps that entry is
/// "other", whose factors are as uncertain as those of stacks differ; one whose content is not that of its entry adds
/// how far predictions move without the steps of their stack.
double stack_variance(const StepFactorErrors& step) {
  const double variance = step.entry_variance(step.entry);
  const double differs = step.scenario.steps.residuals.stack.value;
  return step.evidence.stack == MeasuredStack::entry ? variance + squared(differs) : variance;
}

/// Part of the variance of an unmeasured accelerator or architecture that its measured steps leave: as if so many steps
/// of all others were mixed in with them.
double left_by_steps(const StepCalibration& calibration, const std::string& name) {
  if (calibration.measured_steps.empty()) return 0;
  const auto found = calibration.measured_steps.find(name);
  const double steps = found == calibration.measured_steps.end() ? 0 : found->second;
  return mixed_in_steps / (mixed_in_steps + steps);
}

/// Variance of an accelerator with few or no measured steps, by its nearest measured relative.
double accelerator_variance(const StepFactorErrors& step) {
  const StepResiduals& r = step.scenario.steps.residuals;
  const AcceleratorPart& part = step.scenario.cluster.accelerator;
  const double beyond = std::max(0.0, squared(r.generation.value) - squared(r.accelerator.value));
  const double of_architecture = beyond * left_by_steps(step.scenario.steps, step_architecture(part));
  // A part that is like a measured one: the error of unmeasured relatives, by the distance of the data sheets.
  const double derived = squared(r.accelerator.value * step.evidence.like_distance / usual_distance);
  switch (step.evidence.accelerator) {
    case MeasuredAccelerator::itself:
      return derived + of_architecture +
             squared(r.accelerator.value) * left_by_steps(step.scenario.steps, measured_id(part));
    case MeasuredAccelerator::architecture:
      return derived + of_architecture + squared(r.accelerator.value);
    case MeasuredAccelerator::vendor:
      return derived + squared(r.generation.value);
    case MeasuredAccelerator::none:
      break;
  }
  // The quality of software of a vendor without measurements is unknown, as that of an unmeasured stack is.
  const double both = squared(r.generation.value) + squared(r.stack.value);
  return derived + std::max(both, squared(r.vendor.value));
}

/// Variance of a step beyond that of its kernels: residuals of whole steps and fitted factors, by the nearest class.
double class_variance(const StepFactorErrors& step) {
  const StepCalibration& c = step.scenario.steps;
  const double beyond = doublings_beyond(step.scenario.cluster.spec.accelerators, c.most_accelerators) +
                        doublings_beyond(step.scenario.job.sequence, c.longest_sequence);
  const double experts = step.scenario.transformer.experts ? c.residuals.experts.value : 0;
  return stack_variance(step) + accelerator_variance(step) + squared(c.residuals.doubling.value * beyond) +
         squared(experts);
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

/// Variance of a step by generic kernel parameters, beyond what their own standard errors say: errors of a generic fit
/// on held-out generations contain those of its numbers. Residuals of whole steps already include the kernels of
/// measured accelerators; sets that samples moved in part keep the reports of generic families.
double generic_variance(const StepPrediction& step, const Scenario& s,
                        const std::map<std::string, double>& parameters) {
  const auto beyond = [&](double sigma, std::string_view family) {
    return std::max(0.0, squared(sigma) - sum_of_squares(parameters, family));
  };
  return beyond(compute_share(step) * generic_sigma(s.parameters, "gemm/bf16"), "gemm/") +
         beyond(communication_share(step) * generic_sigma(s.parameters, "collectives"), "collectives/");
}

/// Release and content of the stack: under one name, compiled and other kernels, or two dates, are two jobs.
std::string software_key(const Scenario& s) {
  return fmt::format("{} {}", release_of(s.stack, s.job).text(), write_json(encode_record(s.stack)));
}

template <class T>
int number(T value) {
  return static_cast<int>(value);
}

}  // namespace

std::string task_key(const Scenario& s) {
  const Transformer& m = s.transformer;
  const Job& j = s.job;
  return fmt::format("{} {} {} {} {} {} {} {} | {} {} {} {} | {} | {}", m.layers, m.hidden, m.heads,
                     m.key_value_heads(), m.ffn, m.gated_mlp, m.vocabulary, m.experts ? m.experts->experts : 0,
                     j.sequence, j.sample_tokens, j.lora_rank, number(j.precision), s.stack.name, software_key(s));
}

std::string work_key(const Scenario& s) {
  return fmt::format("{} | {}", task_key(s), s.cluster.accelerator.id);
}

std::string job_key(const Scenario& s, const Plan& p) {
  const std::string memory = fmt::format("{} {} {} {}", s.job.offload.any(), number(p.sharding), number(p.recompute),
                                         p.recomputed_layers.value_or(-1));
  const std::string layout =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", p.tensor, p.sequence_parallel, p.pipeline, p.virtual_pipeline,
                  number(p.schedule), fmt::join(p.stage_layers, ","), p.context, number(p.context_exchange), p.expert,
                  p.expert_tensor, number(p.rank_order), p.micro_batch);
  return fmt::format("{} | {} | {}", work_key(s), memory, layout);
}

std::string twin_key(const Scenario& s, const StepPrediction& step) {
  return fmt::format("{} | {} {}", job_key(s, step.plan), step.accelerators, step.plan.global_batch);
}

StepUncertainty step_uncertainty(const StepPrediction& step, const Scenario& s, bool known) {
  const AcceleratorPart& part = s.cluster.accelerator;
  const StepFactors factors = step_factors(s.steps, s.stack, s.job, part);
  const std::string architecture = step_architecture(part);
  const FactorShares shares{
      compute_share(step), communication_share(step), share(step, ChargeKind::launch), routed_share(step, s),
      factors.years,       replica_share(step, s)};
  const StepResiduals& r = s.steps.residuals;
  const double assumed = known || r.known.value <= 0 ? 1 : std::max(1.0, r.unknown.value / r.known.value);
  const StepFactorErrors errors{s, evidence_of(s), shares, factors.entry, overhead_number(s.steps, part), assumed};
  StepUncertainty out;
  out.family = factors.entry + " on " + architecture;
  out.slopes = errors.slopes();
  out.parameters = parameter_errors(s, step);
  out.parameter_set = s.parameters.name;
  const double fitted = fitted_variance(out.slopes, s.steps);
  const double classes = std::max(0.0, class_variance(errors) - fitted);
  out.own = std::min(s.steps.residuals.own.value, std::sqrt(classes));
  out.task = task_key(s);
  out.work = work_key(s);
  out.job = job_key(s, step.plan);
  out.twin = twin_key(s, step);
  for (std::size_t i = 0; i < step_charge_count; ++i) out.shares[i] = step.breakdown[i] / step.step_time;
  const auto part_of_own = [&](double fitted_part) {
    return std::min(fitted_part > 0 ? fitted_part : r.own.value, std::sqrt(classes));
  };
  out.machine = part_of_own(r.machine.value);
  out.layout = part_of_own(r.layout.value);
  out.size = std::min(s.steps.residuals.size.value, out.own);
  out.accelerators = step.accelerators;
  out.shared = std::sqrt(std::max(0.0, classes - squared(out.own) + generic_variance(step, s, out.parameters)));
  out.folding = folds_exactly(s, step.plan) ? 0 : folding_error;
  const double jitter = step.breakdown[static_cast<std::size_t>(StepCharge::jitter)] / step.step_time;
  if (const auto& tail = s.cluster.spec.fabric.tail; tail && s.cluster.has_network())
    out.parameters["fabric.tail"] = tail_error(*tail, s.cluster.blocks.accelerators, jitter - shares.jitter);
  const double variance =
      squared(out.own) + squared(out.shared) + squared(out.folding) + fitted + sum_of_squares(out.parameters);
  out.sigma = std::min(most_sigma, std::sqrt(variance));
  return out;
}

}  // namespace clusterwright
