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
#include "models/site/plant/plant_rooms.hpp"
#include "models/site/plant/plant_verdicts.hpp"
#include "models/site/plant/power_chain.hpp"
#include "models/site/plant/scale_up_check.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "sim/plain_number.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

namespace {

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
    plan_.node.nameplate = block_.nameplate / block_.nodes;
    plan_.node_part = block_.node->id;
    plan_.spare_nodes = static_cast<int>(std::ceil(facility_.services.spare_node_share * plan_.nodes - site_rounding));
  }

  SitePlan plan() {
    lay_out();
    draw_cables();
    feed();
    cool_and_power();
    judge_machines({plan_, facility_, catalog_, cooling_, block_});
    write_bill();
    for (const PlacedRack& rack : plan_.floor.racks) plan_.mass += rack.mass;
    if (const CoolantUnitPart* unit = find_part(catalog_.coolant_units, plan_.cooling.coolant_unit))
      plan_.mass += unit->mass.value * static_cast<double>(plan_.cooling.coolant_units);
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

  /// Whether limits of domains act on the mean of a job.
  bool capped() const { return facility_.power.capping != Capping::none && plan_.node.swing; }

  RackBounds bounds() const {
    RackBounds out{&frame_,         cooling_.racks, facility_.rack,
                   facility_.power, nullptr,        facility_.hall.floor_load_kg_per_m2};
    if (capped()) out.rules.power_limit.reset();  // the mean of the job holds it
    out.circuit = find_part(catalog_.power_stages, facility_.power.circuit);
    if (const int units = in_rack_units(cooling_, facility_.cooling.redundancy); units > 0)
      out.hold(*cooling_.coolant_unit, units);
    return out;
  }

  void build_networks(int nodes_per_rack) {
    networks_ = training_network(request_.cluster, catalog_, plan_.warnings);
    const UnitBounds wanted{plan_.nodes, block_.nodes, facility_.rack.unit_racks * nodes_per_rack};
    unit_nodes_ = nodes_per_unit(networks_, wanted);
    const bool tapers = request_.cluster.stock && request_.cluster.stock->taper != 1 && !networks_.empty();
    const int side_unit = tapers ? untapered_unit(request_.cluster, wanted) : unit_nodes_;
    const StoragePart* storage =
        facility_.services.storage ? find_part(catalog_.storage_systems, facility_.services.storage->part) : nullptr;
    const ServiceCounts services{servers() + managers(), appliances(), storage ? storage->ports : 0};
    for (const SideNetworkSpec& spec : facility_.services.networks)
      networks_.push_back(side_network(spec, plan_.nodes, side_unit, services, catalog_));
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
    judge_paths(plan_, facility_, fullest->rated);
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
      plan_.hot_mean = at(node.mean);
    }
    plan_.chain = chain;
    plan_.power_stages = chain.rated_loads();
    for (PowerStageLoad& stage : plan_.power_stages)
      if (stage.kind == PowerStageKind::circuit) show_fullest_rack(stage);
    chain.judge(plan_.verdicts);
    const Watts rack_air = (1 - block_.device.liquid_share) * node.rated * plan_.floor.nodes_per_rack;
    plan_.cooling = size_cooling(facility_.cooling, cooling_, hottest.cooling, mean.cooling, rack_air,
                                 plan_.floor.count(RackRole::compute));
    plan_.floor.rooms = place_plants(plan_.floor, plan_.cooling, plan_.power_stages, catalog_, plan_.warnings);
    judge_plant({plan_, facility_, catalog_, cooling_, block_},
                operate(usual, chain, cooling_, Weather::whole_year, std::nullopt).power,
                operate(rated, chain, cooling_, Weather::design_day, std::nullopt).power);
  }

  void write_bill() {
    const BillRequest request{plan_,      block_,    catalog_,    facility_.services, facility_.stabilization,
                              managers(), servers(), appliances()};
    plan_.bill = make_bill(request);
    const auto missing = spares_not_counted(request);
    plan_.uncounted.insert(plan_.uncounted.end(), missing.begin(), missing.end());
  }

  void show_fullest_rack(PowerStageLoad& circuits) const {
    circuits.load_after_loss = plan_.feeds.after_loss / plan_.feeds.usable;
    circuits.load = plan_.feeds.each / plan_.feeds.usable;
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
