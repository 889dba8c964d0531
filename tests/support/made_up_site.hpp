// SPDX-License-Identifier: Apache-2.0
/// Sized clusters with plausible numbers that no planner made: for tests of what shows them.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "models/site/sizing/sized_cluster.hpp"
#include "support/made_up_predictions.hpp"

namespace clusterwright::made_up {

/// Units of 8 compute racks and one of switches, so many to a row; what joins and serves them stands at the row ends.
struct SiteShape {
  int units = 4;
  int units_per_row = 1;
  int ends_per_row = 1;  ///< places at the end of a row
  int cores = 1, services = 1;

  int racks() const { return 9 * units + cores + services; }
  int nodes() const { return 32 * units - 1; }
  int rows() const { return (units + units_per_row - 1) / units_per_row; }
};
inline constexpr SiteShape large_site_shape{288, 12, 2, 16, 24};

inline PlacedRack rack(RackRole role, int number, int row, int place) {
  PlacedRack r;
  r.role = role;
  r.name = rack_role_letters[static_cast<std::size_t>(role)] + std::to_string(number);
  r.row = row;
  r.place = place;
  r.x = (1.2 + 0.6 * (place + 0.5)) * meter;
  r.y = (1.2 + 1.2 + 0.6 + row * 2.4) * meter;
  r.used_u = 32;
  r.mass = 800 * kilogram;
  r.rated = r.to_air = (role == RackRole::compute ? 40.8 : 18.0) * kilowatt;
  return r;
}

inline void fill_row(FloorPlan& floor, const SiteShape& shape, int row) {
  int place = 0;
  const auto count = [&](RackRole role) {
    return static_cast<int>(
        std::count_if(floor.racks.begin(), floor.racks.end(), [&](const PlacedRack& r) { return r.role == role; }));
  };
  const auto add = [&](RackRole role) -> PlacedRack& {
    return floor.racks[floor.racks.push_back(rack(role, count(role) + 1, row, place++))];
  };
  for (int unit = row * shape.units_per_row; unit < std::min(shape.units, (row + 1) * shape.units_per_row); ++unit)
    for (int i = 0; i < 9; ++i) {
      PlacedRack& added = add(i == 4 ? RackRole::network : RackRole::compute);
      if (i == 4) added.contents = {{"leaf switch", "QM9700", 8}, {"spine switch", "QM9700", 4}};
      if (i == 4) continue;
      added.first_node = 4 * (count(RackRole::compute) - 1);
      added.nodes = std::min(4, shape.nodes() - added.first_node);
      added.contents = {{"node", "dgx-h100", added.nodes}};
    }
  for (int end = 0; end < shape.ends_per_row; ++end) {
    if (count(RackRole::core) < shape.cores) {
      add(RackRole::core);
    } else if (count(RackRole::service) < shape.services) {
      add(RackRole::service);
    }
  }
}

inline FloorPlan floor(const SiteShape& shape) {
  FloorPlan f;
  f.rows = shape.rows();
  f.racks_per_row = 9 * shape.units_per_row + shape.ends_per_row;
  f.length = (2.4 + 0.6 * f.racks_per_row) * meter;
  f.width = (2.4 + 1.2 + 2.4 * f.rows) * meter;
  f.nodes_per_rack = 4;
  f.nodes_per_unit = 32;
  f.frame = "rack-42u";
  f.rack_width = 0.6 * meter;
  f.rack_depth = 1.2 * meter;
  f.limits = {{RackLimitKind::cooling, 4, "41 kW / 10.2 kW"},
              {RackLimitKind::height, 5, "42 U / 8 U"},
              {RackLimitKind::floor_load, 7, "1,200 kg / 161 kg"}};
  for (int row = 0; row < shape.rows(); ++row) fill_row(f, shape, row);
  for (int gap = 0; gap <= f.rows; ++gap) {
    const double from = 1.2 + gap * 2.4;
    f.aisles.push_back({from * meter, (from + 1.2) * meter, gap % 2 == 0});
  }
  return f;
}

inline CableTotal cable(std::string network, std::string link, std::string part, std::string kind, long long links) {
  CableTotal c;
  c.network = std::move(network);
  c.link = std::move(link);
  c.part = std::move(part);
  c.kind = std::move(kind);
  c.rate = 400 * gigabit_per_second;
  c.links = c.cables = links;
  if (c.kind == "fibre") c.lower_module = c.upper_module = "MMA4Z00-NS";
  const long long third = links / 3;
  if (links < 10) c.lengths = {{5 * meter, links}};
  if (links >= 10) c.lengths = {{5 * meter, third}, {10 * meter, third}, {20 * meter, links - 2 * third}};
  c.longest = 0.93 * c.lengths.back().length;
  return c;
}

inline void add_network(SitePlan& plan, const SiteShape& shape) {
  const long long leaves = 8LL * shape.units, spines = 4LL * shape.units;
  plan.switches = {{"compute", "leaf", "QM9700", leaves, 1720 * watt, 1380 * watt},
                   {"compute", "spine", "QM9700", spines, 1720 * watt, 1410 * watt},
                   {"storage", "leaf", "QM9700", 2, 1720 * watt, 1100 * watt},
                   {"management", "leaf", "SN2201", 2LL * shape.units, 150 * watt, 98 * watt}};
  plan.cables = {cable("compute", "node-leaf", "MFP7E10", "fibre", 8LL * plan.nodes),
                 cable("compute", "manager-leaf", "MCP4Y10", "copper", 4),
                 cable("compute", "leaf-spine", "MFP7E10", "fibre", 32 * leaves),
                 cable("management", "node-leaf", "", "copper", plan.nodes)};
  plan.transceivers = {{"MMA4Z00-NS", 8LL * plan.nodes + 4 + 32 * leaves}, {"MMA4Z00-NS400", 8LL * plan.nodes}};
}

/// The power of a hall at one load of its nodes; losses, cooling and the rest are shares of it.
inline FacilityPower facility_power(const SitePlan& plan, Watts node) {
  const Watts hosts = 0.34 * plan.nodes * node, gpus = 0.66 * plan.nodes * node;
  Watts fabric, management;
  for (const SwitchTotal& s : plan.switches)
    (s.network == "compute" ? fabric : management) += static_cast<double>(s.count) * s.expected_each;
  const Watts storage = 3.1 * kilowatt * std::ceil(plan.nodes / 16.0), service = 6 * kilowatt;
  FacilityPower p;
  const PowerNode nodes{"nodes", hosts + gpus, {{"accelerators", gpus, {}}, {"hosts", hosts, {}}}};
  const PowerNode switches{
      "switches", fabric + management, {{"compute network", fabric, {}}, {"other networks", management, {}}}};
  p.nodes = nodes.power;
  p.it = nodes.power + switches.power + storage + service;
  p.losses = 0.061 * p.it;
  p.cooling = 0.162 * p.it;
  p.other = 0.012 * p.it;
  p.facility = p.it + p.losses + p.cooling + p.other;
  p.pue = p.facility / p.it;
  p.tree = {"grid",
            p.facility,
            {{"IT", p.it, {nodes, switches, {"storage", storage, {}}, {"services", service, {}}}},
             {"losses", p.losses, {{"transformers", 0.35 * p.losses, {}}, {"UPS", 0.65 * p.losses, {}}}},
             {"cooling", p.cooling, {{"compressors", 0.7 * p.cooling, {}}, {"fans", 0.3 * p.cooling, {}}}},
             {"lights, offices", p.other, {}}}};
  return p;
}

inline void add_power(SitePlan& plan) {
  plan.node = {
      10.2 * kilowatt, 10.2 * kilowatt, 8.7 * kilowatt, PowerSwing{9.9 * kilowatt, 9.6 * kilowatt, 5.1 * kilowatt},
      5.6 * kilowatt,  5.4 * kilowatt,  "replayed step"};
  plan.rated = facility_power(plan, plan.node.rated);
  plan.mean = facility_power(plan, plan.node.mean);
  plan.peak = facility_power(plan, plan.node.swing->peak);
  plan.crest = facility_power(plan, plan.node.swing->crest);
  const auto stage = [&](const char* part, PowerStageKind kind, Redundancy redundancy, Watts rating,
                         double efficiency) {
    const Watts needed = plan.rated.it;
    const long long least = static_cast<long long>(std::ceil(needed / rating));
    const long long modules = redundancy == Redundancy::two_n ? 2 * least : least + 1;
    const double load = needed / (static_cast<double>(modules) * rating);
    const double left = static_cast<double>(redundancy == Redundancy::two_n ? least : modules - 1);
    return PowerStageLoad{part,       kind,         redundancy,    modules,
                          rating,     needed,       load,          needed / (left * rating),
                          efficiency, std::nullopt, rating / 0.95, 3};
  };
  plan.power_stages = {
      stage("transformer-2500kva", PowerStageKind::transformer, Redundancy::n_plus_1, 2.375 * megawatt, 0.991),
      stage("ups-1250kva", PowerStageKind::ups, Redundancy::two_n, 1.19 * megawatt, 0.962),
      stage("busway-800a", PowerStageKind::busway, Redundancy::two_n, 0.42 * megawatt, 0.998)};
  plan.power_stages.back().amperes = 511;
  plan.feeds = {"circuit-415v-60a", 4, 2, 34.5 * kilowatt, 10.2 * kilowatt, 20.4 * kilowatt, 14.6};
}

inline void add_cooling(SitePlan& plan) {
  CoolingLoad& c = plan.cooling;
  c.kind = "air-rear-door";
  c.liquid = 0.6 * plan.rated.it;
  c.air = 0.4 * plan.rated.it;
  c.coolant_l_per_min = 1.4 * c.liquid.in(kilowatt);
  c.air_kg_per_s = c.air.in(kilowatt) / 1.006 / 14;
  c.air_m3_per_h = 3600 * c.air_kg_per_s / 1.2;
  c.rack_air = 16.3 * kilowatt;
  c.coolant_supply_c = 20;
  c.coolant_return_c = 30;
  c.air_supply_c = 24;
  c.air_return_c = 38;
  c.hottest_c = 35.5;
  c.compressor_share = 0.31;
  c.coolant_unit = "cdu-1mw";
  c.coolant_units = static_cast<long long>(std::ceil(c.liquid.in(megawatt))) + 1;
  c.pue_share = 0.162;
  c.wue_l_per_kwh = 0.4;
}

inline void add_bill(SitePlan& plan) {
  using Chapter = BillChapter;
  auto& bill = plan.bill;
  bill = {{Chapter::compute, plan.node_part, "working", plan.nodes, {}, plan.node.rated, 130.5 * kilogram},
          {Chapter::compute, plan.node_part, "spare", plan.spare_nodes, {}, plan.node.rated, 130.5 * kilogram}};
  for (const SwitchTotal& s : plan.switches)
    bill.push_back(
        {Chapter::network, s.part, s.network + " network, " + s.tier, s.count, {}, s.rated_each, 14.5 * kilogram});
  for (const CableTotal& c : plan.cables)
    for (const LengthBin& bin : c.lengths)
      if (!c.part.empty())
        bill.push_back({Chapter::cables, c.part, c.network + " network, " + c.link, bin.links, bin.length, {}, {}});
  for (const TransceiverTotal& t : plan.transceivers)
    bill.push_back({Chapter::transceivers, t.part, "compute network", t.count, {}, 17 * watt, 0.1 * kilogram});
  bill.push_back({Chapter::storage, "ai400x2", "shared file system", (plan.nodes + 15) / 16, {}, 3.1 * kilowatt, {}});
  bill.push_back({Chapter::services, "server-1u", "scheduler", 6, {}, 1 * kilowatt, 20 * kilogram});
  bill.push_back({Chapter::racks, "rack-42u", "", static_cast<long long>(plan.floor.racks.size()), {}, {}, {}});
  for (const PowerStageLoad& stage : plan.power_stages)
    bill.push_back({Chapter::power, stage.part, "chain", stage.modules, {}, {}, {}});
  bill.push_back({Chapter::cooling, "cdu-1mw", "coolant", plan.cooling.coolant_units, {}, {}, 900 * kilogram});
}

inline Dollars price_of(const BillItem& item) {
  switch (item.chapter) {
    case BillChapter::compute:
      return 310000 * dollar;
    case BillChapter::network:
      return item.part == "QM9700" ? 25000 * dollar : 1500 * dollar;
    case BillChapter::cables:
      return (60 + 9 * item.length->in(meter)) * dollar;
    case BillChapter::transceivers:
      return 1100 * dollar;
    case BillChapter::storage:
      return 400000 * dollar;
    case BillChapter::power:
      return 210000 * dollar;
    case BillChapter::cooling:
      return 180000 * dollar;
    default:
      return 5000 * dollar;
  }
}

inline void add_cost(SizedCluster& sized) {
  CostReport& cost = sized.cost;
  cost.price_list = "catalog";
  cost.date = "2026-10";
  for (const BillItem& item : sized.plan.bill)
    cost.items.push_back({item, price_of(item), "catalog: middle of low and high (price sheet)"});
  const Dollars building = sized.plan.rated.it.in(kilowatt)*4500 * dollar;
  cost.items.push_back({{BillChapter::building, "", "per kW of machines", 1, {}, {}, {}}, building, "prices"});
  for (std::size_t c = 0; c < bill_chapter_names.size(); ++c)
    cost.capex.push_back({std::string(bill_chapter_names[c]), {}});
  for (const PricedItem& item : cost.items)
    cost.capex[static_cast<std::size_t>(item.item.chapter)].amount += item.total();
  for (const CostShare& share : cost.capex) cost.capex_total += share.amount;
  const Dollars energy = sized.plan.mean.facility.in(kilowatt)*8760 * 0.08 * dollar;
  cost.opex = {{"energy", energy}, {"maintenance", 0.03 * cost.capex_total}, {"staff", 600000 * dollar}};
  for (const CostShare& share : cost.opex) cost.opex_total += share.amount;
  cost.years = 5;
  cost.interest = 0.07;
  cost.utilisation = 0.85;
  cost.goodput = 0.9;
  const double hours = 8760 * cost.utilisation * sized.plan.accelerators;
  cost.per_hour = {cost.capex_total * 0.244 / hours, (cost.opex_total - energy) / hours, energy / hours};
  cost.energy_share = cost.per_hour.energy / cost.per_hour.total();
  cost.usd_per_million_tokens = 1.87;
  cost.rent = RentOrBuy{2.99 * dollar, 0.55, 21.5, true};
}

/// 127 nodes of 8 H100 in 38 racks, or what another shape holds.
inline SizedCluster site(const SiteShape& shape = {}) {
  SizedCluster s;
  s.name = "Four scalable units";
  s.accelerator = "H100-SXM";
  SitePlan& plan = s.plan;
  plan.nodes = shape.nodes();
  plan.accelerators = 8 * plan.nodes;
  plan.spare_nodes = shape.units;
  plan.node_part = "dgx-h100";
  plan.floor = floor(shape);
  add_network(plan, shape);
  add_power(plan);
  add_cooling(plan);
  add_bill(plan);
  for (const PlacedRack& r : plan.floor.racks) plan.mass += r.mass;
  plan.verdicts = {
      {"power of a rack", true, "4 x 10.2 kW = 40.8 kW of 41 kW", "facility.rack.power_limit_kw"},
      {"floor load", true, "800 kg / 0.72 m2 = 1,111 of 1,200 kg/m2", "facility.hall.floor_load_kg_per_m2"},
      {"feeds of a rack", true, "20.4 kW of 34.5 kW after the loss of one path", "facility.power.circuit"}};
  plan.warnings = {"the management network names no cable"};
  s.step = step(plan.accelerators);
  s.storage = StorageSizing{"ai400x2",
                            (plan.nodes + 15) / 16,
                            500 * gigabyte_per_second,
                            250 * gigabyte_per_second,
                            720 * gigabyte_per_second,
                            520 * gigabyte_per_second,
                            1.5e15 * byte,
                            4e15 * byte,
                            5.7 * terabyte,
                            40 * second,
                            600 * gigabyte,
                            2 * terabyte,
                            StorageBound::read};
  add_cost(s);
  return s;
}

inline std::vector<SizedCluster> small_and_large() {
  return {site(), site(large_site_shape)};
}

/// A small one whose racks cannot be cooled.
inline SizedCluster failing_site() {
  SizedCluster s = site();
  s.plan.verdicts.insert(s.plan.verdicts.begin(),
                         {"cooling of a rack", false, "40.8 kW of 30 kW", "facility.cooling.racks"});
  return s;
}

/// A small one where nobody knows what transceivers and racks cost.
inline SizedCluster unpriced_site() {
  SizedCluster s = site();
  for (PricedItem& item : s.cost.items) {
    if (item.item.chapter != BillChapter::transceivers && item.item.chapter != BillChapter::racks) continue;
    s.cost.capex_total -= item.total();
    s.cost.capex[static_cast<std::size_t>(item.item.chapter)].amount -= item.total();
    item.each.reset();
    item.source.clear();
    s.cost.unpriced.push_back(item.item.part);
  }
  return s;
}

}  // namespace clusterwright::made_up
