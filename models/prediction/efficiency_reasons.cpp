// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/efficiency_reasons.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>
#include <vector>

#include "models/lowering/step_charge.hpp"

namespace clusterwright {

namespace {

std::string recomputation_of(const Plan& plan) {
  constexpr std::array<const char*, 3> names = {"no recomputation", "selective recomputation", "full recomputation"};
  const std::string name = names[static_cast<std::size_t>(plan.recompute)];
  return plan.recomputed_layers ? fmt::format("{} of {} layers per stage", name, *plan.recomputed_layers) : name;
}

void add_numbers(const Plan& a, const Plan& b, std::vector<std::string>& out) {
  const std::array<std::pair<const char*, int Plan::*>, 7> fields = {{{"micro-batch", &Plan::micro_batch},
                                                                      {"tensor", &Plan::tensor},
                                                                      {"pipeline", &Plan::pipeline},
                                                                      {"virtual stages", &Plan::virtual_pipeline},
                                                                      {"context", &Plan::context},
                                                                      {"expert", &Plan::expert},
                                                                      {"expert_tensor", &Plan::expert_tensor}}};
  for (const auto& [name, field] : fields)
    if (a.*field != b.*field) out.push_back(fmt::format("{} {} there, {} here", name, a.*field, b.*field));
}

std::string largest_fall(const StepPrediction& first, const StepPrediction& step) {
  std::size_t most = 0;
  double fall = 0;
  const auto share = [](const StepPrediction& s, std::size_t i) { return s.breakdown[i] / s.step_time; };
  for (std::size_t i = 0; i < step_charge_count; ++i) {
    const double now = share(first, i) - share(step, i);
    if (now <= fall) continue;
    fall = now;
    most = i;
  }
  return fmt::format("{} {:.1f} % of the step there, {:.1f} % here", step_charge_names[most], 100 * share(first, most),
                     100 * share(step, most));
}

}  // namespace

std::string why_more_efficient(const StepPrediction& first, const StepPrediction& step) {
  std::vector<std::string> differences;
  const std::string there = recomputation_of(first.plan), here = recomputation_of(step.plan);
  if (there != here) differences.push_back(fmt::format("{} there, {} here", there, here));
  add_numbers(first.plan, step.plan, differences);
  if (differences.empty()) differences.push_back(largest_fall(first, step));
  return fmt::format("{}", fmt::join(differences, "; "));
}

void explain_efficiencies(ScaleCurve& curve) {
  const ScalePoint* first = nullptr;
  for (ScalePoint& point : curve.points) {
    if (!point.reason.empty() || !point.step.fits) continue;
    if (!first) first = &point;
    if (point.efficiency <= explained_above) continue;
    point.step.warnings.push_back(fmt::format("efficiency is above 100 % because it compares with {} accelerators: {}",
                                              first->step.accelerators, why_more_efficient(first->step, point.step)));
  }
}

}  // namespace clusterwright
