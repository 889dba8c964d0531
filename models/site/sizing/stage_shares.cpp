// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/stage_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/lowering/rank_classes.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/plan/placement.hpp"
#include "models/settling/step_what_ifs.hpp"

namespace clusterwright {

namespace {

constexpr double least_strength = 0.1, most_strength = 1.5;

Seconds busy_time(const ChargedTime& charged) {
  Seconds out;
  for (std::size_t charge = 0; charge < charged.size(); ++charge)
    if (kind_of(static_cast<StepCharge>(charge)) != ChargeKind::waiting &&
        static_cast<StepCharge>(charge) != StepCharge::pp_exposed)
      out += to_seconds(charged[charge]);
  return out;
}

/// Logarithms of ratios, less their mean.
template <class T>
std::vector<double> around_mean(const std::vector<T>& values, const std::vector<T>& before) {
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); ++i) out.push_back(std::log(values[i] / before[i]));
  const double mean = std::accumulate(out.begin(), out.end(), 0.0) / static_cast<double>(out.size());
  for (double& value : out) value -= mean;
  return out;
}

}  // namespace

std::vector<Seconds> busy_by_stage(const Scenario& scenario, const Plan& plan) {
  const Placement placement(plan, scenario.cluster.blocks);
  const RankClasses classes = rank_classes(scenario, placement, Folding::folded);
  const auto stages = static_cast<std::size_t>(plan.pipeline);
  std::vector<Seconds> busy(stages);
  std::vector<double> ranks(stages);
  read_whole_step(scenario, plan, [&](const StepView& step) {
    for (const RankClassId rank : step.structure.ranks.ids()) {
      const auto stage = static_cast<std::size_t>(classes.representative(rank).pipeline);
      const double count = step.structure.ranks[rank].multiplicity;
      busy[stage] += count * busy_time(step.breakdown.by_rank[rank]);
      ranks[stage] += count;
    }
  });
  for (std::size_t stage = 0; stage < stages; ++stage) busy[stage] = busy[stage] / ranks[stage];
  return busy;
}

StageShares::StageShares(std::vector<Seconds> busy)
    : shares_(busy.size(), 1.0), before_(shares_), busy_(std::move(busy)), strength_(most_strength) {}

bool StageShares::even() const {
  const auto [least, most] = std::ranges::minmax_element(busy_);
  return *most <= 1.005 * *least;
}

const std::vector<double>& StageShares::next() {
  before_ = shares_;
  const Seconds longest = *std::ranges::max_element(busy_);
  for (std::size_t stage = 0; stage < shares_.size(); ++stage)
    shares_[stage] *= std::pow(busy_[stage] / longest, strength_);
  const double most = *std::ranges::max_element(shares_);
  for (double& share : shares_) share /= most;
  return shares_;
}

std::vector<double> StageShares::reversed(double ratio) const {
  const auto [least, most] = std::ranges::minmax_element(busy_);
  const double strength = std::log(ratio) / std::log(*most / *least);
  std::vector<double> shares;
  for (const Seconds busy : busy_) shares.push_back(std::pow(*least / busy, strength));
  return shares;
}

void StageShares::learn(std::vector<Seconds> busy) {
  // Least squares of the change of times over that of limits, both against the mean of the stages.
  const std::vector<double> moved = around_mean(shares_, before_), lengthened = around_mean(busy, busy_);
  double both = 0, of_limits = 0;
  for (std::size_t stage = 0; stage < moved.size(); ++stage) {
    both -= moved[stage] * lengthened[stage];
    of_limits += moved[stage] * moved[stage];
  }
  if (both > 0) strength_ = std::clamp(of_limits / both, least_strength, most_strength);
  busy_ = std::move(busy);
}

}  // namespace clusterwright
