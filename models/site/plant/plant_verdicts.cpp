// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/plant_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/site/plant/devices.hpp"
#include "models/site/plant/site_plan.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "sim/plain_number.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

std::string kw(Watts power) {
  return plain_number(power.in(kilowatt)) + " kW";
}

class PlantJudge {
 public:
  explicit PlantJudge(const JudgedPlant& judged)
      : plan_(judged.plan),
        facility_(judged.facility),
        catalog_(judged.catalog),
        cooling_(judged.cooling),
        block_(judged.block) {}

  void judge_plant(const FacilityPower& mean, const FacilityPower& hottest) {
    if (plan_.cooling.liquid > Watts{} && facility_.cooling.coolant_unit.empty())
      plan_.warnings.push_back("facility.cooling names no coolant unit, so the plan buys none for the liquid");
    for (const PlantUnits& plant : plan_.cooling.plants)
      if (!plant.each) plan_.uncounted.push_back(fmt::format("{} ({})", plant.what, plant.part));
    judge_cooling(cooling_, plan_.verdicts);
    judge_pumps();
    judge_grid();
    judge_pue("power_usage_effectiveness", facility_.power_usage_effectiveness, mean);
    judge_pue("design_power_usage_effectiveness", facility_.design_power_usage_effectiveness, hottest);
  }

  void judge_machines() {
    const RackLimit& tightest = plan_.floor.limits.front();
    if (tightest.nodes >= block_.nodes)
      plan_.verdicts.push_back({fmt::format("nodes per rack, limited by {}", tightest.name()), true,
                                fmt::format("{} nodes: {}", plan_.floor.nodes_per_rack, tightest.arithmetic),
                                "facility.rack"});
    judge_node();
    judge_stated_nodes();
    judge_node_cooling();
    if (facility_.hall.power_limit && capped())
      plan_.verdicts.push_back({"mean power of the hall",
                                plan_.mean.it <= *facility_.hall.power_limit * (1 + site_rounding),
                                fmt::format("{} in the mean, which capping holds; {} allowed", kw(plan_.mean.it),
                                            kw(*facility_.hall.power_limit)),
                                "facility.hall.power_limit_kw"});
    else if (facility_.hall.power_limit)
      plan_.verdicts.push_back(
          {"power of the hall", plan_.rated.it <= *facility_.hall.power_limit * (1 + site_rounding),
           fmt::format("{} rated; {} allowed", kw(plan_.rated.it), kw(*facility_.hall.power_limit)),
           "facility.hall.power_limit_kw"});
  }

 private:
  /// Whether limits of domains act on the mean of the job.
  bool capped() const { return facility_.power.capping != Capping::none && plan_.node.swing; }

  /// Verdict on pumps: a die under a cold plate overheats within seconds after they stop, before a generator runs.
  void judge_pumps() {
    if (plan_.cooling.liquid == Watts{}) return;
    bool machines = false, pumps = false;
    for (const PowerStageSpec& stage : facility_.power.stages) {
      if (find_part(catalog_.power_stages, stage.part)->kind != PowerStageKind::ups) continue;
      machines = true;
      pumps = pumps || stage.carries != StageLoad::machines;
    }
    if (machines)
      plan_.verdicts.push_back({"coolant pumps during a grid failure", pumps,
                                pumps ? "the UPS feeds pumps and machines"
                                      : "the UPS feeds machines but not pumps: dies overheat within seconds",
                                "facility.power.stages.carries", true});
  }

  /// Verdict on what the utility grants: the design day with everything at its nameplate must fit.
  void judge_grid() {
    if (!facility_.power.grid_limit) return;
    const Watts granted = *facility_.power.grid_limit;
    if (capped()) {
      plan_.verdicts.push_back(
          {"mean power from the grid", plan_.hot_mean->facility <= granted * (1 + site_rounding),
           fmt::format("{} in the mean of a step on the design day, which capping holds; {} granted",
                       kw(plan_.hot_mean->facility), kw(granted)),
           "facility.power.grid_limit_kw"});
      return;
    }
    std::string drawn = fmt::format("{} with everything at its nameplate on the design day", kw(plan_.rated.facility));
    if (plan_.crest) drawn += fmt::format(", {} at the crest of the step", kw(plan_.crest->facility));
    drawn += fmt::format(", {} in the mean of a year; {} granted", kw(plan_.mean.facility), kw(granted));
    if (plan_.mean.facility > granted) drawn += ", which is less than the mean";
    plan_.verdicts.push_back({"power from the grid", plan_.rated.facility <= granted * (1 + site_rounding), drawn,
                              "facility.power.grid_limit_kw"});
  }

  /// Verdict on a stated PUE, which must leave room for the losses of the chain.
  void judge_pue(const char* field, std::optional<double> stated, const FacilityPower& modelled) {
    if (!stated) return;
    const double losses = 1 + (modelled.losses + modelled.other) / modelled.it;
    plan_.verdicts.push_back(
        {field == std::string_view("power_usage_effectiveness") ? "stated power usage effectiveness"
                                                                : "stated power usage effectiveness of the design day",
         *stated >= losses * (1 - site_rounding),
         fmt::format("{} stated; losses, lights and offices alone give {:.3f}; modelled, with cooling, {:.3f}",
                     plain_number(*stated), losses, modelled.pue),
         fmt::format("facility.{}", field)});
  }

