// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/site_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "models/site/plant/bill_of_materials.hpp"
#include "models/site/plant/cable_plan.hpp"
#include "models/site/plant/cable_router.hpp"
#include "models/site/plant/facility_power.hpp"
#include "models/site/plant/power_chain.hpp"
#include "models/site/plant/scale_up_check.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "sim/plain_number.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

namespace {

std::string kw(Watts power) {
  return plain_number(power.in(kilowatt)) + " kW";
}

class SitePlanner {
 public:
  explicit SitePlanner(const SiteRequest& request)
      : request_(request),
        facility_(request.facility),
        catalog_(request.catalog),
        frame_(*find_part(request.catalog.racks, request.facility.rack.frame)),
        cooling_(cooling_parts(request.facility.cooling, request.catalog)),
        block_(compute_block(request.cluster, request.catalog, *cooling_.racks, plan_.warnings)) {
    plan_.nodes = request.cluster.nodes();
    plan_.accelerators = request.cluster.nodes() * request.cluster.node_accelerators;
    plan_.node = request.node;
    plan_.node.rated = block_.device.rated / block_.nodes;
    plan_.node_part = block_.node->id;
    plan_.spare_nodes = static_cast<int>(std::ceil(facility_.services.spare_node_share * plan_.nodes - site_rounding));
  }

  SitePlan plan() {
    lay_out();
    draw_cables();
    feed();
    cool_and_power();
    judge();
    plan_.bill = make_bill({plan_, block_, catalog_, facility_.services, managers(), servers(), appliances()});
    for (const PlacedRack& rack : plan_.floor.racks) plan_.mass += rack.mass;
    if (cooling_.coolant_unit)
      plan_.mass += cooling_.coolant_unit->mass.value * static_cast<double>(plan_.cooling.coolant_units);
    std::stable_partition(plan_.verdicts.begin(), plan_.verdicts.end(),
                          [](const SiteVerdict& verdict) { return !verdict.holds; });
    return std::move(plan_);
  }

 private:
  int managers() const {
    const bool managed = !networks_.empty() && networks_[0].role == NetworkRole::training &&
                         request_.cluster.spec.fabric.transport == Transport::infiniband;
    return managed ? facility_.services.fabric_managers : 0;
  }
  int servers() const {
    const double more = facility_.services.servers_per_1000_nodes * plan_.nodes / 1000;
    return facility_.services.servers + static_cast<int>(std::ceil(more - site_rounding));
  }
  int appliances() const { return facility_.services.storage ? request_.appliances : 0; }

  // --- Racks and networks -------------------------------------------------------------------------------------------

  RackBounds bounds() const {
    RackBounds out{&frame_,         cooling_.racks, facility_.rack,
                   facility_.power, nullptr,        facility_.hall.floor_load_kg_per_m2};
    out.circuit = find_part(catalog_.power_stages, facility_.power.circuit);
    if (const int units = in_rack_units(cooling_, facility_.cooling.redundancy); units > 0)
      out.hold(*cooling_.coolant_unit, units);
    return out;
  }

  void build_networks(int nodes_per_rack) {
    networks_ = training_network(request_.cluster, catalog_, plan_.warnings);
    unit_nodes_ = nodes_per_unit(networks_, plan_.nodes, block_.nodes, facility_.rack.unit_racks * nodes_per_rack);
    const StoragePart* storage =
        facility_.services.storage ? find_part(catalog_.storage_systems, facility_.services.storage->part) : nullptr;
    const ServiceCounts services{servers() + managers(), appliances(), storage ? storage->ports : 0};
    for (const SideNetworkSpec& spec : facility_.services.networks)
      networks_.push_back(side_network(spec, plan_.nodes, unit_nodes_, services, catalog_));
  }

  int power_strips(int nodes_per_rack) const {
    const PowerPart& circuit = *find_part(catalog_.power_stages, facility_.power.circuit);
    const Watts rack = block_.device.rated * (nodes_per_rack / block_.nodes);
    return facility_.rack.power_strips.value_or(size_feeds(rack, circuit, facility_.power).feeds);
  }

  std::vector<Device> server_devices(int count, const char* what) const {
    const ServerPart* part = find_part(catalog_.servers, facility_.services.server);
    if (!part || count == 0) return {};
    return std::vector<Device>(static_cast<std::size_t>(count),
                               {what, part->id, part->rack_units.value, part->mass.value, part->power.value, 0, 0});
  }

