// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/step_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "calibration/fit/sourced_value.hpp"
#include "models/prediction/prediction_interval.hpp"

namespace clusterwright {

namespace {

/// Residual of a vendor without measurements, as a standard deviation of the logarithm.
constexpr double unmeasured_vendor = 0.25;

constexpr int most_rounds = 6;
constexpr double converged = 2e-3;  // largest change of an unknown, a logarithm

std::vector<double> errors_of(const std::vector<StepSlopes>& slopes) {
  std::vector<double> errors;
  for (const StepSlopes& slope : slopes) errors.push_back(slope.error);
  return errors;
}

double largest_change(const std::vector<double>& a, const std::vector<double>& b) {
  double change = 0;
  for (std::size_t i = 0; i < a.size(); ++i) change = std::max(change, std::abs(a[i] - b[i]));
  return change;
}

/// Mean and spread of the fitted stacks, for stacks without steps.
void publish_others(const StepFitResult& fit, StepCalibration& steps) {
  for (const UnknownKind kind : {UnknownKind::compute, UnknownKind::communication}) {
    std::vector<double> values;
    for (std::size_t k = 0; k < fit.unknowns.size(); ++k)
      if (fit.unknowns[k].kind == kind) values.push_back(fit.regression.values[k]);
    double mean = 0, variance = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) variance += (value - mean) * (value - mean) / static_cast<double>(values.size());
    write_unknown(steps, {kind, other_entry}, mean, std::sqrt(variance),
                  fmt::format("mean and spread of {} fitted ones", values.size()));
  }
}

/// Kernel overhead of architectures without steps, by their peak compute per watt.
void publish_overhead_line(const StepProblem& problem, const StepFitResult& fit, StepCalibration& steps) {
  const std::set<StepUnknown> all(fit.unknowns.begin(), fit.unknowns.end());
  const OverheadLine line = problem.overhead_line(all, fit.regression.values);
  const std::string source = "line through the taxes of the fitted architectures over their power density";
  write_unknown(steps, {UnknownKind::kernel_overhead, other_entry}, line.middle, line.spread, source);
  steps.overhead_per_density = sourced_value(line.slope, line.slope_error, source);
  steps.density_reference =
      sourced_value(line.reference, 0, "mean of the fitted architectures, from their data sheets");
}

/// Fitted values with their errors and origin.
void publish(const StepProblem& problem, const StepFitResult& fit, StepCalibration& steps) {
  const std::size_t n = fit.unknowns.size();
  const std::string source = fmt::format("fit of {} published training steps", fit.rows.size());
  for (std::size_t k = 0; k < n; ++k)
    write_unknown(steps, fit.unknowns[k], fit.regression.values[k], std::sqrt(fit.regression.covariance[k * n + k]),
                  source);
  publish_others(fit, steps);
  publish_overhead_line(problem, fit, steps);
  steps.fitted.clear();
  for (const StepUnknown& unknown : fit.unknowns) steps.fitted.push_back(unknown.name());
  steps.covariance.clear();
  for (const double value : fit.regression.covariance) steps.covariance.push_back(rounded(value));
  std::set<std::string> accelerators, vendors;
  for (const StepRow& row : fit.rows) {
    accelerators.insert(row.scenario.cluster.accelerator.id);
    vendors.insert(row.scenario.cluster.accelerator.vendor);
  }
  steps.accelerators.assign(accelerators.begin(), accelerators.end());
  steps.vendors.assign(vendors.begin(), vendors.end());
}

/// Solves with the slopes as they are; only errors are simulated again.
void solve(StepProblem& problem, StepCalibration& steps, StepFitResult& fit) {
  for (int round = 0; round < most_rounds; ++round) {
    fit.regression = regress(problem.regression(fit.slopes, {}));
    const double change = largest_change(fit.regression.values, problem.present());
    problem.apply(fit.regression.values, steps, fit.rows);
    refresh_errors(fit.rows, fit.slopes);
    if (change < converged) break;
  }
}

/// Share of a normal distribution within 1.645 standard deviations: the share that intervals should hold.
constexpr double held = 0.90;
constexpr double deviations_held = 1.645;

/// Errors of every row, held out in each of these groups.
struct HeldOutSteps {
  std::vector<double> models, sizes, accelerators, generations, vendors, stacks;
};

HeldOutSteps held_out(const StepFitResult& fit, const StepCalibration& steps) {
  const auto by = [&](const std::function<std::string(const StepRow&)>& group) {
    return held_out_step_errors(fit, fit.slopes, steps, group);
  };
  return {by(model_of),
          by([](const StepRow& row) { return std::to_string(row.plan.accelerators()); }),
          by([](const StepRow& row) { return row.scenario.cluster.accelerator.id; }),
          by([](const StepRow& row) { return row.architecture; }),
          by([](const StepRow& row) { return row.scenario.cluster.accelerator.vendor; }),
          by([](const StepRow& row) { return row.entry; })};
}

/// Standard deviation whose 90 % interval holds 90 % of the errors, by weight.
double width_of(const std::vector<double>& errors, const std::vector<double>& weights) {
  std::vector<double> distances;
  for (const double error : errors) distances.push_back(std::abs(error));
  return weighted_quantile(distances, weights, held) / deviations_held;
}

/// Width of the errors of some rows.
double width_where(const StepFitResult& fit, const std::vector<double>& errors,
                   const std::function<bool(const StepRow&)>& chosen) {
  std::vector<double> some, weights;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!chosen(fit.rows[i])) continue;
    some.push_back(errors[i]);
    weights.push_back(fit.rows[i].weight);
  }
  return width_of(some, weights);
}

