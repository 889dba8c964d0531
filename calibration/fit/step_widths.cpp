// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/step_widths.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "calibration/fit/ratio_widths.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "calibration/fit/width.hpp"
#include "models/prediction/parameter_error.hpp"
#include "models/prediction/prediction_interval.hpp"

namespace clusterwright {

namespace {

std::string entry_of(const StepRow& row) {
  return row.entry;
}

std::string architecture_of(const StepRow& row) {
  return row.architecture;
}

std::string accelerator_of(const StepRow& row) {
  return row.scenario.cluster.accelerator.id;
}

std::string vendor_of(const StepRow& row) {
  return row.scenario.cluster.accelerator.vendor;
}

/// Every row, held out in its group, and its weight among errors of this class: 0 where the group held all or nearly
/// all rows of something wider, as its error is one of the wider class.
struct HeldOutClass : HeldOutSteps {
  std::vector<double> weights;
};

struct HeldOutGroups {
  HeldOutClass models, accelerators, generations, vendors, stacks;
  HeldOutSteps sizes;
};

/// @param kernels  variances by the parameters of kernels, which join those of the fitted factors
HeldOutGroups held_out(const StepFitResult& fit, const std::vector<double>& kernels, const StepCalibration& steps) {
  const auto by = [&](const RowName& group, const std::vector<WiderClass>& wider) {
    HeldOutClass out{hold_out_steps(fit, fit.slopes, steps, {group}), class_weights(fit.rows, group, wider)};
    for (std::size_t i = 0; i < kernels.size(); ++i) out.variances[i] += kernels[i];
    return out;
  };
  const auto size_of_row = [](const StepRow& row) { return std::to_string(row.plan.accelerators()); };
  const WiderClass stack{entry_of}, architecture{architecture_of, mixed_in_steps}, vendor{vendor_of};
  return {by(model_of, {stack, architecture}), by(accelerator_of, {architecture}),
          by(architecture_of, {vendor}),       by(vendor_of, {}),
          by(entry_of, {architecture}),        hold_out_steps(fit, fit.slopes, steps, {size_of_row})};
}

/// Width of held-out errors beyond their known variances, over some rows.
double width_where(const StepFitResult& fit, const HeldOutClass& left,
                   const std::function<bool(const StepRow&)>& chosen) {
  std::vector<double> errors, variances, weights;
  for (std::size_t i = 0; i < left.errors.size(); ++i) {
    if (!chosen(fit.rows[i])) continue;
    errors.push_back(left.errors[i]);
    variances.push_back(left.variances[i]);
    weights.push_back(left.weights[i]);
  }
  return width_beyond(errors, variances, weights);
}

bool is_dense(const StepRow& row) {
  return !row.scenario.transformer.experts;
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
  return error_width(own, weights);
}

/// Width of so many steps of one stack, and of eight of all stacks, so that few steps do not look sure.
Sourced<double> mixed_residual(double own, double steps, double all, const std::string& from) {
  return sourced_value(std::sqrt((steps * own * own + mixed_in_steps * all * all) / (steps + mixed_in_steps)), 0,
                       from + ", mixed with 8 of all stacks");
}

/// Residual of each stack for jobs whose fields are all known; errors of other jobs are narrowed by the ratio of the
/// two widths.
void publish_stacks(const StepFitResult& fit, const HeldOutClass& left, StepCalibration& steps) {
  const double all = steps.residuals.known.value;
  const double narrowed = std::min(1.0, all / steps.residuals.unknown.value);
  for (auto& [name, entry] : steps.stacks) {
    std::vector<double> errors, variances, weights;
    double rows = 0;
    for (std::size_t i = 0; i < left.errors.size(); ++i) {
      if (fit.rows[i].entry != name || !is_dense(fit.rows[i]) || left.weights[i] == 0) continue;
      rows += fit.rows[i].share;
      errors.push_back(left.errors[i] * (fit.rows[i].known ? 1 : narrowed));
      variances.push_back(left.variances[i]);
      weights.push_back(left.weights[i]);
    }
    entry.residual = mixed_residual(width_beyond(errors, variances, weights), rows, all,
                                    fmt::format("{} steps, models held out", errors.size()));
  }
}

/// Residual of the entry "other": what dense steps miss that took it, beyond the spread of the fitted factors. At least
/// what steps of measured stacks miss if their stack is held out, as few frameworks are among those without an entry.
void publish_other(std::vector<StepRow> rows, StepCalibration& steps) {
  std::erase_if(rows, [](const StepRow& row) { return !is_dense(row); });
  const auto other = steps.stacks.find(other_entry);
  if (rows.empty() || other == steps.stacks.end()) return;
  for (StepRow& row : rows) row.scenario.steps = steps;
  const std::vector<StepSlopes> shares = step_shares(rows);
  std::vector<double> errors, known, weights;
  double count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const StepUncertainty u = step_uncertainty(predicted_step(rows[i]), rows[i].scenario, rows[i].known);
    errors.push_back(shares[i].error);
    known.push_back(u.sigma * u.sigma - u.own * u.own - u.shared * u.shared);
    weights.push_back(rows[i].weight);
    count += rows[i].share;
  }
  Sourced<double>& residual = other->second.residual;
  residual = mixed_residual(width_beyond(errors, known, weights), count, steps.residuals.known.value,
                            fmt::format("{} steps of stacks without an entry, which no fit sees", rows.size()));
  const double held_out = std::hypot(steps.residuals.known.value, steps.residuals.stack.value);
  if (residual.value < held_out) residual = sourced_value(held_out, 0, "measured stacks held out of the fit");
}

std::vector<FitReport> reports(const StepFitResult& fit, const HeldOutGroups& left) {
  const std::string rows = fmt::format("{} published training steps", fit.rows.size());
  std::vector<double> shares;
  for (const StepRow& row : fit.rows) shares.push_back(row.share);
  const auto of = [&](const char* what, const HeldOutSteps& held) {
    return report(fmt::format("step, {} held out", what), fit.errors, held.errors, rows, shares);
  };
  return {of("models", left.models), of("sizes", left.sizes), of("accelerators", left.accelerators),
          of("generations", left.generations), of("stacks", left.stacks)};
}

/// Adds the residual of each row's stack to what is known; that of all stacks if `of_all`.
HeldOutClass with_residuals(HeldOutClass left, const StepFitResult& fit, const StepCalibration& steps,
                            bool of_all = false) {
  const StepResiduals& r = steps.residuals;
  const double assumed = r.known.value > 0 ? std::max(1.0, r.unknown.value / r.known.value) : 1;
  for (std::size_t i = 0; i < left.variances.size(); ++i) {
    const auto entry = steps.stacks.find(fit.rows[i].entry);
    const double own = of_all || entry == steps.stacks.end() ? 0 : entry->second.residual.value;
    const double residual = (own > 0 ? own : r.known.value) * (fit.rows[i].known ? 1 : assumed);
    left.variances[i] += residual * residual;
  }
  return left;
}

/// How far predictions of dense steps move when their group is held out, as a standard deviation.
double shift_width(const StepFitResult& fit, const HeldOutClass& left) {
  std::vector<double> shifts, weights;
  for (std::size_t i = 0; i < left.errors.size(); ++i) {
    if (!is_dense(fit.rows[i])) continue;
    shifts.push_back(left.errors[i] - fit.errors[i]);
    weights.push_back(left.weights[i]);
  }
  return error_width(shifts, weights);
}

/// Residuals of classes that a fit holds no steps of, beyond that of models. At least as wide as the predictions move
/// without the class: what is measured of it must say something.
void publish_wider(const StepFitResult& fit, const HeldOutGroups& left, StepCalibration& steps) {
  StepResiduals& r = steps.residuals;
  const auto wider = [&](const HeldOutClass& held, const char* what, bool of_all = false) {
    const double missing = width_where(fit, with_residuals(held, fit, steps, of_all), is_dense);
    return sourced_value(std::max(missing, shift_width(fit, held)), 0,
                         fmt::format("dense steps held out of the fit: {}, beyond models", what));
  };
  r.experts = sourced_value(width_where(fit, with_residuals(left.models, fit, steps), std::not_fn(is_dense)), 0,
                            "mixtures of experts held out of the fit: models, beyond dense ones");
  r.stack = wider(left.stacks, "stacks", true);
  r.accelerator = wider(left.accelerators, "accelerators");
  r.generation = wider(left.generations, "architectures");  // with all their accelerators
  r.generation.value = std::max(r.generation.value, r.accelerator.value);
  r.vendor = wider(left.vendors, "vendors");
  // The rows of other vendors are few, and their kernels are their own here.
  if (r.vendor.value < unmeasured_vendor)
    r.vendor =
        sourced_value(unmeasured_vendor, 0,
                      "prior: as if nothing of their vendor were measured, TPUs err by 7 %, MI250X by 32, MI300X "
                      "by 57 (docs/validation.md)");
}

/// Variance of a step by the standard errors of the parameters of its kernels.
double kernel_variance(const StepRow& row) {
  double sum = 0;
  for (const auto& [name, error] : parameter_errors(row.scenario, predicted_step(row))) sum += error * error;
  return sum;
}

}  // namespace

