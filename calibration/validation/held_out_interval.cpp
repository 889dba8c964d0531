// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/held_out_interval.hpp"

#include <tbb/parallel_for.h>

#include <set>

#include "calibration/fit/seen_steps.hpp"
#include "models/prediction/prediction_interval.hpp"

namespace clusterwright {

namespace {

/// What remains measured without a group.
struct Remaining {
  StepCalibration steps;
  std::set<std::string> entries;  ///< of stacks
};

/// Names of overhead factors without a step are blanked rather than removed, since the covariance is in their order.
void forget_architectures(StepCalibration& steps) {
  const std::string prefix = "kernel_tax/";
  for (std::string& name : steps.fitted)
    if (name.starts_with(prefix) && !steps.measured_steps.contains(name.substr(prefix.size()))) name.clear();
}

Remaining without_group(const std::string& group, const std::vector<StepRow>& rows, const StepGroups& groups,
                        StepCalibration steps) {
  Remaining out{std::move(steps), {}};
  const auto seen = [&](const StepRow& row) {
    const std::string other = groups.group_of(row);
    return other != group && groups.sees(other, group);
  };
  for (const StepRow& row : rows)
    if (seen(row)) out.entries.insert(row.entry);
  publish_seen(rows, seen, out.steps);
  forget_architectures(out.steps);
  return out;
}

Scenario told(const StepRow& row, const Remaining& remaining) {
  Scenario out = row.scenario;
  out.steps = remaining.steps;
  if (!remaining.entries.contains(row.entry)) out.stack.calibrated.clear();
  return out;
}

}  // namespace

std::vector<double> held_out_half_widths(const std::vector<StepRow>& rows, const std::vector<StepPrediction>& steps,
                                         const StepGroups& groups,
                                         const std::map<std::string, StepCalibration>& calibrations) {
  std::map<std::string, Remaining> remaining;
  for (const auto& [group, calibration] : calibrations)
    remaining.emplace(group, without_group(group, rows, groups, calibration));
  std::vector<double> widths(rows.size());
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
    const auto known = remaining.find(groups.group_of(rows[i]));
    const Scenario scenario = known == remaining.end() ? rows[i].scenario : told(rows[i], known->second);
    widths[i] = half_width_90 * step_uncertainty(steps[i], scenario, rows[i].known).sigma;
  });
  return widths;
}

}  // namespace clusterwright
