// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/site/plant/heat_removal.hpp"
#include "models/site/plant/power_chain.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "support/catch.hpp"
#include "support/prices.hpp"
#include "support/random_sites.hpp"
#include "topology/parts/usual_price.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) + 1e-9;
}

bool close(Watts a, Watts b) {
  return close(a.in(kilowatt), b.in(kilowatt));
}

void check_sums(const PowerNode& node) {
  if (node.parts.empty()) return;
  Watts sum;
  for (const PowerNode& part : node.parts) {
    RC_ASSERT(part.power >= Watts{});
    sum += part.power;
    check_sums(part);
  }
  RC_ASSERT(close(sum, node.power));
}

void check_power(const FacilityPower& power) {
  check_sums(power.tree);
  RC_ASSERT(close(power.tree.power, power.facility));
  RC_ASSERT(close(power.it + power.losses + power.cooling + power.other, power.facility));
  RC_ASSERT(power.pue >= 1 - site_rounding);
  RC_ASSERT(close(power.pue, power.facility / power.it));
}

const RackPart& frame_of(const SitePlan& plan) {
  return *find_part(shipped_parts().racks, plan.floor.frame);
}

/// Counts that more nodes can only raise. Racks of switches, their circuits and consoles are not among them: a switch
/// that joins other nodes than before stands in another rack, and what is left may fill fewer.
std::map<std::string, long long> counts_of(const SitePlan& plan) {
  std::map<std::string, long long> counts;
  counts["nodes"] = plan.nodes;
  counts["accelerators"] = plan.accelerators;
  counts["compute racks"] = racks_of(plan, RackRole::compute);
  for (const SwitchTotal& total : plan.switches)
    if (total.network == "training") counts["training " + total.tier] += total.count;
  for (const CableTotal& total : plan.cables)
    if (total.network == "training" && total.link != "manager-leaf") counts["training " + total.link] += total.links;
  counts["storage cables of nodes"] = links_in(plan, "storage", "node-leaf");
  counts["nodes to buy"] = billed(plan, BillChapter::compute);
  // Busways go by rows, and a hall that must become squarer may have fewer of them for one more node.
  for (const PowerStageLoad& stage : plan.power_stages)
    if (stage.kind != PowerStageKind::circuit && stage.kind != PowerStageKind::busway)
      counts["modules of " + stage.part] = stage.modules;
  counts["coolant units"] = plan.cooling.coolant_units;
  return counts;
}

}  // namespace

namespace {

/// Power of the branch of a name, wherever it is; zero if there is none.
Watts branch(const PowerNode& tree, const std::string& name) {
  if (tree.name == name) return tree.power;
  Watts sum;
  for (const PowerNode& part : tree.parts) sum += branch(part, name);
  return sum;
}

}  // namespace

TEST_CASE("power adds up from the machines to the grid", "[laws][facility]") {
  site_law("rated, mean and peak", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    for (const FacilityPower* power : {&plan.rated, &plan.mean}) check_power(*power);
    for (const PowerStageLoad& stage : plan.power_stages)
      RC_ASSERT(stage.output <= plan.rated.facility * (1 + site_rounding));
    RC_ASSERT(plan.mean.it <= plan.rated.it * (1 + site_rounding));
    Watts racks;
    for (const PlacedRack& rack : plan.floor.racks) racks += rack.rated;
    RC_ASSERT(close(racks, plan.rated.it));
  });
}

TEST_CASE("all power of the machines leaves as heat", "[laws][facility]") {
  site_law("in liquid and air", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    const Watts warm = plan.rated.losses - branch(plan.rated.tree, "transformers") + plan.rated.other;
    RC_ASSERT(close(plan.cooling.liquid + plan.cooling.air, plan.rated.it + warm));
    Watts to_air;
    for (const PlacedRack& rack : plan.floor.racks) to_air += rack.to_air;
    RC_ASSERT(close(to_air + warm, plan.cooling.air));
    // Outdoor plants also take what pumps and fans of the hall draw.
    Watts rejected;
    for (const PlantUnits& plant : plan.cooling.plants)
      if (plant.what.starts_with("heat rejection")) rejected += plant.heat;
    RC_ASSERT(close(rejected, plan.cooling.liquid + plan.cooling.air + branch(plan.rated.tree, "coolant pumps") +
                                  branch(plan.rated.tree, "air movers")));
  });
}