bool is_dense(const StepRow& row) {
  return !row.scenario.transformer.experts;
}

/// Standard deviation that, added in squares, widens `inner` to `outer`; 0 if it is not wider.
double beyond(double outer, double inner) {
  return std::sqrt(std::max(0.0, outer * outer - inner * inner));
}

/// Width by weight of errors around the median of their model, stack, accelerator and format.
double own_width(const StepFitResult& fit) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) {
    const StepRow& row = fit.rows[i];
    groups[fmt::format("{} {} {} {}", model_of(row), row.entry, row.scenario.cluster.accelerator.id,
                       static_cast<int>(row.scenario.job.precision))]
        .push_back(i);
  }
  std::vector<double> own, weights;
  for (const auto& [name, members] : groups) {
    if (members.size() < 3) continue;
    std::vector<double> errors;
    for (const std::size_t i : members) errors.push_back(fit.errors[i]);
    const double median = weighted_quantile(errors, std::vector<double>(errors.size(), 1.0), 0.5);
    for (const std::size_t i : members) {
      own.push_back(fit.errors[i] - median);
      weights.push_back(fit.rows[i].weight);
    }
  }
  return width_of(own, weights);
}

bool same_cell(const StepRow& a, const StepRow& b) {
  return !a.cell.empty() && a.cell == b.cell;
}

/// Width of one step's part in the error of a ratio: two steps of one job, batch and size under different layouts, of
/// which nothing had to be assumed. Each job counts once.
double layout_width(const StepFitResult& fit) {
  std::map<std::string, std::vector<std::size_t>> jobs;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) {
    const StepRow& row = fit.rows[i];
    if (row.known)
      jobs[fmt::format("{} {} {}", work_key(row.scenario), row.plan.accelerators(), row.plan.global_batch)].push_back(
          i);
  }
  std::vector<double> errors, weights;
  for (const auto& [job, members] : jobs) {
    const std::size_t before = errors.size();
    for (std::size_t k = 1; k < members.size(); ++k)
      for (std::size_t l = 0; l < k; ++l) {
        const StepRow &a = fit.rows[members[k]], &b = fit.rows[members[l]];
        if (same_cell(a, b) || job_key(a.scenario, a.plan) == job_key(b.scenario, b.plan)) continue;
        errors.push_back((fit.errors[members[k]] - fit.errors[members[l]]) / std::sqrt(2.0));
        weights.push_back(std::min(a.share, b.share));
      }
    for (std::size_t i = before; i < weights.size(); ++i) weights[i] /= static_cast<double>(weights.size() - before);
  }
  return width_of(errors, weights);
}

