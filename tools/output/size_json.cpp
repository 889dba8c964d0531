// SPDX-License-Identifier: Apache-2.0
#include "tools/output/size_json.hpp"

#include <cmath>
#include <string>

#include "tools/output/cost_json.hpp"
#include "tools/output/cost_output.hpp"
#include "tools/output/floor_drawing.hpp"
#include "tools/output/plant_tables.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_json.hpp"
#include "tools/output/result_table.hpp"
#include "tools/output/size_tables.hpp"
#include "tools/output/training_run_output.hpp"
#include "tools/output/warnings.hpp"

namespace clusterwright {

namespace {

JsonValue integer(long long value) {
  return std::int64_t{value};
}
JsonValue kw(Watts power) {
  return power.in(kilowatt);
}
template <class T>
JsonValue or_null(const std::optional<T>& value) {
  return value ? JsonValue(*value) : JsonValue();
}
template <class Q>
JsonValue or_null(const std::optional<Q>& value, Q unit) {
  return value ? JsonValue(value->in(unit)) : JsonValue();
}

JsonValue json_of(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::number:
      return cell.number;
    case Cell::Kind::count:
      return cell.count;
    case Cell::Kind::text:
      return cell.text;
    default:
      return {};
  }
}

/// Rows of a table as objects, by the keys of the columns.
JsonValue rows_of(const ResultTable& table) {
  JsonValue list = JsonValue::list();
  for (const auto& row : table.rows) {
    JsonValue object = JsonValue::object();
    for (std::size_t column = 0; column < row.size(); ++column)
      object.set(table.columns[column].key, json_of(row[column]));
    list.push_back(std::move(object));
  }
  return list;
}

JsonValue racks_to_json(const FloorPlan& floor) {
  JsonValue racks = JsonValue::object({{"total", static_cast<std::int64_t>(floor.racks.size())}});
  const auto counts = racks_by_role(floor);
  for (std::size_t role = 0; role < counts.size(); ++role)
    racks.set(std::string(rack_role_names[role]), integer(counts[role]));
  return racks;
}

/// Numbers of switches by network and tier.
JsonValue switches_to_json(const SitePlan& plan) {
  JsonValue switches = JsonValue::object({{"total", 0}});
  long long total = 0;
  for (const SwitchTotal& part : plan.switches) {
    total += part.count;
    if (!switches.find(part.network)) switches.set(part.network, JsonValue::object());
    JsonValue& network = *switches.find(part.network);
    const JsonValue* const before = network.find(part.tier);
    network.set(part.tier, integer(part.count + (before ? before->as_integer() : 0)));
  }
  switches.set("total", integer(total));
  return switches;
}

JsonValue cables_to_json(const SitePlan& plan) {
  JsonValue cables = rows_of(cable_table(plan));
  for (std::size_t i = 0; i < plan.cables.size(); ++i) {
    JsonValue lengths = JsonValue::list();
    for (const LengthBin& bin : plan.cables[i].lengths)
      lengths.push_back(JsonValue::object({{"length_m", bin.length.in(meter)}, {"links", integer(bin.links)}}));
    cables.elements()[i].set("lengths", lengths);
  }
  return cables;
}

JsonValue transceivers_to_json(const SitePlan& plan) {
  long long total = 0;
  for (const TransceiverTotal& part : plan.transceivers) total += part.count;
  return JsonValue::object({{"total", integer(total)}, {"parts", rows_of(transceiver_table(plan))}});
}

JsonValue tree_to_json(const PowerNode& node) {
  JsonValue parts = JsonValue::list();
  for (const PowerNode& part : node.parts) parts.push_back(tree_to_json(part));
  return JsonValue::object({{"name", node.name}, {"kw", kw(node.power)}, {"parts", parts}});
}

JsonValue power_at(const FacilityPower& power) {
  return JsonValue::object({{"nodes_kw", kw(power.nodes)},
                            {"it_kw", kw(power.it)},
                            {"losses_kw", kw(power.losses)},
                            {"cooling_kw", kw(power.cooling)},
                            {"other_kw", kw(power.other)},
                            {"facility_kw", kw(power.facility)},
                            {"pue", power.pue}});
}

JsonValue power_or_null(const std::optional<FacilityPower>& power) {
  return power ? power_at(*power) : JsonValue();
}

JsonValue plants_to_json(const CoolingLoad& cooling) {
  JsonValue list = JsonValue::list();
  for (const PlantUnits& plant : cooling.plants)
    list.push_back(JsonValue::object({{"what", plant.what},
                                      {"part", plant.part},
                                      {"heat_kw", kw(plant.heat)},
                                      {"unit_kw", plant.each ? JsonValue(kw(*plant.each)) : JsonValue()},
                                      {"needed", integer(plant.needed)},
                                      {"units", integer(plant.units)}}));
  return list;
}

JsonValue feeds_to_json(const RackFeeds& feeds) {
  return JsonValue::object({{"part", text_or_null(feeds.part)},
                            {"feeds", feeds.feeds},
                            {"needed", feeds.needed},
                            {"usable_kw", kw(feeds.usable)},
                            {"after_loss_kw", kw(feeds.after_loss)},
                            {"amperes", feeds.amperes}});
}

JsonValue power_to_json(const SitePlan& plan) {
  return JsonValue::object({{"stages", rows_of(power_stage_table(plan))},
                            {"feeds", feeds_to_json(plan.feeds)},
                            {"mean", power_at(plan.mean)},
                            {"rated", power_at(plan.rated)},
                            {"peak", power_or_null(plan.peak)},
                            {"crest", power_or_null(plan.crest)},
                            {"tree", JsonValue::object({{"mean", tree_to_json(plan.mean.tree)},
                                                        {"rated", tree_to_json(plan.rated.tree)}})}});
}

JsonValue cooling_to_json(const CoolingLoad& cooling) {
  return JsonValue::object(
      {{"kind", text_or_null(cooling.kind)},
       {"liquid_kw", kw(cooling.liquid)},
       {"air_kw", kw(cooling.air)},
       {"coolant_l_per_min", or_null(cooling.coolant_l_per_min)},
       {"air_m3_per_h", cooling.air_m3_per_h},
       {"air_kg_per_s", cooling.air_kg_per_s},
       {"rack_air_kw", kw(cooling.rack_air)},
       {"coolant_supply_c", cooling.coolant_l_per_min ? JsonValue(cooling.coolant_supply_c) : JsonValue()},
       {"coolant_return_c", cooling.coolant_l_per_min ? JsonValue(cooling.coolant_return_c) : JsonValue()},
       {"air_supply_c", cooling.air_supply_c},
       {"air_return_c", cooling.air_return_c},
       {"hottest_c", cooling.hottest_c},
       {"compressor_share", cooling.compressor_share},
       {"coolant_unit", text_or_null(cooling.coolant_unit)},
       {"coolant_units", integer(cooling.coolant_units)},
       {"plants", plants_to_json(cooling)},
       {"pue_share", cooling.pue_share},
       {"wue_l_per_kwh", cooling.wue_l_per_kwh},
       {"design_day_water_l_per_s", cooling.peak_water_l_per_s}});
}

JsonValue rack_to_json(const PlacedRack& rack) {
  JsonValue contents = JsonValue::list();
  for (const RackContent& content : rack.contents)
    contents.push_back(JsonValue::object({{"what", content.what}, {"part", content.part}, {"count", content.count}}));
  const bool compute = rack.nodes > 0;
  return JsonValue::object({{"name", rack.name},
                            {"role", rack_role_names[static_cast<std::size_t>(rack.role)]},
                            {"row", rack.row},
                            {"place", rack.place},
                            {"x_m", rack.x.in(meter)},
                            {"y_m", rack.y.in(meter)},
                            {"used_u", rack.used_u},
                            {"mass_kg", rack.mass.in(kilogram)},
                            {"rated_kw", kw(rack.rated)},
                            {"to_air_kw", kw(rack.to_air)},
                            {"first_node", compute ? JsonValue(rack.first_node) : JsonValue()},
                            {"nodes", rack.nodes},
                            {"contents", contents}});
}

JsonValue rooms_to_json(const FloorPlan& floor) {
  JsonValue rooms = JsonValue::list();
  const auto placed = [](const auto& thing) {
    return JsonValue::object({{"x_m", thing.x.in(meter)},
                              {"y_m", thing.y.in(meter)},
                              {"length_m", thing.length.in(meter)},
                              {"width_m", thing.width.in(meter)}});
  };
  for (const PlantRoom& room : floor.rooms) {
    JsonValue units = JsonValue::list();
    for (const PlacedPlant& unit : room.units) {
      JsonValue document = placed(unit);
      document.set("what", unit.what);
      document.set("part", unit.part);
      units.push_back(std::move(document));
    }
    JsonValue document = placed(room);
    document.set("name", room.name);
    document.set("area_m2", room.area_m2());
    document.set("units", std::move(units));
    rooms.push_back(std::move(document));
  }
  return rooms;
}

JsonValue floor_to_json(const FloorPlan& floor) {
  JsonValue racks = JsonValue::list();
  for (const PlacedRack& rack : floor.racks) racks.push_back(rack_to_json(rack));
  JsonValue aisles = JsonValue::list();
  for (const Aisle& aisle : floor.aisles)
    aisles.push_back(JsonValue::object(
        {{"from_m", aisle.from.in(meter)}, {"to_m", aisle.to.in(meter)}, {"kind", aisle.cold ? "cold" : "hot"}}));
  return JsonValue::object({{"length_m", floor.length.in(meter)},
                            {"width_m", floor.width.in(meter)},
                            {"rows", floor.rows},
                            {"racks_per_row", floor.racks_per_row},
                            {"nodes_per_rack", floor.nodes_per_rack},
                            {"nodes_per_unit", floor.nodes_per_unit},
                            {"frame", text_or_null(floor.frame)},
                            {"rack_width_m", floor.rack_width.in(meter)},
                            {"rack_depth_m", floor.rack_depth.in(meter)},
                            {"limits", rows_of(rack_limit_table(floor))},
                            {"aisles", aisles},
                            {"rooms", rooms_to_json(floor)},
                            {"racks", racks}});
}

JsonValue storage_to_json(const std::optional<StorageSizing>& storage) {
  if (!storage) return {};
  const StorageSizing& sizing = *storage;
  const BytesPerSecond rate = gigabyte_per_second;
  return JsonValue::object({{"part", text_or_null(sizing.part)},
                            {"appliances", integer(sizing.appliances)},
                            {"bound", text_or_null(std::string(sizing.bound_name()))},
                            {"read_needed_gb_per_s", sizing.read_needed.in(rate)},
                            {"read_given_gb_per_s", sizing.read_given.in(rate)},
                            {"write_needed_gb_per_s", sizing.write_needed.in(rate)},
                            {"write_given_gb_per_s", sizing.write_given.in(rate)},
                            {"capacity_needed_gb", sizing.capacity_needed.in(gigabyte)},
                            {"capacity_given_gb", sizing.capacity_given.in(gigabyte)},
                            {"checkpoint_gb", or_null(sizing.checkpoint, gigabyte)},
                            {"checkpoint_s", or_null(sizing.checkpoint_time, second)},
                            {"host_memory_needed_gb", or_null(sizing.host_memory_needed, gigabyte)},
                            {"host_memory_gb", or_null(sizing.host_memory, gigabyte)}});
}

JsonValue scale_up_to_json(const std::optional<ScaleUpCheck>& check) {
  if (!check) return {};
  return JsonValue::object({{"gpus", check->accelerators},
                            {"racks", check->racks},
                            {"cables", integer(check->cables)},
                            {"longest_m", check->longest.in(meter)},
                            {"total_length_m", check->total_length.in(meter)},
                            {"reach_m", or_null(check->reach, meter)},
                            {"mass_kg", check->mass.in(kilogram)},
                            {"holds", check->holds},
                            {"arithmetic", check->arithmetic}});
}

JsonValue node_power_to_json(const NodePower& node) {
  const auto swing = [&](Watts PowerSwing::*member) {
    return node.swing ? JsonValue(kw((*node.swing).*member)) : JsonValue();
  };
  return JsonValue::object({{"rated_kw", kw(node.rated)},
                            {"nameplate_kw", kw(node.nameplate)},
                            {"mean_kw", kw(node.mean)},
                            {"peak_kw", swing(&PowerSwing::peak)},
                            {"crest_kw", swing(&PowerSwing::crest)},
                            {"trough_kw", swing(&PowerSwing::trough)},
                            {"source", text_or_null(node.source)}});
}

JsonValue verdicts_to_json(const SitePlan& plan) {
  JsonValue list = JsonValue::list();
  for (const SiteVerdict& verdict : plan.verdicts)
    list.push_back(JsonValue::object({{"what", verdict.what},
                                      {"holds", verdict.holds},
                                      {"arithmetic", verdict.arithmetic},
                                      {"field", text_or_null(verdict.field)}}));
  return list;
}

void add_machines(JsonValue& document, const SitePlan& plan) {
  document.set("gpus", plan.accelerators);
  document.set("nodes", plan.nodes);
  document.set("spare_nodes", plan.spare_nodes);
  document.set("racks", racks_to_json(plan.floor));
  document.set("switches", switches_to_json(plan));
  document.set("cables", cables_to_json(plan));
  document.set("transceivers", transceivers_to_json(plan));
  document.set("scale_up", scale_up_to_json(plan.scale_up));
}

void add_power(JsonValue& document, const SitePlan& plan) {
  document.set("it_kw", kw(plan.mean.it));
  document.set("it_kw_rated", kw(plan.rated.it));
  document.set("it_kw_crest", plan.crest ? JsonValue(kw(plan.crest->it)) : JsonValue());
  document.set("it_kw_peak", plan.peak ? JsonValue(kw(plan.peak->it)) : JsonValue());
  document.set("nodes_kw", kw(plan.mean.nodes));
  document.set("nodes_kw_rated", kw(plan.rated.nodes));
  document.set("nodes_kw_crest", plan.crest ? JsonValue(kw(plan.crest->nodes)) : JsonValue());
  document.set("nodes_kw_peak", plan.peak ? JsonValue(kw(plan.peak->nodes)) : JsonValue());
  document.set("facility_kw", kw(plan.mean.facility));
  document.set("facility_kw_rated", kw(plan.rated.facility));
  document.set("pue", plan.mean.pue);
  document.set("node_power", node_power_to_json(plan.node));
  document.set("power", power_to_json(plan));
  document.set("cooling", cooling_to_json(plan.cooling));
}

void add_cost(JsonValue& document, const SizedCluster& sized) {
  document.set("capex_usd", sized.cost.capex_total.in(dollar));
  document.set("capex_usd_low", sized.cost.low.capex_total.in(dollar));
  document.set("capex_usd_high", sized.cost.high.capex_total.in(dollar));
  document.set("opex_usd_per_year", sized.cost.opex_total.in(dollar));
  document.set("cost", cost_to_json(sized.cost));
  document.set("bill", rows_of(purchasing_list(sized)));
}

}  // namespace

JsonValue size_to_json(const ResultContext& context, const SizedCluster& sized) {
  JsonValue document = result_header(context.command, context.seed, context.inputs);
  document.set("scenario", context.scenario);
  document.set("cluster", sized.name);
  document.set("accelerator", sized.accelerator);
  document.set("holds", sized.plan.holds());
  add_machines(document, sized.plan);
  add_power(document, sized.plan);
  document.set("mass_kg", sized.plan.mass.in(kilogram));
  document.set("storage", storage_to_json(sized.storage));
  add_cost(document, sized);
  document.set("run_cost", priced_run_json(sized));
  document.set("step", sized.step ? step_to_json(*sized.step) : JsonValue());
  document.set("floor", floor_to_json(sized.plan.floor));
  document.set("verdicts", verdicts_to_json(sized.plan));
  document.set("warnings", warnings_json(warnings_of(context.warnings, sized.plan.warnings)));
  return document;
}

}  // namespace clusterwright
