// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/seen_steps.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "calibration/fit/sourced_value.hpp"

namespace clusterwright {

namespace {

void publish_accelerators(const std::vector<const StepRow*>& rows, StepCalibration& steps) {
  std::set<std::string> accelerators, vendors;
  steps.measured_steps.clear();
  for (const StepRow* row : rows) {
    const AcceleratorPart& part = row->scenario.cluster.accelerator;
    accelerators.insert(part.id);
    vendors.insert(part.vendor);
    for (const std::string& name : {part.id, row->architecture}) steps.measured_steps[name] += row->share;
  }
  for (auto& [name, count] : steps.measured_steps) count = rounded(count);
  steps.accelerators.assign(accelerators.begin(), accelerators.end());
  steps.vendors.assign(vendors.begin(), vendors.end());
}

void publish_ranges(const std::vector<const StepRow*>& rows, StepCalibration& steps) {
  steps.most_accelerators = steps.longest_sequence = 1;
  steps.oldest_release = steps.newest_release = {};
  for (const StepRow* row : rows) {
    steps.most_accelerators = std::max<double>(steps.most_accelerators, row->plan.accelerators());
    steps.longest_sequence = std::max<double>(steps.longest_sequence, row->scenario.job.sequence);
    const CalendarDate release = release_of(row->scenario.stack, row->scenario.job);
    if (!steps.oldest_release.known() || release < steps.oldest_release) steps.oldest_release = release;
    if (steps.newest_release < release) steps.newest_release = release;
  }
}

}  // namespace

void publish_seen(const std::vector<StepRow>& rows, const std::function<bool(const StepRow&)>& seen,
                  StepCalibration& steps) {
  std::vector<const StepRow*> chosen;
  for (const StepRow& row : rows)
    if (seen(row)) chosen.push_back(&row);
  publish_accelerators(chosen, steps);
  publish_ranges(chosen, steps);
}

}  // namespace clusterwright