/// Width of one step's part in the error of a ratio: two steps of one job and layout on different numbers of
/// accelerators.
double size_width(const StepFitResult& fit) {
  std::map<std::string, std::vector<std::size_t>> jobs;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) jobs[job_key(fit.rows[i].scenario, fit.rows[i].plan)].push_back(i);
  std::vector<double> errors, weights;
  for (const auto& [job, members] : jobs)
    for (std::size_t k = 1; k < members.size(); ++k) {
      const StepRow &a = fit.rows[members[k - 1]], &b = fit.rows[members[k]];
      if (a.plan.accelerators() == b.plan.accelerators()) continue;
      errors.push_back((fit.errors[members[k]] - fit.errors[members[k - 1]]) / std::sqrt(2.0));
      weights.push_back(a.weight);
    }
  return width_of(errors, weights);
}

/// Residual of each stack for jobs whose fields are all known; errors of other jobs are narrowed by the ratio of the
/// two widths. Eight rows of all stacks are mixed in, so that a stack of few rows does not look sure.
void publish_stacks(const StepFitResult& fit, const std::vector<double>& held_out, StepCalibration& steps) {
  constexpr double mixed_in = 8;
  const double all = steps.residuals.known.value;
  const double narrowed = std::min(1.0, all / steps.residuals.unknown.value);
  for (auto& [name, entry] : steps.stacks) {
    std::vector<double> errors, weights;
    double rows = 0;
    for (std::size_t i = 0; i < held_out.size(); ++i) {
      if (fit.rows[i].entry != name || !is_dense(fit.rows[i])) continue;
      rows += fit.rows[i].share;
      errors.push_back(held_out[i] * (fit.rows[i].known ? 1 : narrowed));
      weights.push_back(fit.rows[i].weight);
    }
    const double own = width_of(errors, weights);
    entry.residual = sourced_value(std::sqrt((rows * own * own + mixed_in * all * all) / (rows + mixed_in)), 0,
                                   fmt::format("{} steps, models held out, mixed with 8 of all stacks", errors.size()));
  }
}

std::vector<FitReport> reports(const StepFitResult& fit, const HeldOutSteps& left) {
  const std::string rows = fmt::format("{} published training steps", fit.rows.size());
  std::vector<double> shares;
  for (const StepRow& row : fit.rows) shares.push_back(row.share);
  const auto of = [&](const char* what, const std::vector<double>& held_out) {
    return report(fmt::format("step, {} held out", what), fit.errors, held_out, rows, shares);
  };
  return {of("models", left.models), of("sizes", left.sizes), of("accelerators", left.accelerators),
          of("generations", left.generations), of("stacks", left.stacks)};
}

void publish_ranges(const StepFitResult& fit, StepCalibration& steps) {
  steps.most_accelerators = steps.longest_sequence = 1;
  steps.oldest_release = steps.newest_release = {};
  for (const StepRow& row : fit.rows) {
    steps.most_accelerators = std::max<double>(steps.most_accelerators, row.plan.accelerators());
    steps.longest_sequence = std::max<double>(steps.longest_sequence, row.scenario.job.sequence);
    const CalendarDate release = release_of(row.scenario.stack, row.scenario.job);
    if (!steps.oldest_release.known() || release < steps.oldest_release) steps.oldest_release = release;
    if (steps.newest_release < release) steps.newest_release = release;
  }
}

}  // namespace

StepFitResult fit_steps(const std::vector<Measurement>& measurements, ScenarioShelf& shelf) {
  start_from_priors(shelf);
  StepFitResult fit;
  fit.rows = step_rows(measurements, shelf);
  if (fit.rows.empty()) throw std::invalid_argument("no training step can be described");
  fit.slopes = step_slopes(fit.rows);
  StepProblem problem(fit.rows, fit.slopes, shelf.steps);
  fit.unknowns = problem.unknowns();
  solve(problem, shelf.steps, fit);
  fit.slopes = step_slopes(fit.rows);  // at the solution
  solve(problem, shelf.steps, fit);
  fit.errors = errors_of(fit.slopes);
  publish(problem, fit, shelf.steps);
  publish_residuals(fit, shelf.steps);
  return fit;
}

