// SPDX-License-Identifier: Apache-2.0
#include "models/settling/local_steps.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

template <class Quantity>
Quantity mean_of(Quantity local, Quantity last, int steps) {
  return local + (last - local) / static_cast<double>(steps);
}

void set_means(const StepTime& local, const StepTime& last, int steps, StepTime& out) {
  const std::int64_t longer = (last.end - local.end).count;
  out.end = local.end + Picoseconds{longer / steps};
  for (std::size_t i = 0; i < out.breakdown.size(); ++i)
    out.breakdown[i] = mean_of(local.breakdown[i], last.breakdown[i], steps);
  out.kinds = StepKinds{local.end, last.end};
}

}  // namespace

std::optional<Plan> local_plan(const Plan& plan) {
  if (plan.local_steps == 1 || !plan.synchronises) return {};
  Plan local = plan;
  local.synchronises = false;
  return local;
}

StepTime mean_step(const StepTime& local, const StepTime& last, int steps) {
  StepTime out = last;
  set_means(local, last, steps, out);
  return out;
}

StepSummary mean_step(const StepSummary& local, const StepSummary& last, int steps) {
  StepSummary out = last;
  set_means(local, last, steps, out);
  out.energy = mean_of(local.energy, last.energy, steps);
  out.mean_power = out.energy / to_seconds(out.end);
  out.peak_power = std::max(local.peak_power, last.peak_power);
  out.beyond_limit = local.beyond_limit || last.beyond_limit;
  out.wave = enclosing(local.wave, last.wave);
  return out;
}

}  // namespace clusterwright
