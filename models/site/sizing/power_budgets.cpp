// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/power_budgets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/job/idle_power.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "models/site/wave/rank_groups.hpp"
#include "sim/diagnostic.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

void limit_accelerators(Cluster& cluster, Watts limit) {
  if (limit >= cluster.accelerator.power.value) return;
  cluster.accelerator.power_limit = limit;
  for (NodeGroup& group : cluster.groups) group.accelerator.power_limit = limit;
}

namespace {

constexpr double enough = 2e-3;  // of a budget may stay unused
constexpr int most_rounds = 20;

/// Mean power of one rank of each class over the step, with its share of the host.
std::vector<Watts> rank_means(const Scenario& scenario, const Plan& plan) {
  std::vector<Watts> out;
  read_whole_step(scenario, plan, [&](const StepView& step) {
    const RankEnergy energy = meter_ranks(step.structure, step.timing, step.result, step.result.end);
    for (const std::vector<double>& joules : energy.joules)
      out.push_back(joules.back() * joule / to_seconds(step.result.end));
  });
  return out;
}

/// Power of the fullest of several groups of nodes.
Watts fullest(const std::vector<RankGroup>& groups, const std::vector<Watts>& means) {
  Watts most;
  for (const RankGroup& group : groups) {
    Watts sum;
    for (std::size_t i = 0; i < means.size(); ++i) sum += group.ranks[i] * means[i];
    most = std::max(most, sum);
  }
  return most;
}

int nodes_of_fullest_row(const FloorPlan& floor) {
  std::map<int, int> rows;
  for (const PlacedRack& rack : floor.racks) rows[rack.row] += rack.nodes;
  int most = 1;
  for (const auto& [row, nodes] : rows) most = std::max(most, nodes);
  return most;
}

/// A limit of accelerators that was tried.
struct Trial {
  Watts limit;
  BudgetedStep step;
  PowerBudget tightest;
  double used() const { return tightest.drawn / tightest.budget; }
};

class BudgetSearch {
 public:
  BudgetSearch(const Scenario& cooled, const SiteParts& parts)
      : cooled_(cooled), parts_(parts), facility_(parts.facility) {}

  BudgetedStep find() {
    const AcceleratorPart& part = cooled_.cluster.accelerator;
    const Watts rating = part.power_limit.value_or(part.power.value);
    Trial high = tried(rating);
    if (high.used() <= 1) return done(std::move(high), false);
    const Watts idle = idle_power(part, cooled_.parameters.power);
    const Watts lowest = std::max(least_power_limit(part), 1.05 * idle);
    Trial low = tried(std::min(lowest, rating));
    if (low.used() > 1) refuse(low);
    return done(between(std::move(low), std::move(high)), true);
  }

 private:
  /// Narrows the limits down to where the tightest budget is just held: regula falsi, halved where it stays on one
  /// side.
  Trial between(Trial low, Trial high) {
    double low_excess = low.used() - 1, high_excess = high.used() - 1;
    for (int round = 0; round < most_rounds && low.used() < 1 - enough; ++round) {
      const double part = std::clamp(-low_excess / (high_excess - low_excess), 0.02, 0.98);
      Trial next = tried(low.limit + part * (high.limit - low.limit));
      if (next.used() <= 1) {
        low = std::move(next);
        low_excess = low.used() - 1;
        high_excess *= 0.5;
      } else {
        high = std::move(next);
        high_excess = high.used() - 1;
        low_excess *= 0.5;
      }
      if (high.limit - low.limit < 0.05 * watt) break;
    }
    return low;
  }

  Trial tried(Watts limit) {
    Trial out{limit, {cooled_, {}, facility_}, {}};
    limit_accelerators(out.step.scenario.cluster, limit);
    out.step.step = predict_step(out.step.scenario);
    out.tightest = tightest(out.step);
    out.step.facility = facility_;
    return out;
  }

  PowerBudget tightest(const BudgetedStep& step) {
    const SiteParts parts{step.scenario.cluster, parts_.catalog, facility_};
    const NodePower node = replayed_node_power(parts, step.step);
    const SitePlan plan = plan_job_site(parts, node, &step.scenario, &step.step).plan;
    if (!facility_.rack.nodes) facility_.rack.nodes = plan.floor.nodes_per_rack;  // the first trial is without a limit
    std::vector<PowerBudget> all;
    const auto add = [&](const char* domain, const std::optional<Watts>& budget, Watts drawn) {
      if (budget) all.push_back({domain, *budget, drawn, {}});
    };
    const Facility& facility = facility_;
    if (facility.rack.power_limit || facility.hall.row_power_limit) {
      const std::vector<Watts> means = rank_means(step.scenario, step.step.plan);
      const auto drawn = [&](int nodes) {
        return fullest(rank_groups(step.scenario, step.step.plan, nodes).racks, means);
      };
      add("rack", facility.rack.power_limit, drawn(plan.floor.nodes_per_rack));
      add("row", facility.hall.row_power_limit, drawn(nodes_of_fullest_row(plan.floor)));
    }
    add("hall", facility.hall.power_limit, plan.mean.it);
    add("grid", facility.power.grid_limit, plan.hot_mean->facility);
    if (all.empty()) return {"none", 1 * watt, Watts(), {}};
    return *std::ranges::max_element(all, {}, [](const PowerBudget& one) { return one.drawn / one.budget; });
  }

  static BudgetedStep done(Trial trial, bool binds) {
    if (trial.tightest.domain == "none") return std::move(trial.step);
    PowerBudget& budget = trial.step.step.power.budget.emplace(trial.tightest);
    const std::string held = fmt::format("the budget of the {} is {:.4g} kW and {:.4g} kW are drawn in the mean",
                                         budget.domain, budget.budget.in(kilowatt), budget.drawn.in(kilowatt));
    if (binds) budget.limit = trial.limit;
    trial.step.step.warnings.push_back(
        binds ? fmt::format("{}: capping holds each accelerator at {:.0f} W", held, trial.limit.in(watt))
              : held + ": capping changes nothing");
    return std::move(trial.step);
  }

  [[noreturn]] void refuse(const Trial& low) const {
    const PowerBudget& budget = low.tightest;
    throw ConfigError({Diagnostic{
        "E0368",
        fmt::format("the budget of the {}, {:.4g} kW, does not feed its nodes: they draw {:.4g} kW with each "
                    "accelerator at its lowest limit of {:.0f} W",
                    budget.domain, budget.budget.in(kilowatt), budget.drawn.in(kilowatt), low.limit.in(watt)),
        {cooled_.source.at("cluster").place("/cluster")},
        "",
        "raise it, or place fewer nodes in the " + budget.domain}});
  }

  const Scenario& cooled_;
  const SiteParts& parts_;
  Facility facility_;
};

}  // namespace

BudgetedStep predict_within_budgets(const Scenario& cooled, const SiteParts& parts, const GivenPlan* given) {
  if (parts.facility.power.capping == Capping::none)
    return {cooled, given ? predict_step(cooled, *given) : predict_step(cooled), parts.facility};
  return BudgetSearch(cooled, parts).find();
}

}  // namespace clusterwright