  std::vector<Device> appliance_devices() const {
    if (appliances() == 0) return {};
    const StoragePart& part = *find_part(catalog_.storage_systems, facility_.services.storage->part);
    return std::vector<Device>(
        static_cast<std::size_t>(appliances()),
        {"storage appliance", part.id, part.rack_units.value, part.mass.value, part.power.value, 0, 0});
  }

  void lay_out() {
    const RackBounds within = bounds();
    const int per_rack = choose_nodes_per_rack(block_, compute_rack_limits(block_, within));
    build_networks(per_rack);
    management_ = catalog_.find_switch(facility_.services.management_switch);
    layout_ = lay_out_racks({block_, within, plan_.nodes, unit_nodes_, networks_, management_, facility_.services,
                             server_devices(managers(), "fabric manager"), server_devices(servers(), "service node"),
                             appliance_devices(), power_strips(per_rack)});
    plan_.verdicts = layout_.verdicts;
    plan_.floor = place_racks(layout_, facility_.hall, frame_, plan_.verdicts);
    plan_.floor.nodes_per_unit = unit_nodes_;
    warn_of_common_row();
    plan_.scale_up = check_scale_up(request_.cluster, catalog_, block_, frame_, per_rack, plan_.verdicts);
  }

  /// Remark on a top tier whose switches all hang on the busways of one row, as fire, leaks and work on it reach them
  /// all.
  void warn_of_common_row() {
    if (networks_.empty() || networks_[0].role != NetworkRole::training || plan_.floor.rows < 2) return;
    const SiteNetwork& training = networks_[0];
    const SwitchTier& top = training.graph.tiers().back();
    if (!training.tier_parts.back() || top.count < 2 || training.graph.tiers().size() < 2) return;
    std::set<int> rows;
    std::set<std::string> racks;
    for (const VertexId vertex : top.switches()) {
      const PlacedRack& rack = plan_.floor.racks[layout_.switches[0][training.graph.switch_number(vertex)].rack];
      rows.insert(rack.row);
      racks.insert(rack.name);
    }
    if (rows.size() > 1) return;
    plan_.warnings.push_back(
        fmt::format("all {} {} switches of the training network hang on the busways of row {}, in {}: whatever stops "
                    "that row stops "
                    "the network",
                    top.count, top.name, *rows.begin() + 1,
                    racks.size() == 1 ? "rack " + *racks.begin() : fmt::format("{} racks", racks.size())));
  }

  int node_ports_per_cage() const {
    const auto& cages = block_.node->nic_cages;
    return cages ? std::max(1, request_.cluster.nics / cages->value) : 1;
  }

  /// Fabric managers and service nodes share the ports that the networks have for servers, managers first.
  void draw_cables() {
    RackLayout with_ports = layout_;
    with_ports.servers = layout_.managers;
    with_ports.servers.insert(with_ports.servers.end(), layout_.servers.begin(), layout_.servers.end());
    const CableRouter router(layout_.racks, facility_.hall, frame_);
    CablePlan cables = plan_cables({with_ports, router, networks_, catalog_, management_, facility_.services,
                                    node_ports_per_cage(), request_.keep_runs});
    plan_.switches = std::move(cables.switches);
    plan_.cables = std::move(cables.cables);
    plan_.transceivers = std::move(cables.transceivers);
    plan_.device_kinds = layout_.device_kinds;
    plan_.devices = layout_.devices;
    plan_.runs = std::move(cables.runs);
    plan_.pieces = std::move(cables.pieces);
    plan_.uncounted = std::move(cables.uncounted);
    plan_.warnings.insert(plan_.warnings.end(), cables.warnings.begin(), cables.warnings.end());
    plan_.verdicts.insert(plan_.verdicts.end(), cables.verdicts.begin(), cables.verdicts.end());
  }

  // --- Power and cooling --------------------------------------------------------------------------------------------

