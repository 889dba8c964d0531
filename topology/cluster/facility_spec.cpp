// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/facility_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<Redundancy> {
  static constexpr auto names = redundancy_names;
};

template <>
struct EnumNames<StageLoad> {
  static constexpr auto names = stage_load_names;
};

namespace {

constexpr double largest_rate = 1e6;      // GB/s
constexpr double largest_capacity = 1e9;  // TB
constexpr double longest_m = 10000;

FieldRule length(const char* help) {
  return {.help = help, .min = 0, .max = longest_m};
}

FieldRule positive(const char* help, double max = 1e9) {
  return {.help = help, .min = 0, .max = max, .above_min = true};
}

FieldRule units(const char* help) {
  return {.help = help, .min = 0, .max = 60};
}

}  // namespace

const Record<RackRules>& record(const RackRules*) {
  using S = RackRules;
  static const auto table =
      Record<S>("rack_rules", "How racks are filled")
          .optional("frame", &S::frame, {.help = "which rack", .catalog = "racks"})
          .optional("nodes", &S::nodes,
                    {.help = "in one rack at most, whatever else would allow", .min = 1, .max = 256})
          .optional("power_limit_kw", &S::power_limit, positive("rated power of all that stands in one rack"))
          .optional("reserved_u", &S::reserved_u, units("of a compute rack: power strips, air gaps, patch panels"))
          .optional("reserved_network_u", &S::reserved_network_u, units("of a rack of switches: cable management"))
          .optional("unit_racks", &S::unit_racks,
                    {.help = "compute racks that share a rack of switches, at least", .min = 1, .max = 1024});
  return table;
}

const Record<HallSpec>& record(const HallSpec*) {
  using S = HallSpec;
  static const auto table =
      Record<S>("hall", "The room that racks stand in")
          .optional("length_m", &S::length, positive("along the rows; as large as needed if not given"))
          .optional("width_m", &S::width, positive("across the rows; as large as needed if not given"))
          .optional(
              "racks_per_row", &S::racks_per_row,
              {.help = "as the length allows, else so that the hall is nearly square, if auto", .min = 1, .max = 1000})
          .optional("cold_aisle_m", &S::cold_aisle, length("between the fronts of two rows"))
          .optional("hot_aisle_m", &S::hot_aisle, length("between the backs of two rows"))
          .optional("margin_m", &S::margin, length("free on all four sides"))
          .optional("floor_load_kg_per_m2", &S::floor_load_kg_per_m2,
                    {.help = "that a rack may put on its own footprint; 0: not checked", .min = 0, .unit = "kg/m2"})
          .optional("tray_above_rack_m", &S::tray_above_rack, length("height of cable trays over the racks"))
          .optional("slack_m", &S::slack, length("of a cable between racks, both ends together"))
          .optional("slack_in_rack_m", &S::slack_in_rack, length("of a cable inside one rack"))
          .optional("power_limit_kw", &S::power_limit, positive("of all equipment in the hall, rated"));
  return table;
}

const Record<PowerStageSpec>& record(const PowerStageSpec*) {
  using S = PowerStageSpec;
  static const auto table =
      Record<S>("power_stage_use", "Modules of one kind that pass power on")
          .required("part", &S::part, {.help = "which module", .catalog = "power_stages"})
          .optional("redundancy", &S::redundancy, {.help = "what may fail without loss of load"})
          .optional("group", &S::group,
                    {.help = "of a catcher: modules that share one in reserve", .min = 2, .max = 64})
          .optional("carries", &S::carries,
                    {.help = "what hangs on it: the machines; also pumps and fans of the hall; also plants that cool"});
  return table;
}

const Record<PowerChainSpec>& record(const PowerChainSpec*) {
  using S = PowerChainSpec;
  static const auto table =
      Record<S>("power_chain", "From the grid to the racks")
          .optional("grid_limit_kw", &S::grid_limit, positive("what the utility grants"))
          .optional("power_factor", &S::power_factor, {.help = "of the machines", .min = 0.1, .max = 1})
          .optional("continuous_share", &S::continuous_share,
                    {.help = "of a breaker's rating that may be drawn for hours", .min = 0.1, .max = 1})
          .optional("stages", &S::stages, {.help = "from the grid to the racks", .max_elements = 16})
          .optional("circuit", &S::circuit, {.help = "feed of a rack", .catalog = "power_stages"})
          .optional("feeds", &S::feeds, {.help = "of a rack: which loss it survives"})
          .optional("most_feeds", &S::most_feeds, {.help = "that a rack has room for", .min = 1, .max = 64})
          .optional("other_share", &S::other_share,
                    {.help = "lights, offices, security: of the power of the machines", .min = 0, .max = 1});
  return table;
}

