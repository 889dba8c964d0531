// SPDX-License-Identifier: Apache-2.0
#include "tools/output/plant_tables.hpp"

#include <fmt/format.h>

#include <cctype>

#include "tools/output/fact_table.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

/// @param above  "IT / nodes / "
void add_branches(ResultTable& table, const PowerNode& node, const std::string& above, Watts whole) {
  for (const PowerNode& part : node.parts) {
    table.rows.push_back(
        {above + part.name, watts_cell(part.power), whole > Watts() ? Cell(part.power / whole) : Cell()});
    add_branches(table, part, above + part.name + " / ", whole);
  }
}

std::string degrees(double from, double to) {
  return fmt::format("{} to {} C", significant_text(from, 3), significant_text(to, 3));
}

std::string capitalised(std::string words) {
  if (!words.empty()) words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words;
}

/// "4 chiller with free cooling of 1,400 kW for 3,710 kW, 3 needed"
std::string plant_text(const PlantUnits& plant) {
  if (!plant.each)
    return fmt::format("{} for {}; not counted, since the size of a unit is not known", plant.part,
                       power_text(plant.heat));
  return fmt::format("{} {} of {} for {} on the design day; {} carry it", count_text(plant.units), plant.part,
                     power_text(*plant.each), power_text(plant.heat), count_text(plant.needed));
}

}  // namespace

ResultTable power_stage_table(const SitePlan& plan) {
  ResultTable table{"Power chain at rated load",
                    {words_column("kind", "Power stage"),
                     words_column("part", "Part"),
                     words_column("redundancy", "Redundancy"),
                     {"modules", "Modules", ""},
                     {"rating_va", "Module", "kVA", 1e-3, 0},
                     {"phases", "Phases", ""},
                     {"rating_w", "Module", "kW", 1e-3, 0},
                     kilowatts("output_w", "Output"),
                     percent_column("load", "Load"),
                     percent_column("load_after_loss", "After loss"),
                     percent_column("efficiency", "Efficiency"),
                     {"amperes", "Current", "A", 1, 0}},
                    {}};
  for (const PowerStageLoad& stage : plan.power_stages)
    table.rows.push_back({power_stage_kind_names[static_cast<std::size_t>(stage.kind)], stage.part,
                          redundancy_names[static_cast<std::size_t>(stage.redundancy)], std::int64_t{stage.modules},
                          watts_cell(stage.apparent), stage.phases, watts_cell(stage.rating), watts_cell(stage.output),
                          stage.load, stage.load_after_loss > 0 ? Cell(stage.load_after_loss) : Cell(),
                          stage.efficiency, stage.amperes ? Cell(*stage.amperes) : Cell()});
  return table;
}

ResultTable facility_power_table(const SitePlan& plan) {
  ResultTable table{
      "Power by load",
      {words_column("load", "Load"), words_column("weather", "Weather"), kilowatts("nodes_w", "Nodes"),
       kilowatts("it_w", "IT"), kilowatts("losses_w", "Losses"), kilowatts("cooling_w", "Cooling"),
       kilowatts("other_w", "Other"), kilowatts("facility_w", "Facility"), Column{"pue", "PUE", "", 1, 3}},
      {}};
  const auto add = [&](std::string_view name, std::string_view weather, const FacilityPower& power) {
    table.rows.push_back({name, weather, watts_cell(power.nodes), watts_cell(power.it), watts_cell(power.losses),
                          watts_cell(power.cooling), watts_cell(power.other), watts_cell(power.facility), power.pue});
  };
  add("rated", "design day", plan.rated);
  if (plan.peak) add("peak", "design day", *plan.peak);
  if (plan.crest) add("crest", "design day", *plan.crest);
  add("mean", "mean of a year", plan.mean);
  return table;
}

ResultTable power_tree_table(const SitePlan& plan) {
  ResultTable table{"Power at mean load",
                    {words_column("branch", "Branch"), kilowatts("power_w", "Power"), percent_column("share", "Share")},
                    {}};
  const PowerNode& tree = plan.mean.tree;
  if (tree.parts.empty()) return table;
  table.rows.push_back({tree.name, watts_cell(tree.power), 1.0});
  add_branches(table, tree, "", tree.power);
  return table;
}

ResultTable cooling_table(const CoolingLoad& cooling) {
  FactTable facts("Cooling at rated load");
  if (cooling.kind.empty()) return facts.take();
  facts.add("Kind", cooling.kind);
  facts.add("Heat", fmt::format("{} to liquid, {} to air", power_text(cooling.liquid), power_text(cooling.air)));
  if (cooling.coolant_l_per_min)
    facts.add("Coolant", fmt::format("{} l/min, {}", fixed_text(*cooling.coolant_l_per_min, 0),
                                     degrees(cooling.coolant_supply_c, cooling.coolant_return_c)));
  if (cooling.coolant_units > 0)
    facts.add("Coolant units", fmt::format("{} {}", count_text(cooling.coolant_units), cooling.coolant_unit));
  for (const PlantUnits& plant : cooling.plants) facts.add(capitalised(plant.what), plant_text(plant));
  facts.add("Air", fmt::format("{} m3/h ({} kg/s), {}", fixed_text(cooling.air_m3_per_h, 0),
                               significant_text(cooling.air_kg_per_s, 3),
                               degrees(cooling.air_supply_c, cooling.air_return_c)));
  facts.add("Air heat of one rack", power_text(cooling.rack_air));
  facts.add("Outdoors", fmt::format("up to {} C; a compressor runs {} of the time",
                                    significant_text(cooling.hottest_c, 3), percent_text(cooling.compressor_share, 0)));
  facts.add("Mean of a year", fmt::format("{} of IT power, {} l of water per kWh", percent_text(cooling.pue_share),
                                          significant_text(cooling.wue_l_per_kwh, 2)));
  if (cooling.peak_water_l_per_s > 0)
    facts.add("Water", fmt::format("{} m3 a day at nameplates on the design day",
                                   significant_text(cooling.peak_water_l_per_s * 86.4, 3)));
  return facts.take();
}

ResultTable feed_table(const RackFeeds& feeds) {
  FactTable facts("Feeds of a compute rack");
  if (feeds.feeds == 0) return facts.take();
  facts.add("Feeds", fmt::format("{} {}; {} of them carry the rack", count_text(feeds.feeds), feeds.part,
                                 count_text(feeds.needed)));
  facts.add("Each", fmt::format("{} continuous; {} drawn{}", power_text(feeds.usable), power_text(feeds.each),
                                feeds.after_loss > Watts{}
                                    ? fmt::format(", {} after the loss of the spares", power_text(feeds.after_loss))
                                    : "; none may be lost"));
  facts.add("Current", fmt::format("{} A per phase", significant_text(feeds.amperes, 3)));
  return facts.take();
}

}  // namespace clusterwright
