// SPDX-License-Identifier: Apache-2.0
/// Costs of layouts, with what layouts share kept.
#pragma once

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
  explicit LayoutCosts(const Scenario& scenario)
      : scenario_(scenario),
        prices_(scenario),
        exchanges_(scenario, prices_),
        power_(power_headroom(scenario, prices_)) {}

  const Scenario& scenario() const { return scenario_; }
  const PowerHeadroom& power() const { return power_; }
  ExchangeTimes& exchanges() { return exchanges_; }

  const StageTable& stages(const Plan& plan);
  const PassCosts& passes(const Plan& plan);
  ScheduleBook& schedules() { return schedules_; }
  std::vector<StageExchanges> exchanges(const PlannedJob& planned, const StageTable& stages);

  /// Bound on the step of one layout, at the clocks that power allows.
  double bound(const Layout& layout);
  /// Memory of the fullest rank of one layout.
  Bytes memory(const Layout& layout);

 private:
  PlannedJob planned(const Layout& layout, const Plan& plan, const StageTable& stages) const;

  const Scenario& scenario_;
  StepPrices prices_;
  ExchangeTimes exchanges_;
  PowerHeadroom power_;
  ScheduleBook schedules_;
  std::map<std::tuple<int, int, bool>, std::unique_ptr<StageTable>> stages_;
  using PassKey = std::tuple<int, int, int, int, int, Recompute, int>;
  std::map<PassKey, std::unique_ptr<PassCosts>> passes_;
};

}  // namespace clusterwright
