// SPDX-License-Identifier: Apache-2.0
#include "tools/output/site_papers.hpp"

#include <fmt/format.h>

#include "models/site/plant/patch_list.hpp"
#include "models/site/plant/rack_elevations.hpp"

namespace clusterwright {

namespace {

constexpr std::string_view between_ends = "; ";

Cell words_cell(const std::string& words) {
  return words.empty() ? Cell() : Cell(words);
}

/// Texts of the ends of a cable: one text where all are equal.
std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between_ends)) + word;
  return text;
}

void add_ends(const SitePlan& plan, const PatchCable& cable, const std::vector<PatchEnd>& ends,
              std::vector<Cell>& row) {
  std::vector<std::string> racks, units, devices, names, ports;
  for (const PatchEnd& end : ends) {
    const PlacedDevice& placed = plan.devices[end.device];
    racks.push_back(plan.floor.racks[placed.rack].name);
    units.push_back(is_power_strip(plan, end.device) ? "-" : machine_text(lowest_unit(placed)));
    devices.push_back(plan.device_kinds[placed.kind].what);
    names.push_back(device_name(plan, end.device));
    ports.push_back(port_name(plan, cable, end));
  }
  for (const auto* words : {&racks, &units, &devices, &names, &ports}) row.emplace_back(joined(*words));
}

std::vector<Column> end_columns(const std::string& side) {
  return {words_column(side + "_rack", "Rack"), words_column(side + "_unit", "Unit"),
          words_column(side + "_device", "Device"), words_column(side + "_name", "Name"),
          words_column(side + "_port", "Port")};
}

}  // namespace

ResultTable elevation_table(const SitePlan& plan) {
  ResultTable table{"Devices by rack unit",
                    {words_column("rack", "Rack"),
                     {"row", "Row", ""},
                     {"place", "Place", ""},
                     {"lowest_u", "Lowest unit", ""},
                     {"height_u", "Height", "U"},
                     words_column("device", "Device"),
                     words_column("part", "Part"),
                     words_column("name", "Name")},
                    {}};
  for (const auto& devices : devices_of_racks(plan))
    for (const DeviceId id : devices) {
      const PlacedDevice& device = plan.devices[id];
      const DeviceKind& kind = plan.device_kinds[device.kind];
      const PlacedRack& rack = plan.floor.racks[device.rack];
      table.rows.push_back({rack.name, rack.row + 1, rack.place + 1,
                            is_power_strip(plan, id) ? Cell() : Cell(lowest_unit(device)), kind.rack_units, kind.what,
                            words_cell(kind.part), device_name(plan, id)});
    }
  return table;
}

ResultTable patch_table(const SitePlan& plan) {
  ResultTable table{
      "Cables", {words_column("label", "Label"), words_column("network", "Network"), words_column("link", "Link")}, {}};
  for (const char* side : {"from", "to"}) {
    const std::vector<Column> columns = end_columns(side);
    table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  }
  for (Column column :
       {words_column("kind", "Kind"), words_column("part", "Part"), words_column("from_module", "Module"),
        words_column("to_module", "Module"), Column{"routed_m", "Routed", "m"}, Column{"bought_m", "Bought", "m"}})
    table.columns.push_back(std::move(column));
  std::size_t number = 0;
  for (const PatchCable& cable : patch_list(plan)) {
    const CableTotal& total = plan.cables[cable.total.value];
    std::vector<Cell> row = {fmt::format("{:06}", ++number), total.network, total.link};
    add_ends(plan, cable, cable.lower, row);
    add_ends(plan, cable, cable.upper, row);
    row.insert(row.end(), {total.kind, total.part, words_cell(total.lower_module), words_cell(total.upper_module),
                           cable.routed.in(meter), cable.bought.in(meter)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace clusterwright