  void feed() {
    const PowerPart& circuit = *find_part(catalog_.power_stages, facility_.power.circuit);
    const PlacedRack* fullest = nullptr;
    feeds_.rows.resize(static_cast<std::size_t>(plan_.floor.rows));
    for (const PlacedRack& rack : plan_.floor.racks) {
      feeds_.circuits += size_feeds(rack.rated, circuit, facility_.power).feeds;
      feeds_.rows[static_cast<std::size_t>(rack.row)] += rack.rated;
      if (!fullest || rack.rated > fullest->rated) fullest = &rack;
    }
    plan_.feeds = size_feeds(fullest->rated, circuit, facility_.power);
    plan_.verdicts.push_back(
        {"feeds of a rack", plan_.feeds.feeds <= facility_.power.most_feeds,
         fmt::format("{} kW needs {} of {} circuits with {} kW usable power each; a rack takes at most {} circuits",
                     plain_number(fullest->rated.in(kilowatt)), plan_.feeds.needed, plan_.feeds.feeds,
                     plain_number(plan_.feeds.usable.in(kilowatt)), facility_.power.most_feeds),
         "facility.power.most_feeds or facility.power.circuit"});
    judge_paths(fullest->rated);
  }

  /// Verdict on the loss of one independent path above the circuits of a rack, and with it of all its circuits.
  void judge_paths(Watts rack) {
    const PowerChainSpec& power = facility_.power;
    if (power.stages.empty() || power.feeds == Redundancy::n) return;
    const PowerStageSpec& above = power.stages.back();
    if (above.redundancy != Redundancy::two_n && above.redundancy != Redundancy::catcher) return;
    const int paths = above.redundancy == Redundancy::two_n ? 2 : above.group;
    const int left = plan_.feeds.feeds - (plan_.feeds.feeds + paths - 1) / paths;
    plan_.verdicts.push_back(
        {"loss of a path to a rack", left * plan_.feeds.usable >= rack * (1 - site_rounding),
         fmt::format("{} circuits on {} paths: the {} that remain after a loss carry {} kW; the rack needs {} kW",
                     plan_.feeds.feeds, paths, left, plain_number((left * plan_.feeds.usable).in(kilowatt)),
                     plain_number(rack.in(kilowatt))),
         "facility.power.feeds, or redundancy of the last of facility.power.stages"});
  }

  /// @param rated  switches at their nameplate; else with the modules that they have
  MachinePower machines(Watts node, Watts accelerators, bool rated) const {
    MachinePower out;
    out.liquid_share = block_.device.liquid_share;
    out.nodes = plan_.nodes;
    out.node = node;
    out.accelerators = accelerators;
    for (const SwitchTotal& total : plan_.switches) {
      const Watts power = (rated ? total.rated_each : total.expected_each) * static_cast<double>(total.count);
      if (out.switches.empty() || out.switches.back().name != total.network)
        out.switches.push_back({total.network, {}, {}});
      out.switches.back().power += power;
    }
    for (const Device& device : appliance_devices()) out.storage += device.rated;
    for (const Device& device : server_devices(managers() + servers(), "server")) out.services += device.rated;
    return out;
  }

  void cool_and_power() {
    const NodePower& node = plan_.node;
    const MachinePower rated = machines(node.rated, node.accelerators_rated, true);
    const StatedPue stated{facility_.power_usage_effectiveness, facility_.design_power_usage_effectiveness};
    const DesignedChain designed = design_chain(facility_.power, catalog_, rated, cooling_, feeds_, stated);
    const PowerChain& chain = designed.chain;
    const OperatingPoint hottest = operate(rated, chain, cooling_, Weather::design_day, designed.pue);
    const MachinePower usual = machines(node.mean, node.accelerators_mean, false);
    const OperatingPoint mean = operate(usual, chain, cooling_, Weather::whole_year, stated.year);
    plan_.rated = hottest.power;
    plan_.mean = mean.power;
    if (node.swing) {
      const auto at = [&](Watts power) {
        return operate(machines(power, {}, false), chain, cooling_, Weather::design_day, designed.pue).power;
      };
      plan_.peak = at(node.swing->peak);
      plan_.crest = at(node.swing->crest);
    }
    plan_.power_stages = chain.rated_loads();
    for (PowerStageLoad& stage : plan_.power_stages)
      if (stage.kind == PowerStageKind::circuit) show_fullest_rack(stage);
    chain.judge(plan_.verdicts);
    const Watts rack_air = (1 - block_.device.liquid_share) * node.rated * plan_.floor.nodes_per_rack;
    plan_.cooling = size_cooling(facility_.cooling, cooling_, hottest.cooling, mean.cooling, rack_air,
                                 plan_.floor.count(RackRole::compute));
    judge_plant(operate(usual, chain, cooling_, Weather::whole_year, std::nullopt).power,
                operate(rated, chain, cooling_, Weather::design_day, std::nullopt).power);
  }

