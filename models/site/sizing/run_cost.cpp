// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/run_cost.hpp"

namespace clusterwright {

RunCost run_cost(const TrainingRun& run, const CostReport& cost, int accelerators, const FacilityPower& mean) {
  RunCost out;
  out.paid = paid_time(run, cost.goodput);
  out.accelerator_hours = hours_of(accelerators, out.paid);
  out.it_energy = out.paid.times(mean.it);
  out.facility_energy = out.paid.times(mean.facility);
  out.total = out.accelerator_hours.times(cost.per_hour.total());
  out.capital = out.accelerator_hours.value * cost.per_hour.capital;
  out.operations = out.accelerator_hours.value * cost.per_hour.operations;
  out.energy = out.accelerator_hours.value * cost.per_hour.energy;
  out.cheapest = out.accelerator_hours.value * cost.low.per_hour.total();
  out.dearest = out.accelerator_hours.value * cost.high.per_hour.total();
  if (cost.carbon) {
    constexpr double grams_per_tonne = 1e6;
    const auto tonnes = [&](Joules energy) {
      return energy.in(kilowatt_hour)*cost.carbon->grams_per_kwh / grams_per_tonne;
    };
    const auto& [low, value, high] = out.facility_energy;
    out.carbon_tonnes = Interval<double>{tonnes(low), tonnes(value), tonnes(high)};
  }
  return out;
}

}  // namespace clusterwright