TEST_CASE("every stage of the power chain loses something and passes on the rest", "[laws][facility]") {
  site_law("efficiency between 0 and 1 at any load", [](const RandomSite& site) {
    const Facility facility = site.facility();
    const Watts machines = *rc::gen::inRange(1, 100'000) * kilowatt;
    const PowerChain chain(facility.power, shipped_parts(), machines, 0.2 * machines, {*rc::gen::inRange(1, 5000), {}});
    const double load = *rc::gen::inRange(0, 101) / 100.0;
    Watts through = load * machines;
    for (const auto& flow : chain.flows(load * machines, 0.2 * load * machines)) {
      RC_ASSERT(flow.loss > Watts{} || load == 0);
      RC_ASSERT(flow.output >= through * (1 - site_rounding));
      through = flow.output + flow.loss;
    }
    for (const PowerStageLoad& stage : chain.rated_loads()) {
      RC_ASSERT(stage.efficiency > 0 && stage.efficiency < 1);
      RC_ASSERT(stage.load <= 1 + site_rounding || stage.kind == PowerStageKind::circuit);
      RC_ASSERT(stage.load_after_loss <= 1 + site_rounding || stage.kind == PowerStageKind::circuit);
    }
  });
}

TEST_CASE("one more node never takes less of anything", "[laws][facility]") {
  site_law("switches, cables, racks, modules", [](const RandomSite& site) {
    RC_PRE(site.fabric.find("torus") == std::string::npos && site.nodes < site.most_nodes);
    // 160 accelerators run in four equal racks of 40, 164 in three of 72, 72 and 20.
    RC_PRE(site.node != "GB200 compute tray" || site.plan().nodes <= (site.nodes + 17) / 18 * 18);
    try {
      site.cluster(site.nodes + 1);
    } catch (const ConfigError&) {
      RC_DISCARD("the fabric is full");
    }
    const auto more = counts_of(site.plan(site.nodes + 1));
    for (const auto& [what, count] : counts_of(site.plan())) {
      const auto found = more.find(what);
      RC_LOG(what + "\n");
      RC_ASSERT((found == more.end() ? 0 : found->second) >= count);
    }
  });
}

TEST_CASE("racks stand apart and inside the hall", "[laws][facility]") {
  site_law("one rack to a place", [](const RandomSite& site) {
    const FloorPlan floor = site.plan().floor;
    std::set<std::pair<int, int>> places;
    std::set<std::pair<double, double>> centres;
    std::set<std::string> names;
    for (const PlacedRack& rack : floor.racks) {
      RC_ASSERT(places.insert({rack.row, rack.place}).second);
      RC_ASSERT(centres.insert({rack.x.in(meter), rack.y.in(meter)}).second);
      RC_ASSERT(names.insert(rack.name).second);
      RC_ASSERT(rack.row >= 0 && rack.row < floor.rows && rack.place >= 0 && rack.place < floor.racks_per_row);
      RC_ASSERT(rack.x - floor.rack_width / 2 >= -site_rounding * meter);
      RC_ASSERT(rack.x + floor.rack_width / 2 <= floor.length * (1 + site_rounding));
      RC_ASSERT(rack.y - floor.rack_depth / 2 >= -site_rounding * meter);
      RC_ASSERT(rack.y + floor.rack_depth / 2 <= floor.width * (1 + site_rounding));
    }
  });
}

TEST_CASE("no rack holds more than it may while verdicts hold", "[laws][facility]") {
  site_law("height, power, weight, air", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    RC_PRE(plan.holds());
    const Facility facility = site.facility();
    const RackPart& frame = frame_of(plan);
    const RackCoolingPart& cooling = *find_part(shipped_parts().rack_cooling, facility.cooling.racks);
    const PowerPart& circuit = *find_part(shipped_parts().power_stages, facility.power.circuit);
    const double footprint = frame.width.value.in(meter)*frame.depth.value.in(meter);
    for (const PlacedRack& rack : plan.floor.racks) {
      const bool compute = rack.role == RackRole::compute;
      const double reserved = site.like == "rack-scale" && compute ? 0
                              : compute                            ? facility.rack.reserved_u
                                                                   : facility.rack.reserved_network_u;
      RC_ASSERT(rack.used_u <= frame.rack_units.value - reserved + site_rounding);
      RC_ASSERT(rack.rated <= cooling.capacity.value * (1 + site_rounding));
      RC_ASSERT(rack.to_air <= cooling.air_capacity.value * (1 + site_rounding));
      RC_ASSERT(rack.rated <= most_fed(circuit, facility.power) * (1 + site_rounding));
      if (facility.rack.power_limit) RC_ASSERT(rack.rated <= *facility.rack.power_limit * (1 + site_rounding));
      RC_ASSERT(rack.mass <= (frame.mass.value + frame.static_load.value) * (1 + site_rounding));
      RC_ASSERT(rack.mass.in(kilogram) <= facility.hall.floor_load_kg_per_m2 * footprint * (1 + site_rounding));
      if (compute && facility.rack.nodes) RC_ASSERT(rack.nodes <= *facility.rack.nodes);
    }
  });
}