  /// @param mean, hottest  modelled power, without stated PUEs
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

  void show_fullest_rack(PowerStageLoad& circuits) const {
    circuits.load_after_loss = plan_.feeds.after_loss / plan_.feeds.usable;
    circuits.load = plan_.feeds.each / plan_.feeds.usable;
  }

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
                                "facility.power.stages.carries"});
  }

  /// Verdict on what the utility grants: the design day with everything at its nameplate must fit.
  void judge_grid() {
    if (!facility_.power.grid_limit) return;
    const Watts granted = *facility_.power.grid_limit;
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

  /// Verdict on the nameplate, for which racks, feeds and cooling are planned: the job must not draw more. Circuits see
  /// the crest; instants above it come from the capacitors of power supplies.
  void judge_node() {
    const NodePower& node = plan_.node;
    const Watts most = node.swing ? std::max(node.mean, node.swing->crest) : node.mean;
    const std::string crest = node.swing ? fmt::format(", {} at the crest of the step", kw(node.swing->crest)) : "";
    plan_.verdicts.push_back({"power of a node", most <= node.rated * (1 + site_rounding),
                              fmt::format("{} mean{}; {} on the nameplate", kw(node.mean), crest, kw(node.rated)),
                              "cluster.node.host_power_w"});
  }

  /// Verdict on nodes per rack that the facility states, where another limit allows fewer.
  void judge_stated_nodes() {
    const RackLimit& tightest = plan_.floor.limits.front();
    const auto& stated = facility_.rack.nodes;
    if (!stated || tightest.nodes >= *stated) return;
    plan_.verdicts.push_back(
        {"stated nodes per rack", false,
         fmt::format("{} stated; {} allows {} ({})", *stated, tightest.name(), tightest.nodes, tightest.arithmetic),
         "facility.rack.nodes, or the limit"});
  }

  /// Verdicts on whether the cooling of the racks suits the nodes.
  void judge_node_cooling() {
    const NodePart& node = block_.machine ? *block_.machine : *block_.node;
    const RackCoolingPart& racks = *cooling_.racks;
    const auto judge = [&](const char* what, bool holds, std::string why, const char* field) {
      plan_.verdicts.push_back({what, holds, std::move(why), field});
    };
    if (node.needs_liquid && node.needs_liquid->value)
      judge("liquid for the nodes", racks.liquid_share.value > 0,
            fmt::format("{} needs liquid cooling; the racks have {}", node.id, racks.id), "facility.cooling.racks");
    if (node.only_air && node.only_air->value && racks.inside_servers)
      judge("air for the nodes", false, air_only_words(node, racks, catalog_), "facility.cooling.racks, or node.part");
    if (node.most_inlet_c && cooling_.air_supply_c > node.most_inlet_c->value)
      judge("air at the inlets of the nodes", false,
            fmt::format("{} takes in air of at most {} C; the hall supplies {} C", node.id,
                        plain_number(node.most_inlet_c->value), plain_number(cooling_.air_supply_c)),
            "facility.cooling.supply_c");
  }

  void judge() {
    const RackLimit& tightest = plan_.floor.limits.front();
    if (tightest.nodes >= block_.nodes)
      plan_.verdicts.push_back({fmt::format("nodes per rack, limited by {}", tightest.name()), true,
                                fmt::format("{} nodes: {}", plan_.floor.nodes_per_rack, tightest.arithmetic),
                                "facility.rack"});
    judge_node();
    judge_stated_nodes();
    judge_node_cooling();
    if (facility_.hall.power_limit)
      plan_.verdicts.push_back(
          {"power of the hall", plan_.rated.it <= *facility_.hall.power_limit * (1 + site_rounding),
           fmt::format("{} rated; {} allowed", kw(plan_.rated.it), kw(*facility_.hall.power_limit)),
           "facility.hall.power_limit_kw"});
  }

  const SiteRequest& request_;
  const Facility& facility_;
  const Catalog& catalog_;
  SitePlan plan_;
  const RackPart& frame_;
  CoolingParts cooling_;
  ComputeBlock block_;
  std::vector<SiteNetwork> networks_;
  int unit_nodes_ = 1;
  const SwitchPart* management_ = nullptr;
  RackLayout layout_;
  RackFeedCounts feeds_;
};

}  // namespace

SitePlan plan_site(const SiteRequest& request) {
  return SitePlanner(request).plan();
}

}  // namespace clusterwright
