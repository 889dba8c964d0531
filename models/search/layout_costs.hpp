// SPDX-License-Identifier: Apache-2.0
/// Costs of layouts, with what layouts share kept.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "models/search/exchange_costs.hpp"
#include "models/search/layout.hpp"
#include "models/search/layout_memory.hpp"
#include "models/search/pass_costs.hpp"
#include "models/search/stage_table.hpp"
#include "models/search/step_bound.hpp"

namespace clusterwright {

/// Costs under one scenario, whose cluster and job stay.
class LayoutCosts {
 public:
  /// @param scenario  must outlive it
  /// @param splits    whether schedules with backward passes in two parts are asked for
  explicit LayoutCosts(const Scenario& scenario, bool splits = true)
      : scenario_(scenario),
        splits_(splits),
        prices_(scenario),
        exchanges_(scenario, prices_),
        power_(power_headroom(scenario, prices_)),
        idle_watts_(idle_watts(scenario, prices_)) {}

  const Scenario& scenario() const { return scenario_; }
  const PowerHeadroom& power() const { return power_; }
  ExchangeTimes& exchanges() { return exchanges_; }
  /// Rows of layers that were lowered and replayed so far.
  std::int64_t rows() const { return static_cast<std::int64_t>(passes_.size()); }

  const StageTable& stages(const Plan& plan);
  const PassCosts& passes(const Plan& plan);
  ScheduleBook& schedules() { return schedules_; }
  std::vector<StageExchanges> exchanges(const PlannedJob& planned, const StageTable& stages);
  /// Share by which the slowest replica of the plan computes longer than the mean one.
  double slowest_replica(const Plan& plan);

  /// Bound on the step of one layout, at the clocks that power allows.
  double bound(const Layout& layout);
  /// Energy in joules that a step cannot go below. @param seconds  that it takes at least
  double least_energy(const StepBound& bound, const Plan& plan, double seconds) const {
    constexpr double tolerance = 1e-3;  // clocks settle to a few parts in ten thousand
    return (1 - tolerance) * (idle_watts_ * seconds + plan.stage_ranks() * bound.least_energy(power_.voltage));
  }
  /// Memory of the fullest rank of one layout.
  Bytes memory(const Layout& layout);

 private:
  PlannedJob planned(const Layout& layout, const Plan& plan, const StageTable& stages) const;
  static double idle_watts(const Scenario& scenario, const StepPrices& prices);

  const Scenario& scenario_;
  bool splits_;
  StepPrices prices_;
  ExchangeTimes exchanges_;
  PowerHeadroom power_;
  double idle_watts_;  // of all accelerators and what stands beside them
  ScheduleBook schedules_;
  std::map<int, double> slowest_;  // by number of replicas
  std::map<std::tuple<int, int, bool>, std::unique_ptr<StageTable>> stages_;
  using PassKey = std::tuple<int, int, int, int, int, Recompute, int>;
  std::map<PassKey, std::unique_ptr<PassCosts>> passes_;
};

}  // namespace clusterwright
