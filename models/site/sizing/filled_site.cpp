// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/filled_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "models/job/job_blocks.hpp"
#include "models/plan/mixed_nodes.hpp"
#include "models/prediction/predict_scale.hpp"
#include "models/prediction/prediction.hpp"
#include "models/search/best_plan.hpp"
#include "sim/diagnostic.hpp"
#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

constexpr int most_tries = 32;
constexpr int most_accelerators = 1 << 20;

class Filler {
 public:
  Filler(const Scenario& scenario, Watts grid, const SizeJob& size) : scenario_(scenario), grid_(grid), size_(size) {}

  /// The largest size that the grid feeds and that can be built, of whole steps. Sizes by the power of others come
  /// first; where power comes in whole racks they miss, and halving closes the gap.
  SizedCluster largest() {
    const SizedCluster own = size_(scenario_);
    step_ = step_of_size(own.step->plan, scenario_.cluster);
    int next = estimate(own);
    for (int tries = 0; tries < most_tries && lowest_ + 1 < unfed_; ++tries) {
      const int gap = unfed_ - lowest_;
      const bool bounded = unfed_ < most_accelerators;
      next = try_size(std::clamp(next, lowest_ + 1, unfed_ - 1));
      if (bounded && 2 * (unfed_ - lowest_) > gap) next = lowest_ + (unfed_ - lowest_) / 2;
    }
    if (!best_) refuse(own);
    if (!too_many_.empty())
      best_->step->warnings.push_back("the power feeds more accelerators, which cannot be joined: " + too_many_);
    return *std::move(best_);
  }

 private:
  Scenario sized_at(int steps) const { return scenario_at_size(scenario_, steps * step_, false); }

  /// Narrows the gap by one size. @return the size that its power lets expect, in steps
  int try_size(int steps) {
    try {
      SizedCluster sized = size_(sized_at(steps));
      const int further = estimate(sized);
      if (sized.plan.rated.facility > grid_) {
        unfed_ = steps;
        too_many_.clear();
      } else {
        lowest_ = steps;
        best_ = std::move(sized);
      }
      return further;
    } catch (const ConfigError& error) {  // a fabric that cannot join so many
      if (steps == 1) throw;
      unfed_ = steps;
      too_many_ = error.diagnostics().front().message;
      return lowest_ + (unfed_ - lowest_) / 2;
    }
  }

  /// Steps that the grid would feed if power grew with the size.
  int estimate(const SizedCluster& sized) const {
    const double count = sized.plan.accelerators * (grid_ / sized.plan.rated.facility) / step_;
    return static_cast<int>(std::min(std::floor(count), 1.0 * most_accelerators / step_));
  }

  [[noreturn]] void refuse(const SizedCluster& own) const {
    throw ConfigError(
        {"E0359",
         fmt::format("{} MW feed no replica of the job, which takes {} accelerators{}",
                     plain_number(grid_.in(megawatt)), step_, scenario_.transformer.experts ? " with its experts" : ""),
         {},
         fmt::format("{} take {} MW on the design day", own.plan.accelerators,
                     plain_number(own.plan.rated.facility.in(megawatt))),
         "give more power, or a layout with fewer accelerators to a replica"});
  }

  const Scenario& scenario_;
  Watts grid_;
  const SizeJob& size_;
  int step_ = 1;
  int lowest_ = 0, unfed_ = most_accelerators;  // in steps: fed, and not fed
  std::optional<SizedCluster> best_;
  std::string too_many_;  ///< why the lowest size that is not fed cannot be built; empty: for want of power
};

}  // namespace

int step_of_size(const Plan& plan, const Cluster& cluster) {
  const int replica = plan.tensor * plan.context, experts = plan.expert * plan.expert_tensor;
  return std::lcm(plan.pipeline * std::lcm(replica, experts), cluster.node_accelerators);
}

SizedCluster fill_site(const Scenario& scenario, Watts grid, bool replan, const SizeJob& size) {
  refuse_several_kinds(scenario, "a site of one power");
  SizedCluster filled = Filler(scenario, grid, size).largest();
  if (!replan) return filled;
  Scenario open = scenario_at_size(scenario, filled.step->accelerators, false);
  open.job = with_open_layout(open.job);
  return size(open);
}

}  // namespace clusterwright