const Record<CoolingSpec>& record(const CoolingSpec*) {
  using S = CoolingSpec;
  static const auto table =
      Record<S>("cooling", "How heat leaves racks and building")
          .optional("racks", &S::racks, {.help = "how it leaves a rack", .catalog = "rack_cooling"})
          .optional("rejection", &S::rejection, {.help = "how it leaves the building", .catalog = "heat_rejection"})
          .optional(
              "air_rejection", &S::air_rejection,
              {.help = "of the heat in the hall's air, where another plant takes it", .catalog = "heat_rejection"})
          .optional("climate", &S::climate, {.help = "outdoor temperatures", .catalog = "climates"})
          .optional("coolant_unit", &S::coolant_unit, {.help = "empty without liquid", .catalog = "coolant_units"})
          .optional("redundancy", &S::redundancy, {.help = "of coolant units"})
          .optional("supply_c", &S::supply_c,
                    {.help = "of the coolant, or of air without liquid; as usual for the kind if not given",
                     .min = 5,
                     .max = 60});
  return table;
}

const Record<SideNetworkSpec>& record(const SideNetworkSpec*) {
  using S = SideNetworkSpec;
  static const auto table =
      Record<S>("side_network", "A network beside the one that trains: storage, provisioning")
          .required("name", &S::name, {.help = "for people"})
          .required("switch", &S::switch_part, {.help = "which part", .catalog = "switches"})
          .optional("ports_per_node", &S::ports_per_node, {.help = "of one node", .min = 1, .max = 64})
          .optional("ports_per_server", &S::ports_per_server, {.help = "of one service node", .min = 0, .max = 64})
          .optional("storage", &S::storage, {.help = "storage appliances hang on it"})
          .optional("taper", &S::taper,
                    {.help = "capacity down over capacity up of its lower switches", .min = 1, .max = 64});
  return table;
}

const Record<StorageNeedSpec>& record(const StorageNeedSpec*) {
  using S = StorageNeedSpec;
  static const auto table =
      Record<S>("storage_need", "What the file system must carry")
          .optional("part", &S::part, {.help = "which appliance", .catalog = "storage_systems"})
          .optional("read_per_node_gb_per_s", &S::read_per_node,
                    {.help = "all nodes reading at once", .min = 0, .max = largest_rate})
          .optional("write_per_node_gb_per_s", &S::write_per_node,
                    {.help = "all nodes writing at once", .min = 0, .max = largest_rate})
          .optional("read_gb_per_s", &S::read, positive("of the whole cluster, instead", largest_rate))
          .optional("write_gb_per_s", &S::write, positive("of the whole cluster, instead", largest_rate))
          .optional("capacity_tb", &S::capacity, positive("usable; what the job keeps if not given", largest_capacity))
          .optional("checkpoint_time_s", &S::checkpoint_time,
                    {.help = "that one checkpoint may take; 0: not looked at", .min = 0, .max = 1e6})
          .optional("checkpoints", &S::checkpoints, {.help = "kept at a time", .min = 0, .max = 100000});
  return table;
}

const Record<ServicesSpec>& record(const ServicesSpec*) {
  using S = ServicesSpec;
  static const auto table =
      Record<S>("services", "What a cluster needs beside its nodes")
          .optional("spare_node_share", &S::spare_node_share,
                    {.help = "nodes bought beyond those that work, rounded up", .min = 0, .max = 1})
          .optional("server", &S::server, {.help = "of service nodes", .catalog = "servers"})
          .optional("servers", &S::servers, {.help = "service nodes of any cluster", .min = 0, .max = 10000})
          .optional("servers_per_1000_nodes", &S::servers_per_1000_nodes,
                    {.help = "beyond, rounded up", .min = 0, .max = 1e4})
          .optional("fabric_managers", &S::fabric_managers,
                    {.help = "servers that manage the network for training", .min = 0, .max = 64})
          .optional("manager_cables", &S::manager_cables,
                    {.help = "of all of them together, to leaves", .min = 0, .max = 1024})
          .optional("management_switch", &S::management_switch,
                    {.help = "for consoles of nodes, switches and power strips", .catalog = "switches"})
          .optional("consoles_per_node", &S::consoles_per_node, {.help = "cables of one node", .min = 0, .max = 16})
          .optional("networks", &S::networks, {.help = "beside the one that trains", .max_elements = 8})
          .optional(
              "cables", &S::cables,
              {.help = "cable, or module of the lower end, for a class of links such as node-leaf; the cheapest that "
                       "reaches if not given",
               .catalog = "cables"})
          .optional("storage", &S::storage, {.help = "none is bought if not given"});
  return table;
}

const Record<FacilitySpec>& record(const FacilitySpec*) {
  using S = FacilitySpec;
  static const auto table =
      Record<S>("facility", "The building: `size` and `audit` read it")
          .optional(
              "like", &S::like,
              {.help = "a file of configs/facilities, or a path, for all that is left out; by the cooling that the "
                       "nodes need if not given"})
          .optional("source", &S::source, {.help = "where the description comes from"})
          .optional("power_usage_effectiveness", &S::power_usage_effectiveness,
                    {.help = "power of the facility over power of the machines, instead of the modelled one",
                     .min = 1,
                     .max = 10})
          .optional("rack", &S::rack, {.help = "how racks are filled"})
          .optional("hall", &S::hall, {.help = "the room"})
          .optional("power", &S::power, {.help = "from the grid to the racks"})
          .optional("cooling", &S::cooling, {.help = "how heat leaves"})
          .optional("services", &S::services, {.help = "what a cluster needs beside its nodes"});
  return table;
}

}  // namespace clusterwright