TEST_CASE("every node stands in one rack", "[laws][facility]") {
  site_law("in order", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    int next = 0;
    for (const PlacedRack& rack : plan.floor.racks) {
      if (rack.role != RackRole::compute) continue;
      RC_ASSERT(rack.first_node == next);
      RC_ASSERT(rack.nodes > 0 && rack.nodes <= plan.floor.nodes_per_rack);
      next += rack.nodes;
    }
    RC_ASSERT(next == plan.nodes);
  });
}

TEST_CASE("every cable joins two racks and is long enough", "[laws][facility]") {
  site_law("routed and bought", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    std::vector<long long> runs(plan.cables.size());
    std::vector<Meters> longest(plan.cables.size());
    for (const CableRun& run : plan.runs) {
      RC_ASSERT(run.total.value < plan.cables.size());
      RC_ASSERT(run.from.rack.value < plan.floor.racks.size() && run.to.rack.value < plan.floor.racks.size());
      const PlacedRack &from = plan.floor.racks[run.from.rack], &to = plan.floor.racks[run.to.rack];
      RC_ASSERT(run.routed.in(meter) >= std::hypot((from.x - to.x).in(meter), (from.y - to.y).in(meter)));
      RC_ASSERT(run.routed > Meters{});
      RC_ASSERT(run.bought >= run.routed);
      ++runs[run.total.value];
      longest[run.total.value] = std::max(longest[run.total.value], run.routed);
    }
    for (std::size_t t = 0; t < plan.cables.size(); ++t) {
      const CableTotal& total = plan.cables[t];
      RC_ASSERT(total.links == runs[t]);
      RC_ASSERT(total.longest == longest[t]);
      long long links = 0;
      for (const LengthBin& bin : total.lengths) links += bin.links;
      RC_ASSERT(links == total.links);
      RC_ASSERT(total.cables <= total.links);
      RC_ASSERT(total.part.empty() == (total.cables == 0));
      const CablePart* part = shipped_parts().find_cable(total.lower_module.empty() ? total.part : total.lower_module);
      if (part) RC_ASSERT(part->reach->value >= total.longest);
    }
  });
}