  /// Verdict on what racks, feeds and cooling are planned for: the job must not draw more. Circuits see
  /// the crest; instants above it come from the capacitors of power supplies.
  void judge_node() {
    const NodePower& node = plan_.node;
    const Watts most = node.swing ? std::max(node.mean, node.swing->crest) : node.mean;
    const std::string crest = node.swing ? fmt::format(", {} at the crest of the step", kw(node.swing->crest)) : "";
    const bool limited = node.rated < node.nameplate;
    const std::string limits = limited ? fmt::format("{} with its power limits, ", kw(node.rated)) : "";
    plan_.verdicts.push_back(
        {"power of a node",
         node.mean <= node.rated * (1 + site_rounding) && most <= node.nameplate * (1 + site_rounding),
         fmt::format("{} mean{}; {}{} on the nameplate", kw(node.mean), crest, limits, kw(node.nameplate)),
         "cluster.node.host_power_w"});
    if (limited && node.swing) judge_crest_of_rack(node);
  }

  /// Verdict on what limits do not bound: they hold a mean of tens of milliseconds, and breakers see the crest.
  void judge_crest_of_rack(const NodePower& node) {
    const RackFeeds& feeds = plan_.feeds;
    const Watts crest = plan_.floor.nodes_per_rack * node.swing->crest;
    const Watts breakers = feeds.needed * feeds.usable / facility_.power.continuous_share;
    plan_.verdicts.push_back(
        {"crest of a rack above its power limits", crest <= breakers * (1 + site_rounding),
         fmt::format("{} nodes x {} at the crest of the step; {} breakers without a spare hold {}",
                     plan_.floor.nodes_per_rack, kw(node.swing->crest), feeds.needed, kw(breakers)),
         "cluster.node.accelerator_power_limit_w, or facility.power.circuit"});
  }

  /// Verdict on nodes per rack that the facility states, where another limit allows fewer.
  void judge_stated_nodes() {
    const RackLimit& tightest = plan_.floor.limits.front();
    const auto& stated = facility_.rack.nodes;
    if (!stated || tightest.nodes >= *stated) return;
    plan_.verdicts.push_back(
        {"stated nodes per rack", false,
         fmt::format("{} stated; {} allows {} ({})", *stated, tightest.name(), tightest.nodes, tightest.arithmetic),
         "facility.rack.nodes, or the limit", true});
  }

  void judge_node_cooling() {
    const NodePart& node = block_.machine ? *block_.machine : *block_.node;
    for (SiteVerdict& verdict : node_cooling_verdicts(node, cooling_, catalog_))
      plan_.verdicts.push_back(std::move(verdict));
  }

  SitePlan& plan_;
  const Facility& facility_;
  const Catalog& catalog_;
  const CoolingParts& cooling_;
  const ComputeBlock& block_;
};

}  // namespace

std::vector<SiteVerdict> node_cooling_verdicts(const NodePart& node, const CoolingParts& cooling,
                                               const Catalog& catalog) {
  std::vector<SiteVerdict> out;
  const RackCoolingPart& racks = *cooling.racks;
  const auto judge = [&](const char* what, bool holds, std::string why, const char* field) {
    out.push_back({what, holds, std::move(why), field, true});
  };
  if (node.needs_liquid && node.needs_liquid->value)
    judge("liquid for the nodes", racks.liquid_share.value > 0,
          fmt::format("{} needs liquid cooling; the racks have {}", node.id, racks.id), "facility.cooling.racks");
  if (node.only_air && node.only_air->value && racks.inside_servers)
    judge("air for the nodes", false, air_only_words(node, racks, catalog), "facility.cooling.racks, or node.part");
  if (node.most_inlet_c && cooling.air_supply_c > node.most_inlet_c->value)
    judge("air at the inlets of the nodes", false,
          fmt::format("{} takes in air of at most {} C; the hall supplies {} C", node.id,
                      plain_number(node.most_inlet_c->value), plain_number(cooling.air_supply_c)),
          "facility.cooling.supply_c");
  return out;
}

void judge_paths(SitePlan& plan, const Facility& facility, Watts rack) {
  const PowerChainSpec& power = facility.power;
  if (power.stages.empty() || power.feeds == Redundancy::n) return;
  const PowerStageSpec& above = power.stages.back();
  if (above.redundancy != Redundancy::two_n && above.redundancy != Redundancy::catcher) return;
  const int paths = above.redundancy == Redundancy::two_n ? 2 : above.group;
  const int left = plan.feeds.feeds - (plan.feeds.feeds + paths - 1) / paths;
  plan.verdicts.push_back(
      {"loss of a path to a rack", left * plan.feeds.usable >= rack * (1 - site_rounding),
       fmt::format("{} circuits on {} paths: the {} that remain after a loss carry {} kW; the rack needs {} kW",
                   plan.feeds.feeds, paths, left, plain_number((left * plan.feeds.usable).in(kilowatt)),
                   plain_number(rack.in(kilowatt))),
       "facility.power.feeds, or redundancy of the last of facility.power.stages"});
}

void judge_plant(const JudgedPlant& judged, const FacilityPower& mean, const FacilityPower& hottest) {
  PlantJudge(judged).judge_plant(mean, hottest);
}

void judge_machines(const JudgedPlant& judged) {
  PlantJudge(judged).judge_machines();
}

}  // namespace clusterwright
