// SPDX-License-Identifier: Apache-2.0
#include "tools/output/size_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/output/cost_output.hpp"
#include "tools/output/fact_table.hpp"
#include "tools/output/floor_drawing.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/site_drawing.hpp"
#include "tools/output/training_run_output.hpp"
#include "topology/nodes/node_parts.hpp"

namespace clusterwright {

namespace {

Cell words_or_nothing(const std::string& words) {
  return words.empty() ? Cell() : Cell(words);
}

std::string floor_text(const FloorPlan& floor) {
  return fmt::format("{} x {} m, {} m2; {} {}", fixed_text(floor.length.in(meter), 1),
                     fixed_text(floor.width.in(meter), 1), fixed_text(floor.length.in(meter)*floor.width.in(meter), 0),
                     count_text(floor.rows), floor.rows == 1 ? "row" : "rows");
}

/// "cooling gallery 1 81 m2, power room 90 m2, yard 300 m2; 25.0 x 40.2 m with the hall"
std::string rooms_text(const FloorPlan& floor) {
  std::string text;
  for (const PlantRoom& room : floor.rooms)
    text += fmt::format("{}{} {} m2", text.empty() ? "" : ", ", room.name, fixed_text(room.area_m2(), 0));
  const SiteExtent site = site_extent(floor);
  return fmt::format("{}; {} x {} m with the hall", text, fixed_text(site.length().in(meter), 1),
                     fixed_text(site.width().in(meter), 1));
}

std::string switches_text(const SitePlan& plan) {
  long long all = 0;
  std::string parts;
  for (const SwitchTotal& total : plan.switches) {
    all += total.count;
    parts += fmt::format("{}{} {} {}", parts.empty() ? ": " : ", ", count_text(total.count), total.network, total.tier);
  }
  return count_text(all) + parts;
}

std::string cables_text(const SitePlan& plan) {
  long long links = 0, cables = 0, modules = 0;
  Meters longest;
  for (const CableTotal& total : plan.cables) {
    links += total.links;
    cables += total.cables;
    longest = std::max(longest, total.longest);
  }
  for (const TransceiverTotal& total : plan.transceivers) modules += total.count;
  return fmt::format("{} for {} links, up to {} m long; {} transceivers", count_text(cables), count_text(links),
                     significant_text(longest.in(meter), 3), count_text(modules));
}

std::string per_accelerator(const SizedCluster& sized, Dollars money) {
  if (sized.plan.accelerators == 0) return {};
  return fmt::format(", {} per accelerator", money_text(money / sized.plan.accelerators));
}

void add_machines(FactTable& facts, const SizedCluster& sized) {
  const SitePlan& plan = sized.plan;
  facts.add("Accelerators", fmt::format("{} {}", count_text(plan.accelerators), sized.accelerator));
  facts.add("Nodes",
            fmt::format("{} {}, {} spare", count_text(plan.nodes), plan.node_part, count_text(plan.spare_nodes)));
  facts.add("Racks",
            fmt::format("{}: {}; {} nodes per rack", count_text(static_cast<long long>(plan.floor.racks.size())),
                        roles_text(plan.floor), count_text(plan.floor.nodes_per_rack)));
  facts.add("Floor", floor_text(plan.floor));
  if (!plan.floor.rooms.empty()) facts.add("Around it", rooms_text(plan.floor));
  facts.add("Switches", switches_text(plan));
  facts.add("Cables", cables_text(plan));
  facts.add("Mass", fmt::format("{} t", significant_text(plan.mass.in(1000 * kilogram), 3)));
}

/// Node power beside the nameplate and beside nodes of published runs.
std::string node_power_text(const NodePower& node) {
  std::string text = fmt::format("{} mean, {} of the nameplate (measured nodes: about {})", power_text(node.mean),
                                 percent_text(node.mean / node.nameplate, 0), percent_text(loaded_share_of_rating, 0));
  if (node.rated < node.nameplate) text += fmt::format("; {} with its power limits", power_text(node.rated));
  if (node.swing)
    text += fmt::format("; {} crest, {} trough", power_text(node.swing->crest), power_text(node.swing->trough));
  return text;
}

std::string loads_text(Watts mean, const std::optional<FacilityPower>& crest, Watts FacilityPower::*member,
                       Watts rated) {
  const std::string peak = crest ? fmt::format(", {} crest", power_text((*crest).*member)) : "";
  return fmt::format("{} mean{}, {} rated", power_text(mean), peak, power_text(rated));
}

void add_power(FactTable& facts, const SitePlan& plan) {
  if (plan.node.rated > Watts{}) facts.add("Node power", node_power_text(plan.node));
  facts.add("Nodes power", loads_text(plan.mean.nodes, plan.crest, &FacilityPower::nodes, plan.rated.nodes));
  facts.add("IT power", loads_text(plan.mean.it, plan.crest, &FacilityPower::it, plan.rated.it));
  facts.add(
      "Facility",
      fmt::format("{} mean, PUE {} over a year; {} on the design day at nameplates{}, PUE {}",
                  power_text(plan.mean.facility), fixed_text(plan.mean.pue, 3), power_text(plan.rated.facility),
                  plan.node.rated < plan.node.nameplate ? " and power limits" : "", fixed_text(plan.rated.pue, 3)));
}

void add_cost(FactTable& facts, const SizedCluster& sized) {
  const CostReport& cost = sized.cost;
  if (!cost.rented) facts.add("To buy", capex_text(cost) + per_accelerator(sized, cost.capex_total));
  facts.add(cost.rented ? "To rent" : "To run", fmt::format("{} a year {}", opex_text(cost), use_text(cost)));
  if (cost.per_hour.total() > Dollars())
    facts.add("Per GPU-hour", fmt::format("{} {}{}", hour_text(cost), use_text(cost),
                                          cost.rented ? "" : fmt::format(" over {:.3g} years", cost.years)));
  if (cost.usd_per_million_tokens)
    facts.add("Per million tokens", fmt::format("{} {}", tokens_text(cost), use_and_goodput_text(cost)));
  if (cost.carbon) facts.add("Carbon", carbon_text(cost));
  facts.add("Ranges", range_words(cost));
}

/// Length that a share of the links does not exceed.
Meters length_at(const CableTotal& cable, double share) {
  long long below = 0;
  for (const LengthBin& bin : cable.lengths) {
    below += bin.links;
    if (static_cast<double>(below) >= share * static_cast<double>(cable.links)) return bin.length;
  }
  return cable.lengths.back().length;
}

std::string modules_text(const CableTotal& cable) {
  if (cable.lower_module == cable.upper_module) return cable.lower_module;
  return cable.lower_module + " / " + cable.upper_module;
}

std::string given_of(double given, double needed, std::string_view unit) {
  return fmt::format("{} {}, {} needed", significant_text(given, 3), unit, significant_text(needed, 3));
}

/// Contents of one row of the hall.
struct RowTotal {
  std::array<long long, rack_role_names.size()> racks{};
  long long nodes = 0;
  Watts rated;
  bool operator==(const RowTotal&) const = default;
};

std::vector<RowTotal> row_totals(const FloorPlan& floor) {
  std::vector<RowTotal> rows;
  for (const PlacedRack& rack : floor.racks) {
    const auto row = static_cast<std::size_t>(rack.row);
    if (row >= rows.size()) rows.resize(row + 1);
    ++rows[row].racks[static_cast<std::size_t>(rack.role)];
    rows[row].nodes += rack.nodes;
    rows[row].rated += rack.rated;
  }
  return rows;
}

}  // namespace

ResultTable size_headline(const SizedCluster& sized) {
  FactTable facts("");
  add_machines(facts, sized);
  add_power(facts, sized.plan);
  add_cost(facts, sized);
  return facts.take();
}

ResultTable verdict_table(const SitePlan& plan, bool failing_only) {
  ResultTable table{"Constraints",
                    {words_column("what", "Constraint"), words_column("holds", "Holds"),
                     words_column("arithmetic", "Because"), words_column("field", "Field")},
                    {}};
  for (const SiteVerdict& verdict : plan.verdicts)
    if (!failing_only || !verdict.holds)
      table.rows.push_back(
          {verdict.what, verdict.holds ? "yes" : "NO", verdict.arithmetic, words_or_nothing(verdict.field)});
  return table;
}

ResultTable rack_limit_table(const FloorPlan& floor) {
  ResultTable table{"Limits on the nodes of a rack",
                    {words_column("limit", "Limit"), {"nodes", "Nodes", ""}, words_column("arithmetic", "Because")},
                    {}};
  for (const RackLimit& limit : floor.limits) table.rows.push_back({limit.name(), limit.nodes, limit.arithmetic});
  return table;
}

ResultTable floor_row_table(const FloorPlan& floor) {
  ResultTable table{"Rows of the hall", {words_column("rows", "Rows")}, {}};
  const auto all = racks_by_role(floor);
  for (std::size_t role = 0; role < all.size(); ++role)
    if (all[role] > 0)
      table.columns.push_back(
          {fmt::format("{}_racks", rack_role_names[role]), fmt::format("{} racks", rack_role_names[role]), ""});
  table.columns.push_back({"nodes", "Nodes", ""});
  table.columns.push_back(kilowatts("rated_w", "Rated, each row"));
  const std::vector<RowTotal> rows = row_totals(floor);
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    while (last < rows.size() && rows[last] == rows[first]) ++last;
    std::vector<Cell> cells{last - first == 1 ? fmt::format("{}", last)
                                              : fmt::format("{} to {}, each", first + 1, last)};
    for (std::size_t role = 0; role < all.size(); ++role)
      if (all[role] > 0) cells.emplace_back(std::int64_t{rows[first].racks[role]});
    cells.emplace_back(std::int64_t{rows[first].nodes});
    cells.push_back(watts_cell(rows[first].rated));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

ResultTable room_table(const FloorPlan& floor) {
  ResultTable table{"Rooms of power and cooling",
                    {words_column("room", "Room"),
                     {"length_m", "Length", "m", 1, 1},
                     {"width_m", "Width", "m", 1, 1},
                     {"area_m2", "Area", "m2", 1, 0},
                     words_column("units", "Units")},
                    {}};
  for (const PlantRoom& room : floor.rooms)
    table.rows.push_back({room.name, room.length.in(meter), room.width.in(meter), room.area_m2(), room_units(room)});
  return table;
}

ResultTable switch_table(const SitePlan& plan) {
  ResultTable table{"Switches",
                    {words_column("network", "Network"),
                     words_column("tier", "Tier"),
                     words_column("part", "Part"),
                     {"count", "Count", ""},
                     {"rated_w_each", "Rated, each", "W", 1, 0},
                     {"expected_w_each", "Expected, each", "W", 1, 0},
                     kilowatts("rated_w", "Rated, total")},
                    {}};
  for (const SwitchTotal& total : plan.switches)
    table.rows.push_back({total.network, total.tier, words_or_nothing(total.part), std::int64_t{total.count},
                          watts_cell(total.rated_each), watts_cell(total.expected_each),
                          watts_cell(static_cast<double>(total.count) * total.rated_each)});
  return table;
}

ResultTable cable_table(const SitePlan& plan) {
  ResultTable table{"Cables",
                    {words_column("network", "Network"),
                     words_column("link", "Link"),
                     words_column("kind", "Kind"),
                     words_column("part", "Part"),
                     words_column("modules", "Modules"),
                     {"rate_gbit_per_s", "Rate", "Gbit/s", 1, 0},
                     {"links", "Links", ""},
                     {"cables", "To buy", ""},
                     {"shortest_m", "Shortest", "m", 1, 1},
                     {"median_m", "Median", "m", 1, 1},
                     {"longest_m", "Longest", "m", 1, 1},
                     {"longest_routed_m", "Longest routed", "m", 1, 1}},
                    {}};
  for (const CableTotal& total : plan.cables) {
    const auto length = [&](double share) {
      return total.lengths.empty() ? Cell() : length_at(total, share).in(meter);
    };
    table.rows.push_back({total.network, total.link, words_or_nothing(total.kind), words_or_nothing(total.part),
                          words_or_nothing(modules_text(total)), total.rate.in(gigabit_per_second),
                          std::int64_t{total.links}, std::int64_t{total.cables}, length(0), length(0.5), length(1),
                          total.longest.in(meter)});
  }
  return table;
}

ResultTable transceiver_table(const SitePlan& plan) {
  ResultTable table{"Transceivers", {words_column("part", "Part"), {"count", "Count", ""}}, {}};
  for (const TransceiverTotal& total : plan.transceivers) table.rows.push_back({total.part, std::int64_t{total.count}});
  return table;
}

ResultTable storage_table(const StorageSizing& storage) {
  FactTable facts("Storage");
  facts.add("Appliances",
            fmt::format("{} {}, set by {}", count_text(storage.appliances), storage.part, storage.bound_name()));
  facts.add("Read",
            given_of(storage.read_given.in(gigabyte_per_second), storage.read_needed.in(gigabyte_per_second), "GB/s"));
  facts.add("Write", given_of(storage.write_given.in(gigabyte_per_second), storage.write_needed.in(gigabyte_per_second),
                              "GB/s"));
  facts.add("Capacity", given_of(storage.capacity_given.in(terabyte), storage.capacity_needed.in(terabyte), "TB"));
  if (storage.checkpoint)
    facts.add("Checkpoint", fmt::format("{} TB{}", significant_text(storage.checkpoint->in(terabyte), 3),
                                        storage.checkpoint_time
                                            ? fmt::format(", written in {} s",
                                                          significant_text(storage.checkpoint_time->in(second), 3))
                                            : std::string()));
  if (storage.host_memory_needed && storage.host_memory)
    facts.add("Host memory",
              given_of(storage.host_memory->in(gigabyte), storage.host_memory_needed->in(gigabyte), "GB per node"));
  return facts.take();
}

ResultTable scale_up_table(const SitePlan& plan) {
  FactTable facts("Scale-up links inside a machine");
  if (plan.scale_up) {
    const ScaleUpCheck& check = *plan.scale_up;
    facts.add("Machine",
              fmt::format("{} accelerators in {} racks", count_text(check.accelerators), count_text(check.racks)));
    facts.add("Cables",
              fmt::format("{}, {} m and {} kg in total", count_text(check.cables),
                          fixed_text(check.total_length.in(meter), 0), fixed_text(check.mass.in(kilogram), 0)));
    facts.add("Longest", fmt::format("{} m; copper reaches {}", significant_text(check.longest.in(meter), 3),
                                     check.reach ? significant_text(check.reach->in(meter), 3) + " m"
                                                 : std::string("an unknown length")));
    facts.add("Holds", fmt::format("{}: {}", check.holds ? "yes" : "NO", check.arithmetic));
  }
  return facts.take();
}

}  // namespace clusterwright