TEST_CASE("the bill buys what the plan shows", "[laws][facility]") {
  site_law("nodes, switches, cables, modules, racks", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    const bool machines = site.like == "rack-scale";
    const int each = machines ? 18 : 1;
    RC_ASSERT(billed(plan, BillChapter::compute) == (plan.nodes + each - 1) / each + plan.spare_nodes);
    if (machines) RC_ASSERT(racks_of(plan, RackRole::compute) == (plan.nodes + each - 1) / each);  // one to a rack
    std::map<std::string, long long> switches, cables, modules;
    long long racks = machines ? -racks_of(plan, RackRole::compute) : 0;
    for (const SwitchTotal& total : plan.switches) switches[total.part] += total.count;
    for (const CableTotal& total : plan.cables) cables[total.part] += total.cables;
    for (const TransceiverTotal& total : plan.transceivers) modules[total.part] += total.count;
    for (const auto& [part, count] : switches) RC_ASSERT(billed(plan, BillChapter::network, part) == count);
    for (const auto& [part, count] : cables)
      if (!part.empty()) RC_ASSERT(billed(plan, BillChapter::cables, part) == count);
    for (const auto& [part, count] : modules) RC_ASSERT(billed(plan, BillChapter::transceivers, part) == count);
    racks += static_cast<long long>(plan.floor.racks.size());
    RC_ASSERT(billed(plan, BillChapter::racks) == racks);
    RC_ASSERT(billed(plan, BillChapter::storage) == site.appliances);
  });
}

TEST_CASE("what stands in racks is what the plan counts", "[laws][facility]") {
  site_law("switches and nodes", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    std::map<std::string, long long> placed, counted;
    for (const PlacedRack& rack : plan.floor.racks)
      for (const RackContent& content : rack.contents) placed[content.part] += content.count;
    for (const SwitchTotal& total : plan.switches) counted[total.part] += total.count;
    for (const auto& [part, count] : counted) RC_ASSERT(placed[part] == count);
    RC_ASSERT(placed["DDN AI400X2"] == site.appliances);
  });
}

TEST_CASE("both ends of a fibre have a module", "[laws][facility]") {
  site_law("as many ports as links", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    std::map<std::string, long long> ends, ports;
    for (const CableTotal& total : plan.cables)
      for (const std::string& module : {total.lower_module, total.upper_module})
        if (!module.empty()) ends[module] += total.links;
    for (const TransceiverTotal& total : plan.transceivers)
      ports[total.part] = total.count * shipped_parts().find_cable(total.part)->links;
    RC_ASSERT(ends.size() == ports.size());
    for (const auto& [module, count] : ends) RC_ASSERT(ports[module] >= count);
  });
}

// Of several units each has whole leaf groups, and may have one rack that is not full: 33 nodes on leaves of 4 take
// 2 + 1 racks of 14 in units of 28, and 3 + 1 racks of 15 in units of 32. Beyond that more power never takes more.
TEST_CASE("a rack that may draw more never means more racks", "[laws][facility]") {
  site_law("power limit", [](const RandomSite& site) {
    Facility facility = site.facility();
    facility.rack.power_limit = *rc::gen::inRange(2, 150) * kilowatt;
    const Cluster cluster = site.cluster(site.nodes);
    const SitePlan tight = planned(cluster, facility, {{}, site.appliances, false});
    *facility.rack.power_limit += *rc::gen::inRange(1, 60) * kilowatt;
    const SitePlan wide = planned(cluster, facility, {{}, site.appliances, false});
    RC_ASSERT(wide.floor.nodes_per_rack >= tight.floor.nodes_per_rack);
    const auto units = [](const SitePlan& plan) {
      return (plan.nodes + plan.floor.nodes_per_unit - 1) / plan.floor.nodes_per_unit;
    };
    const int spare = units(wide) == 1 ? 0 : units(wide);
    RC_ASSERT(racks_of(wide, RackRole::compute) <= racks_of(tight, RackRole::compute) + spare);
  });
}

namespace {

/// Dollars: of coolant units two large ones may take the place of three small ones.
long long price_of_coolant_units(const CoolingLoad& cooling) {
  const CoolantUnitPart* unit = find_part(shipped_parts().coolant_units, cooling.coolant_unit);
  return unit ? cooling.coolant_units * std::llround(usual_price_usd(unit->price_usd).value()) : 0;
}

}  // namespace

