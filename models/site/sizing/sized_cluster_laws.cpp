// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/sized_cluster_laws.hpp"

#include "sim/law_check.hpp"

namespace clusterwright {

namespace {

void check_counts(const SitePlan& plan, LawCheck& laws) {
  laws.positive("accelerators", plan.accelerators);
  laws.positive("nodes", plan.nodes);
  laws.not_negative("spare nodes", plan.spare_nodes);
  laws.not_negative("mass", plan.mass.base());
  for (const SwitchTotal& total : plan.switches) laws.not_negative("switches", static_cast<double>(total.count));
  for (const PowerStageLoad& stage : plan.power_stages) {
    laws.not_negative("modules of a power stage", static_cast<double>(stage.modules));
    laws.ordered("efficiency of a power stage", 0, stage.efficiency, 1);
  }
}

/// From the machines to the grid.
void check_facility(const FacilityPower& power, LawCheck& laws) {
  laws.positive("IT power", power.it.in(watt));
  laws.at_most("power of the nodes", power.nodes.in(watt), "IT power", power.it.in(watt));
  for (const Watts part : {power.losses, power.cooling, power.other})
    laws.not_negative("power beside IT", part.in(watt));
  laws.equal("sum of IT, losses, cooling and other", (power.it + power.losses + power.cooling + power.other).in(watt),
             "facility power", power.facility.in(watt));
  laws.equal("PUE times IT power", power.pue * power.it.in(watt), "facility power", power.facility.in(watt));
}

void check_swing(const SitePlan& plan, LawCheck& laws) {
  if (!plan.node.swing) return;
  const auto [peak, crest, trough] = *plan.node.swing;
  laws.ordered("mean of a node", trough.in(watt), plan.node.mean.in(watt), crest.in(watt));
  laws.at_most("crest of a node", crest.in(watt), "its peak", peak.in(watt));
  check_facility(*plan.peak, laws);
  check_facility(*plan.crest, laws);
  laws.ordered("crest of IT power", plan.mean.it.in(watt), plan.crest->it.in(watt), plan.peak->it.in(watt));
}

void check_power(const SitePlan& plan, LawCheck& laws) {
  laws.at_most("mean of the accelerators of a node", plan.node.accelerators_mean.in(watt), "mean of the node",
               plan.node.mean.in(watt));
  check_facility(plan.rated, laws);
  check_facility(plan.mean, laws);
  check_swing(plan, laws);
  if (!plan.holds()) return;
  for (const PowerStageLoad& stage : plan.power_stages)
    laws.at_most("output of " + stage.part, stage.output.in(watt), "power from the grid on the design day",
                 plan.rated.facility.in(watt));
  laws.at_most("mean IT power", plan.mean.it.in(watt), "rated IT power", plan.rated.it.in(watt));
}

double sum_of(const std::vector<CostShare>& shares) {
  Dollars sum;
  for (const CostShare& share : shares) sum += share.amount;
  return sum.base();
}

void check_cost(const CostReport& cost, LawCheck& laws) {
  for (const PricedItem& item : cost.items) {
    laws.not_negative("count of " + item.item.part, static_cast<double>(item.item.count));
    laws.not_negative("price of " + item.item.part, item.total().base());
  }
  laws.equal("sum of purchases", sum_of(cost.capex), "their total", cost.capex_total.base());
  laws.equal("sum of purchases at low prices", sum_of(cost.low.capex), "their total", cost.low.capex_total.base());
  laws.equal("sum of purchases at high prices", sum_of(cost.high.capex), "their total", cost.high.capex_total.base());
  laws.ordered("cost to buy", cost.low.capex_total.base(), cost.capex_total.base(), cost.high.capex_total.base());
  laws.ordered("cost of a year", cost.low.opex_total.base(), cost.opex_total.base(), cost.high.opex_total.base());
  laws.ordered("cost of an accelerator-hour", cost.low.per_hour.total().base(), cost.per_hour.total().base(),
               cost.high.per_hour.total().base());
  laws.ordered("share without a range", 0, cost.without_range, 1);
  laws.equal("sum of yearly costs", sum_of(cost.opex), "their total", cost.opex_total.base());
  laws.not_negative("cost of an accelerator-hour", cost.per_hour.total().base());
  laws.ordered("share of energy", 0, cost.energy_share, 1);
  laws.ordered("utilisation", 0, cost.utilisation, 1);
  laws.ordered("goodput", 0, cost.goodput, 1);
}

/// The run costs its hours and its tokens, by either price.
void check_run(const SizedCluster& sized, LawCheck& laws) {
  const RunCost& run = *sized.run;
  const TrainingRun& training = *sized.step->training;
  const double hours = run.paid.value.in(hour), dollars = run.total.value.in(dollar);
  laws.ordered("paid time", run.paid.low.in(hour), hours, run.paid.high.in(hour));
  laws.at_most("time of the run", training.time.value.in(hour), "paid time", hours);
  laws.equal("paid time times goodput", hours * sized.cost.goodput, "time in steps",
             (training.time.value - training.checkpoints).in(hour));
  laws.equal("paid accelerator-hours", run.accelerator_hours.value, "accelerators times paid hours",
             sized.plan.accelerators * hours);
  laws.equal("energy of the run in kWh", run.it_energy.value.in(kilowatt_hour), "mean IT power times paid hours",
             sized.plan.mean.it.in(kilowatt)*hours);
  laws.at_most("energy of the machines", run.it_energy.value.base(), "energy from the grid",
               run.facility_energy.value.base());
  laws.ordered("cost of the run", run.total.low.in(dollar), dollars, run.total.high.in(dollar));
  laws.ordered("cost of the run over the range of prices", run.cheapest.in(dollar), dollars, run.dearest.in(dollar));
  laws.equal("capital, operations and energy", (run.capital + run.operations + run.energy).in(dollar),
             "cost of the run", dollars);
  if (sized.cost.usd_per_million_tokens)
    laws.equal("tokens times their price", training.tokens * 1e-6 * *sized.cost.usd_per_million_tokens,
               "cost of the run", dollars);
}

}  // namespace

void check_laws(const SizedCluster& sized) {
  LawCheck laws("plan of " + sized.name);
  check_counts(sized.plan, laws);
  check_power(sized.plan, laws);
  check_cost(sized.cost, laws);
  if (sized.run && sized.step && sized.step->training) check_run(sized, laws);
  laws.finish();
}

}  // namespace clusterwright
