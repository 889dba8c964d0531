#include "calibration/fit/step_residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "calibration/fit/sourced_value.hpp"
#include "models/prediction/prediction_interval.hpp"

namespace clusterwright {

namespace {

/// Share of a normal distribution within 1.645 standard deviations: intervals are made to hold so many.
constexpr double held = 0.90;
constexpr double deviations_held = 1.645;

/// Errors of every row, left out in each of these ways.
struct LeftOutSteps {
  std::vector<double> models, sizes, accelerators, generations, stacks;
};

LeftOutSteps left_out(const StepFitResult& fit, const StepCalibration& steps) {
  const auto by = [&](const std::function<std::string(const StepRow&)>& group) {
    return left_out_step_errors(fit, fit.slopes, steps, group);
  };
  return {by(model_of), by([](const StepRow& row) { return std::to_string(row.plan.accelerators()); }),
          by([](const StepRow& row) { return row.scenario.cluster.accelerator.id; }),
          by([](const StepRow& row) { return row.architecture; }), by([](const StepRow& row) { return row.entry; })};
}

/// The standard deviation whose 90 % interval holds 90 % of the errors, by weight.
double width_of(const std::vector<double>& errors, const std::vector<double>& weights) {
  std::vector<double> distances;
  for (const double error : errors) distances.push_back(std::abs(error));
  return weighted_quantile(distances, weights, held) / deviations_held;
}

double width_where(const StepFitResult& fit, const std::vector<double>& errors, bool known) {
  std::vector<double> some, weights;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (fit.rows[i].known != known) continue;
    some.push_back(errors[i]);
    weights.push_back(fit.rows[i].weight);
  }
  return width_of(some, weights);
}

/// What `wide` has beyond `narrow`, in squares.
double beyond(double wide, double narrow) {
  return std::sqrt(std::max(0.0, wide * wide - narrow * narrow));
}

/// What is left of errors when the median of rows of one model, stack, accelerator and format is taken away.
/// @return their width by weight
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

/// Of two steps of one job on different numbers of accelerators, how far the ratio is off: width of one step's part.
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

/// By stack, of jobs that are known: errors of others are narrowed by what not knowing costs. As many rows of all
/// stacks are mixed in as keep a stack of few rows from looking sure.
void publish_stacks(const StepFitResult& fit, const std::vector<double>& left_out, StepCalibration& steps) {
  constexpr double mixed_in = 8;
  const double all = steps.residuals.known.value;
  const double narrowed = std::min(1.0, all / steps.residuals.unknown.value);
  for (auto& [name, entry] : steps.stacks) {
    std::vector<double> errors, weights;
    for (std::size_t i = 0; i < left_out.size(); ++i) {
      if (fit.rows[i].entry != name) continue;
      errors.push_back(left_out[i] * (fit.rows[i].known ? 1 : narrowed));
      weights.push_back(fit.rows[i].weight);
    }
    const auto rows = static_cast<double>(errors.size());
    const double own = width_of(errors, weights);
    entry.residual = sourced(std::sqrt((rows * own * own + mixed_in * all * all) / (rows + mixed_in)), 0,
                             fmt::format("{} steps, models left out, mixed with 8 of all stacks", errors.size()));
  }
}

std::vector<FitReport> reports(const StepFitResult& fit, const LeftOutSteps& left) {
  const std::string rows = fmt::format("{} published training steps", fit.rows.size());
  return {report("step, models left out", fit.errors, left.models, rows),
          report("step, sizes left out", fit.errors, left.sizes, rows),
          report("step, accelerators left out", fit.errors, left.accelerators, rows),
          report("step, generations left out", fit.errors, left.generations, rows),
          report("step, stacks left out", fit.errors, left.stacks, rows)};
}

void publish_ranges(const StepFitResult& fit, StepCalibration& steps) {
  steps.most_accelerators = steps.longest_sequence = 1;
  for (const StepRow& row : fit.rows) {
    steps.most_accelerators = std::max<double>(steps.most_accelerators, row.plan.accelerators());
    steps.longest_sequence = std::max<double>(steps.longest_sequence, row.scenario.job.sequence);
  }
}

}  // namespace

void publish_residuals(const StepFitResult& fit, StepCalibration& steps) {
  const LeftOutSteps left = left_out(fit, steps);
  std::vector<double> weights;
  for (const StepRow& row : fit.rows) weights.push_back(row.weight);
  const double all = width_of(left.models, weights);
  const std::string source = "steps left out of the fit: ";
  const auto wider = [&](const std::vector<double>& errors, const char* what) {
    return sourced(beyond(width_of(errors, weights), all), 0, source + what + ", beyond models");
  };
  StepResiduals& r = steps.residuals;
  r.known = sourced(width_where(fit, left.models, true), 0, source + "models, every job field published");
  r.unknown = sourced(width_where(fit, left.models, false), 0, source + "models, some job field assumed");
  r.stack = wider(left.stacks, "stacks");
  r.accelerator = wider(left.accelerators, "accelerators");
  r.generation = wider(left.generations, "architectures");
  r.own = sourced(own_width(fit), 0, "steps against the median of their model, stack, accelerator and format");
  r.size = sourced(size_width(fit), 0, "pairs of steps of one job on different numbers of accelerators");
  r.doubling = sourced(0.005, 0.002, "prior: residuals of published weak-scaling series per doubling of size");
  publish_stacks(fit, left.models, steps);
  publish_ranges(fit, steps);
  steps.fits = reports(fit, left);
}

}  // namespace clusterwright