std::vector<double> class_weights(const std::vector<StepRow>& rows, const RowName& group,
                                  const std::vector<WiderClass>& wider) {
  std::vector<double> weights;
  for (const StepRow& row : rows) weights.push_back(row.weight);
  for (const auto& [name, least] : wider) {
    std::map<std::string, double> all;
    std::map<std::pair<std::string, std::string>, double> in_group;
    for (const StepRow& row : rows) {
      all[name(row)] += row.share;
      in_group[{name(row), group(row)}] += row.share;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string of = name(rows[i]);
      if (all[of] - in_group[{of, group(rows[i])}] < std::max(least, 1e-9)) weights[i] = 0;
    }
  }
  return weights;
}

std::vector<double> kernel_variances(const std::vector<StepRow>& rows) {
  std::vector<double> out(rows.size());
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) { out[i] = kernel_variance(rows[i]); });
  return out;
}

void publish_residuals(const StepFitResult& fit, const std::vector<double>& kernels,
                       const std::vector<StepRow>& never_fitted, StepCalibration& steps) {
  const HeldOutGroups left = held_out(fit, kernels, steps);
  StepResiduals& r = steps.residuals;
  const std::string source = "dense steps held out of the fit: ";
  const auto of_models = [&](bool all_known, const char* what) {
    const auto chosen = [&](const StepRow& row) { return is_dense(row) && row.known == all_known; };
    return sourced_value(width_where(fit, left.models, chosen), 0, source + "models, " + what);
  };
  r.known = of_models(true, "every job field published");
  r.unknown = of_models(false, "some job field assumed");
  publish_stacks(fit, left.models, steps);
  publish_wider(fit, left, steps);
  r.own = sourced_value(own_width(fit), 0, "steps against the median of their model, stack, accelerator and format");
  publish_ratios(fit, steps);
  r.doubling = sourced_value(0.005, 0.002, "prior: residuals of published weak-scaling series per doubling of size");
  publish_other(never_fitted, steps);
  steps.fits = reports(fit, left);
}

}  // namespace clusterwright
