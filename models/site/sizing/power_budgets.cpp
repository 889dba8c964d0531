// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/power_budgets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/job/idle_power.hpp"
#include "models/prediction/way_on.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "models/site/sizing/stage_shares.hpp"
#include "models/site/wave/rank_groups.hpp"
#include "sim/diagnostic.hpp"
#include "sim/plain_number.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

void limit_accelerators(Cluster& cluster, Watts limit) {
  if (limit >= cluster.accelerator.power.value) return;
  cluster.accelerator.power_limit = limit;
  for (NodeGroup& group : cluster.groups) group.accelerator.power_limit = limit;
}

Watts lowest_limit(const Scenario& scenario) {
  const AcceleratorPart& part = scenario.cluster.accelerator;
  if (!part.has_known_clock()) return part.limit_or_rating();
  const Watts above_idle = 1.05 * idle_power(part, scenario.parameters.power);
  return std::min(part.limit_or_rating(), std::max(least_power_limit(part), above_idle));
}

namespace {

std::string kilowatts(Watts power) {
  return plain_number(power.in(kilowatt));
}

constexpr const char* grid_domain = "grid";  // its budget is for the design day
constexpr double enough = 1e-4;              // of a budget may stay unused
constexpr int most_rounds = 20;
constexpr int most_shifts = 6;  // of power between stages

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
    Trial equal = held();
    if (parts_.facility.power.capping == Capping::equal || equal.limit >= rating()) return done(std::move(equal), {});
    const Seconds time = equal.step.step.step_time;
    return done(shared_by_need(std::move(equal)), time);
  }

 private:
  Watts rating() const { return cooled_.cluster.accelerator.limit_or_rating(); }

  /// Limit at which every stage has its rating: one that reaches it early leaves the rest of the budget to the others.
  Watts no_limit() const { return shares_.empty() ? rating() : rating() / *std::ranges::min_element(shares_); }

  /// The highest limit that holds every budget, at the present shares of the stages.
  Trial held() {
    Trial high = tried(no_limit());
    if (high.used() <= 1) return high;
    Trial low = tried(lowest_limit(cooled_));
    if (low.used() > 1) refuse(low);
    return between(std::move(low), std::move(high));
  }

  /// Moves power from stages that wait to those that they wait for, as long as that shortens the step.
  Trial shared_by_need(Trial equal) {
    const Plan plan = equal.step.step.plan;
    if (plan.pipeline == 1) return equal;
    cooled_ = laid_out(cooled_, plan);
    const StageShares even(busy_by_stage(equal.step.scenario, plan));
    const Seconds time = equal.step.step.step_time;
    Trial best = towards_need(std::move(equal), even, plan);
    return best.step.step.step_time < time || even.even() ? best : against_need(std::move(best), even);
  }

  Trial towards_need(Trial best, StageShares shares, const Plan& plan) {
    for (int shift = 0; shift < most_shifts && !shares.even(); ++shift) {
      shares_ = shares.next();
      Trial next = held();
      shares.learn(busy_by_stage(next.step.scenario, plan));
      if (next.step.step.step_time < best.step.step.step_time) best = std::move(next);
    }
    return best;
  }

  /// Stages that wait run faster than they must, and idle for longer.
  Trial against_need(Trial best, const StageShares& even) {
    constexpr double finer = 1.08;  // ratio of the limits of two stages, from one trial to the next
    double ratio = finer;
    for (int shift = 0; shift < most_shifts; ++shift, ratio *= finer) {
      shares_ = even.reversed(ratio);
      Trial next = held();
      if (next.step.step.step_time >= best.step.step.step_time) break;
      best = std::move(next);
    }
    return best;
  }

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
      if (high.limit - low.limit < 0.002 * watt) break;
    }
    return low;
  }

  /// Limits at the present shares, those that the job states kept.
  std::vector<Watts> stage_limits(Watts highest) const {
    std::vector<Watts> out;
    for (const double share : shares_)
      out.push_back(std::min(rating(), std::max(lowest_limit(cooled_), share * highest)));
    const std::vector<Watts>& stated = cooled_.job.parallel.stage_power_limits;
    for (std::size_t stage = 0; stage < stated.size(); ++stage) out[stage] = std::min(out[stage], stated[stage]);
    return out;
  }

  Trial tried(Watts limit) {
    Trial out{limit, {cooled_, {}, facility_}, {}};
    limit_accelerators(out.step.scenario.cluster, std::min(limit, rating()));
    if (!shares_.empty()) out.step.scenario.job.parallel.stage_power_limits = stage_limits(limit);
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
    add(grid_domain, facility.power.grid_limit, plan.hot_mean->facility);
    if (all.empty()) return {"none", 1 * watt, Watts(), {}};
    return *std::ranges::max_element(all, {}, [](const PowerBudget& one) { return one.drawn / one.budget; });
  }

  /// @param equal  step with one limit for all, where stages were to have their own
  BudgetedStep done(Trial trial, std::optional<Seconds> equal) const {
    if (trial.tightest.domain == "none") return std::move(trial.step);
    PowerBudget& budget = trial.step.step.power.budget.emplace(trial.tightest);
    if (trial.limit < rating()) budget.limit = trial.limit;
    if (equal && *equal > trial.step.step.step_time)
      budget.stage_limits = trial.step.scenario.job.parallel.stage_power_limits;
    trial.step.step.warnings.push_back(sentence_on(budget, trial.step.step.step_time, equal));
    return std::move(trial.step);
  }

  static std::string sentence_on(const PowerBudget& budget, Seconds time, std::optional<Seconds> equal) {
    std::string out = fmt::format(
        "the budget of the {} is {} kW and {} kW are drawn in the mean of the step{}: capping ", budget.domain,
        kilowatts(budget.budget), kilowatts(budget.drawn), budget.domain == grid_domain ? " on the design day" : "");
    if (!budget.stage_limits.empty()) {
      std::vector<std::string> watts;
      for (const Watts limit : budget.stage_limits) watts.push_back(fmt::format("{:.0f}", limit.in(watt)));
      return out + fmt::format(
                       "holds the accelerators of the stages at {} W; one limit for all would make the step "
                       "{:.1f} % longer",
                       fmt::join(watts, ", "), 100 * (*equal / time - 1));
    }
    if (!budget.limit) return out + "changes nothing";
    out += fmt::format("holds each accelerator at {:.0f} W", budget.limit->in(watt));
    return equal ? out + "; limits by stage do not make the step shorter" : out;
  }

  [[noreturn]] void refuse(const Trial& low) const {
    const PowerBudget& budget = low.tightest;
    throw ConfigError(
        {Diagnostic{"E0368",
                    fmt::format("the budget of the {}, {} kW, does not feed its nodes: they draw {} kW with each "
                                "accelerator at its lowest limit of {:.0f} W{}",
                                budget.domain, kilowatts(budget.budget), kilowatts(budget.drawn), low.limit.in(watt),
                                cooled_.cluster.accelerator.has_known_clock() ? "" : ", as its clock is not known"),
                    {cooled_.source.at("cluster").place("/cluster")},
                    "",
                    "raise it, or place fewer nodes in the " + budget.domain}});
  }

  Scenario cooled_;
  const SiteParts& parts_;
  Facility facility_;
  std::vector<double> shares_;  // of the limit, by stage; empty: all have the whole one
};

}  // namespace

BudgetedStep predict_within_budgets(const Scenario& cooled, const SiteParts& parts, const GivenPlan* given) {
  if (parts.facility.power.capping == Capping::none)
    return {cooled, given ? predict_step(cooled, *given) : predict_step(cooled), parts.facility};
  return BudgetSearch(cooled, parts).find();
}

}  // namespace clusterwright
