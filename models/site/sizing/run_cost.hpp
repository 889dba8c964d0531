// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/prediction/training_run.hpp"
#include "models/site/plant/facility_power.hpp"
#include "models/site/sizing/cost_report.hpp"
#include "sim/interval.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Cost of a whole training run on a sized cluster. Intervals are that of the step; prices and power count as known.
struct RunCost {
  Interval<Seconds> paid;              ///< time with the losses that `CostReport::goodput` states
  Interval<double> accelerator_hours;  ///< accelerators of the cluster times the paid time
  Interval<Joules> it_energy;          ///< energy of all machines: nodes, switches, storage, services
  Interval<Joules> facility_energy;    ///< energy from the grid
  Interval<Dollars> total;             ///< accelerator-hours at the price of one; sum of the next three
  Dollars capital, operations, energy;
  std::optional<Interval<double>> carbon_tonnes;  ///< for the energy from the grid; none where the list states none
  Dollars cheapest, dearest;  ///< with all prices at the low, and at the high end; the step as predicted
};

/// @param accelerators  those whose hours `cost` prices
/// @param mean          power in hours of use
RunCost run_cost(const TrainingRun& run, const CostReport& cost, int accelerators, const FacilityPower& mean);

}  // namespace clusterwright
