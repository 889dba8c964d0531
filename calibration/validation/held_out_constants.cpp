// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/held_out_constants.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "calibration/validation/error_figures.hpp"

namespace clusterwright {

namespace {

/// Model FLOP/s of a step and what it may be predicted from, logarithms.
struct RatedStep {
  std::string group, accelerator, precision, family;
  double rate = 0, peak = 0, weight = 1;
};

std::vector<RatedStep> rated_steps(const std::vector<StepRow>& rows, const std::vector<CaseResult>& results,
                                   const std::function<std::string(const StepRow&)>& group_of) {
  std::vector<RatedStep> out;
  for (const StepRow& row : rows) {
    const CaseResult& result = results[row.measurement];
    const FlopsPerSecond sheet = peak(row.scenario.cluster.accelerator, NumberFormat::bf16);
    out.push_back({group_of(row), result.accelerator, result.precision, result.family,
                   std::log(result.measured.front() * result.step->model_flops_per_token),
                   std::log(sheet / (1 * flop / second)), result.weight});
  }
  return out;
}

/// Median by `value` of the steps outside `group` for which `alike` holds, families weighted equally; not known without
/// any.
std::optional<double> median_of_others(const std::vector<RatedStep>& steps, const std::string& group, auto alike,
                                       auto value) {
  std::map<std::string, double> members;
  for (const RatedStep& one : steps)
    if (one.group != group && alike(one)) members[one.family] += one.weight;
  std::vector<Weighted> values;
  for (const RatedStep& one : steps)
    if (one.group != group && alike(one)) values.push_back({value(one), one.weight / members[one.family]});
  if (values.empty()) return {};
  return weighted_quantile(values, 0.5);
}

double rate_without_group(const std::vector<RatedStep>& steps, const RatedStep& step) {
  const auto same_precision = [&](const RatedStep& one) { return one.precision == step.precision; };
  const auto same_machine = [&](const RatedStep& one) {
    return one.accelerator == step.accelerator && same_precision(one);
  };
  const auto any = [](const RatedStep&) { return true; };
  const auto rate = [](const RatedStep& one) { return one.rate; };
  const auto share = [](const RatedStep& one) { return one.rate - one.peak; };
  if (const auto own = median_of_others(steps, step.group, same_machine, rate)) return *own;
  if (const auto others = median_of_others(steps, step.group, same_precision, share)) return *others + step.peak;
  return median_of_others(steps, step.group, any, share).value_or(0) + step.peak;
}

}  // namespace

std::vector<double> held_out_constants(const std::vector<StepRow>& rows, const std::vector<CaseResult>& results,
                                       const std::function<std::string(const StepRow&)>& group_of) {
  const std::vector<RatedStep> steps = rated_steps(rows, results, group_of);
  std::map<std::pair<std::string, std::string>, double> known;  // by group, accelerator and precision
  std::vector<double> errors;
  for (const RatedStep& step : steps) {
    const auto [found, added] = known.try_emplace({step.group, step.accelerator + " " + step.precision}, 0);
    if (added) found->second = rate_without_group(steps, step);
    errors.push_back(found->second - step.rate);
  }
  return errors;
}

}  // namespace clusterwright