// For the same load of one stage: a redundancy of circuits changes what racks hold, and one of a stage what it loses.
TEST_CASE("more redundancy never means fewer modules, nor cheaper coolant units", "[laws][facility]") {
  site_law("none, one more, twice as many", [](const RandomSite& site) {
    Facility facility = site.facility();
    const Cluster cluster = site.cluster(site.nodes);
    const Watts machines = *rc::gen::inRange(1, 100'000) * kilowatt, rack = *rc::gen::inRange(0, 200) * kilowatt;
    const PowerPart& circuit = *find_part(shipped_parts().power_stages, facility.power.circuit);
    const std::size_t changed_stage = *rc::gen::inRange<std::size_t>(0, facility.power.stages.size());
    std::vector<long long> modules, coolant, feeds;
    for (const Redundancy redundancy : {Redundancy::n, Redundancy::n_plus_1, Redundancy::two_n}) {
      facility.power.stages[changed_stage].redundancy = facility.cooling.redundancy = redundancy;
      const PowerChain chain(facility.power, shipped_parts(), machines, 0.2 * machines, {100, {}});
      modules.push_back(chain.rated_loads()[changed_stage].modules);
      coolant.push_back(price_of_coolant_units(planned(cluster, facility, {{}, site.appliances, false}).cooling));
      PowerChainSpec fed = facility.power;
      fed.feeds = redundancy;
      feeds.push_back(size_feeds(rack, circuit, fed).feeds);
    }
    for (const auto& counts : {modules, coolant, feeds}) RC_ASSERT(std::is_sorted(counts.begin(), counts.end()));
  });
}

TEST_CASE("a warmer year never takes less power for cooling", "[laws][facility]") {
  CHECK(rc::check("any racks, plants and supply temperature", [] {
    const Catalog& catalog = shipped_parts();
    const auto pick = [](const auto& parts) { return &parts[*rc::gen::inRange<std::size_t>(0, parts.size())]; };
    ClimatePart climate = *pick(catalog.climates);
    CoolingParts parts{pick(catalog.rack_cooling),
                       pick(catalog.heat_rejection),
                       pick(catalog.heat_rejection),
                       &climate,
                       nullptr,
                       *rc::gen::inRange(15, 35) * 1.0,
                       *rc::gen::inRange(15, 50) * 1.0};
    const Heat heat{*rc::gen::inRange(0, 5000) * kilowatt, *rc::gen::inRange(1, 5000) * kilowatt};
    const auto removal = [&](Weather weather) { return heat_removal(parts, heat, weather); };
    const RemovalPower cold = removal(Weather::whole_year), cold_peak = removal(Weather::design_day);
    climate.mean_c.value += *rc::gen::inRange(1, 20);
    RC_ASSERT(removal(Weather::whole_year).total() >= cold.total() * (1 - site_rounding));
    RC_ASSERT(removal(Weather::design_day).total() >= cold_peak.total() * (1 - site_rounding));
    RC_ASSERT(cold_peak.total() >= cold.total() * (1 - site_rounding));
  }));
}

TEST_CASE("chapters of a sized cluster sum to what it costs", "[laws][facility]") {
  site_law("and spares are bought", [](const RandomSite& site) {
    const Cluster cluster = site.cluster(site.nodes);
    const PriceList prices = shipped_prices(*rc::gen::element("default", "2024-h100"));
    const SizedCluster sized =
        size_cluster({cluster, with_own_parts(shipped_parts(), cluster.spec), site.facility(), prices});
    Dollars chapters;
    for (const CostShare& share : sized.cost.capex) chapters += share.amount;
    RC_ASSERT(close(chapters.in(dollar), sized.cost.capex_total.in(dollar)));
    Dollars lines;
    for (const PricedItem& item : sized.cost.items) lines += item.total();
    RC_ASSERT(close(lines.in(dollar), sized.cost.capex_total.in(dollar)));
    RC_ASSERT(sized.plan.spare_nodes >= 0.01 * sized.plan.nodes);
    RC_ASSERT(
        close(sized.cost.per_hour.total().in(dollar),
              (sized.cost.per_hour.capital + sized.cost.per_hour.operations + sized.cost.per_hour.energy).in(dollar)));
  });
}