StepFitResult committed_steps(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf) {
  StepFitResult fit;
  fit.rows = step_rows(measurements, shelf);
  if (fit.rows.empty()) return fit;
  fit.slopes = step_shares(fit.rows);
  const StepProblem problem(fit.rows, fit.slopes, shelf.steps);
  fit.unknowns = problem.unknowns();
  fit.regression.values = problem.present();
  fit.errors = errors_of(fit.slopes);
  return fit;
}

std::vector<double> held_out_step_errors(const StepFitResult& fit, const std::vector<StepSlopes>& predicted,
                                         const StepCalibration& steps,
                                         const std::function<std::string(const StepRow&)>& group_of) {
  const StepProblem problem(fit.rows, fit.slopes, steps);
  const RegressionProblem all = problem.regression(predicted, {});
  const std::size_t unknowns = fit.unknowns.size();
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) groups[group_of(fit.rows[i])].push_back(i);
  std::vector<double> errors(fit.rows.size());
  for (const auto& [name, members] : groups) {
    std::vector<bool> keep(fit.rows.size(), true);
    for (const std::size_t i : members) keep[i] = false;
    RegressionResult others = regress(problem.regression(fit.slopes, keep));
    problem.pass_on(keep, others.values);
    for (const std::size_t i : members) {
      errors[i] = all.offsets[i];
      for (std::size_t k = 0; k < unknowns; ++k) errors[i] += all.slopes[i * unknowns + k] * others.values[k];
    }
  }
  return errors;
}

std::string model_of(const StepRow& row) {
  const Transformer& t = row.scenario.transformer;
  return fmt::format("{} {} {} {}", t.layers, t.hidden, t.heads, t.ffn);
}

void publish_residuals(const StepFitResult& fit, StepCalibration& steps) {
  const HeldOutSteps left = held_out(fit, steps);
  // Mixtures of experts err more than dense models, which should not pay for them.
  const double dense = width_where(fit, left.models, is_dense);
  const std::string source = "dense steps held out of the fit: ";
  const auto wider = [&](const std::vector<double>& errors, const char* what) {
    return sourced_value(beyond(width_where(fit, errors, is_dense), dense), 0, source + what + ", beyond models");
  };
  const auto width_by_knowledge = [&](bool known) {
    return width_where(fit, left.models, [known](const StepRow& row) { return is_dense(row) && row.known == known; });
  };
  StepResiduals& r = steps.residuals;
  r.known = sourced_value(width_by_knowledge(true), 0, source + "models, every job field published");
  r.unknown = sourced_value(width_by_knowledge(false), 0, source + "models, some job field assumed");
  r.experts = sourced_value(beyond(width_where(fit, left.models, std::not_fn(is_dense)), dense), 0,
                            "mixtures of experts held out of the fit: models, beyond dense ones");
  r.stack = wider(left.stacks, "stacks");
  r.accelerator = wider(left.accelerators, "accelerators");
  r.generation = wider(left.generations, "architectures");
  r.vendor = wider(left.vendors, "vendors");
  // The rows of other vendors are few, and their kernels are their own here.
  if (r.vendor.value < unmeasured_vendor)
    r.vendor =
        sourced_value(unmeasured_vendor, 0,
                      "prior: as if nothing of their vendor were measured, TPUs err by 7 %, MI250X by 32, MI300X "
                      "by 57 (docs/validation.md)");
  r.own = sourced_value(own_width(fit), 0, "steps against the median of their model, stack, accelerator and format");
  r.layout = sourced_value(layout_width(fit), 0, "pairs of steps of one job under different layouts, each job once");
  r.size = sourced_value(size_width(fit), 0, "pairs of steps of one job on different numbers of accelerators");
  r.doubling = sourced_value(0.005, 0.002, "prior: residuals of published weak-scaling series per doubling of size");
  publish_stacks(fit, left.models, steps);
  publish_ranges(fit, steps);
  steps.fits = reports(fit, left);
}

}  // namespace clusterwright
