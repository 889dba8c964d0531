// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/facility_spec.hpp"

#include "sim/field_table.hpp"
#include "topology/cluster/facility_check.hpp"

namespace clusterwright {

template <>
struct EnumNames<Redundancy> {
  static constexpr auto names = redundancy_names;
};

template <>
struct EnumNames<Capping> {
  static constexpr auto names = capping_names;
};

template <>
struct EnumNames<StageLoad> {
  static constexpr auto names = stage_load_names;
};

namespace {

constexpr double longest_m = 10000;

FieldRule length(const char* help) {
  return {.help = help, .min = 0, .max = longest_m};
}

FieldRule positive(const char* help) {
  return {.help = help, .min = 0, .above_min = true};
}

FieldRule units(const char* help) {
  return {.help = help, .min = 0, .max = 60};
}

}  // namespace

const Record<RackRules>& record(const RackRules*) {
  using S = RackRules;
  static const auto table =
      Record<S>("rack_rules", "Rules for filling racks")
          .optional("frame", &S::frame, {.help = "catalog entry of the rack", .catalog = "racks"})
          .optional("nodes", &S::nodes,
                    {.help = "maximum number of nodes in one rack, whatever other limits allow", .min = 1, .max = 256})
          .optional("power_limit_kw", &S::power_limit, positive("maximum rated power of one rack"))
          .optional("reserved_u", &S::reserved_u,
                    units("rack units of a compute rack kept for power strips, air gaps and patch panels"))
          .optional("reserved_network_u", &S::reserved_network_u,
                    units("rack units of a switch rack kept for cable management"))
          .optional("unit_racks", &S::unit_racks,
                    {.help = "minimum number of compute racks that share a switch rack", .min = 1, .max = 1024})
          .optional("power_strips", &S::power_strips,
                    {.help = "power strips of each rack, each with a console; one for each circuit of a compute rack "
                             "if not given",
                     .min = 0,
                     .max = 64});
  return table;
}

const Record<HallSpec>& record(const HallSpec*) {
  using S = HallSpec;
  static const auto table =
      Record<S>("hall", "The room in which racks stand")
          .optional("length_m", &S::length, positive("length along the rows of racks; as large as needed if not given"))
          .optional("width_m", &S::width, positive("width across the rows of racks; as large as needed if not given"))
          .optional(
              "racks_per_row", &S::racks_per_row,
              {.help =
                   "racks in one row; auto: as many as the length allows, else so many that the hall is nearly square",
               .min = 1,
               .max = 1000})
          .optional("cold_aisle_m", &S::cold_aisle, length("width of an aisle between the fronts of two rows"))
          .optional("hot_aisle_m", &S::hot_aisle, length("width of an aisle between the backs of two rows"))
          .optional("margin_m", &S::margin, length("free space along all four walls"))
          .optional("floor_load_kg_per_m2", &S::floor_load_kg_per_m2,
                    {.help = "maximum load of a rack on its own footprint; 0: not checked",
                     .min = 0,
                     .max = 1e6,
                     .unit = "kg/m2"})
          .optional("tray_above_rack_m", &S::tray_above_rack, length("height of cable trays above the racks"))
          .optional("slack_m", &S::slack, length("slack of a cable between racks, both ends together"))
          .optional("slack_in_rack_m", &S::slack_in_rack, length("slack of a cable inside one rack"))
          .optional("power_limit_kw", &S::power_limit, positive("maximum rated power of all equipment in the hall"))
          .optional("row_power_limit_kw", &S::row_power_limit,
                    positive("maximum mean power of the nodes of one row; acts only under facility.power.capping"));
  return table;
}

const Record<PowerStageSpec>& record(const PowerStageSpec*) {
  using S = PowerStageSpec;
  static const auto table =
      Record<S>("power_stage_use", "Modules of one kind in the power chain")
          .required("part", &S::part, {.help = "catalog entry of the module", .catalog = "power_stages"})
          .optional("redundancy", &S::redundancy, {.help = "modules that may fail without loss of load"})
          .optional("group", &S::group,
                    {.help = "size of a catcher group, its reserve module included", .min = 2, .max = 64})
          .optional("carries", &S::carries,
                    {.help = "load of these modules: machines; pumps: also pumps and fans of the hall; cooling: also "
                             "the cooling plants"})
          .optional("smaller", &S::smaller,
                    {.help = "loads for which the part is large take a smaller size of it, as the catalog names them"});
  return table;
}

const Record<PowerChainSpec>& record(const PowerChainSpec*) {
  using S = PowerChainSpec;
  static const auto table =
      Record<S>("power_chain", "Power path from the grid to the racks")
          .optional("grid_limit_kw", &S::grid_limit, positive("power that the utility grants"))
          .optional(
              "capping", &S::capping,
              {.help = "what power limits of racks, rows, hall and grid act on. none: nameplates, when racks are "
                       "filled. equal: the mean power of a job, which one limit for all accelerators lowers until "
                       "every domain holds its own. by_stage: the same with a limit for each pipeline stage, so that "
                       "the power of stages that wait goes to those that they wait for"})
          .optional("power_factor", &S::power_factor, {.help = "power factor of the machines", .min = 0.1, .max = 1})
          .optional("continuous_share", &S::continuous_share,
                    {.help = "share of a breaker's rating that may be drawn continuously", .min = 0.1, .max = 1})
          .optional("stages", &S::stages, {.help = "modules in order from the grid to the racks", .max_elements = 16})
          .optional("circuit", &S::circuit, {.help = "catalog entry of a rack's feed", .catalog = "power_stages"})
          .optional("feeds", &S::feeds, {.help = "redundancy of a rack's feeds"})
          .optional("most_feeds", &S::most_feeds, {.help = "maximum number of feeds of one rack", .min = 1, .max = 64})
          .optional("other_share", &S::other_share,
                    {.help = "power of lights, offices and security over power of the machines", .min = 0, .max = 1});
  return table;
}

const Record<CoolingSpec>& record(const CoolingSpec*) {
  using S = CoolingSpec;
  static const auto table =
      Record<S>("cooling", "Path of heat from racks out of the building")
          .optional("racks", &S::racks, {.help = "catalog entry for how heat leaves a rack", .catalog = "rack_cooling"})
          .optional("rejection", &S::rejection,
                    {.help = "catalog entry for how heat leaves the building", .catalog = "heat_rejection"})
          .optional("air_rejection", &S::air_rejection,
                    {.help = "plant for the heat in the hall's air, if not the one of `rejection`",
                     .catalog = "heat_rejection"})
          .optional("climate", &S::climate, {.help = "catalog entry of outdoor temperatures", .catalog = "climates"})
          .optional("coolant_unit", &S::coolant_unit,
                    {.help = "catalog entry of the coolant units; empty without liquid", .catalog = "coolant_units"})
          .optional("redundancy", &S::redundancy, {.help = "redundancy of coolant units"})
          .optional("supply_c", &S::supply_c,
                    {.help = "supply temperature of the coolant, or of the air without liquid; the usual one of the "
                             "kind if not given",
                     .min = 5,
                     .max = 60});
  return table;
}

const Record<SideNetworkSpec>& record(const SideNetworkSpec*) {
  using S = SideNetworkSpec;
  static const auto table =
      Record<S>("side_network", "A network besides the training network, such as storage or provisioning")
          .required("name", &S::name, {.help = "name for readers"})
          .required("switch", &S::switch_part, {.help = "catalog entry of the switches", .catalog = "switches"})
          .optional("ports_per_node", &S::ports_per_node, {.help = "ports that one node uses", .min = 1, .max = 64})
          .optional("ports_per_server", &S::ports_per_server,
                    {.help = "ports that one service node uses", .min = 0, .max = 64})
          .optional("storage", &S::storage, {.help = "whether storage appliances attach to this network"})
          .optional("taper", &S::taper, {.help = "capacity down over capacity up of the leaves", .min = 1, .max = 64});
  return table;
}

const Record<StorageNeedSpec>& record(const StorageNeedSpec*) {
  using S = StorageNeedSpec;
  static const auto table =
      Record<S>("storage_need", "Storage that the cluster needs")
          .optional("part", &S::part, {.help = "catalog entry of the appliance", .catalog = "storage_systems"})
          .optional("read_per_node_gb_per_s", &S::read_per_node,
                    {.help = "read rate per node, all nodes reading at once", .min = 0})
          .optional("write_per_node_gb_per_s", &S::write_per_node,
                    {.help = "write rate per node, all nodes writing at once", .min = 0})
          .optional("read_gb_per_s", &S::read, positive("read rate of the whole cluster; replaces the rate per node"))
          .optional("write_gb_per_s", &S::write,
                    positive("write rate of the whole cluster; replaces the rate per node"))
          .optional("capacity_tb", &S::capacity, positive("usable capacity; what the job keeps if not given"))
          .optional("checkpoint_time_s", &S::checkpoint_time,
                    {.help = "maximum time of one checkpoint; 0: not checked", .min = 0, .max = 1e6})
          .optional("checkpoints", &S::checkpoints,
                    {.help = "number of checkpoints kept at a time", .min = 0, .max = 100000});
  return table;
}

const Record<SparePartsSpec>& record(const SparePartsSpec*) {
  using S = SparePartsSpec;
  const auto yearly = [](const char* help) { return FieldRule{.help = help, .min = 0, .max = 10}; };
  static const auto table =
      Record<S>("spare_parts", "Spare parts of networks and power supplies, kept at the site")
          .optional("lead_time_weeks", &S::lead_time_weeks,
                    {.help = "time from an order of a part to its delivery", .min = 0, .max = 260})
          .optional(
              "service_level", &S::service_level,
              {.help = "probability that the stock of a part lasts through one lead time", .min = 0, .max = 0.999999})
          .optional("transceiver_failures_per_year", &S::transceiver_failures, yearly("failures of one transceiver"))
          .optional("active_cable_failures_per_year", &S::active_cable_failures,
                    yearly("failures of one cable with electronics in its ends"))
          .optional("passive_cable_failures_per_year", &S::passive_cable_failures,
                    yearly("failures of one copper cable or fibre"))
          .optional("switch_failures_per_year", &S::switch_failures, yearly("failures of one switch"))
          .optional("power_supply_failures_per_year", &S::power_supply_failures,
                    yearly("failures of one power supply of a node or switch"));
  return table;
}

const Record<ServicesSpec>& record(const ServicesSpec*) {
  using S = ServicesSpec;
  static const auto table =
      Record<S>("services", "Equipment that a cluster needs besides its nodes")
          .optional("spare_node_share", &S::spare_node_share,
                    {.help = "spare nodes over working nodes, rounded up", .min = 0, .max = 1})
          .optional("server", &S::server, {.help = "catalog entry of the service nodes", .catalog = "servers"})
          .optional("servers", &S::servers,
                    {.help = "number of service nodes that every cluster needs", .min = 0, .max = 10000})
          .optional("servers_per_1000_nodes", &S::servers_per_1000_nodes,
                    {.help = "further service nodes, rounded up", .min = 0, .max = 1e4})
          .optional("fabric_managers", &S::fabric_managers,
                    {.help = "servers that manage the training network", .min = 0, .max = 64})
          .optional("manager_cables", &S::manager_cables,
                    {.help = "cables of all fabric managers together, to leaves", .min = 0, .max = 1024})
          .optional("management_switch", &S::management_switch,
                    {.help = "switch for the consoles of nodes, switches and power strips", .catalog = "switches"})
          .optional("consoles_per_node", &S::consoles_per_node,
                    {.help = "console cables of one node", .min = 0, .max = 16})
          .optional("networks", &S::networks, {.help = "networks besides the training network", .max_elements = 8})
          .optional("cables", &S::cables,
                    {.help = "cable, or module of the lower end, by class of links such as node-leaf; the cheapest "
                             "that reaches if not given",
                     .catalog = "cables"})
          .optional("reach_margin", &S::reach_margin,
                    {.help = "reach that a cable or module must have beyond the bought length, over that length",
                     .min = 0,
                     .max = 1})
          .optional("spares", &S::spares, {.help = "spare parts of networks and power supplies; none if not given"})
          .optional("storage", &S::storage, {.help = "storage to buy; none if not given"});
  return table;
}

const Record<FacilitySpec>& record(const FacilitySpec*) {
  using S = FacilitySpec;
  static const auto table =
      Record<S>("facility", "The building around a cluster, which `size` and `audit` read")
          .optional("like", &S::like,
                    {.help = "a file of configs/facilities, or a path, that gives every field left out here; chosen by "
                             "the cooling that the nodes need if not given"})
          .optional("source", &S::source, {.help = "origin of this description"})
          .optional("power_usage_effectiveness", &S::power_usage_effectiveness,
                    {.help = "power of the facility over power of the machines, mean of a year; replaces the modelled "
                             "value. The design day, for which the grid is sized, stays modelled, and has at least "
                             "this value",
                     .min = 1,
                     .max = 10})
          .optional("design_power_usage_effectiveness", &S::design_power_usage_effectiveness,
                    {.help = "power of the facility over power of the machines on the design day, everything at its "
                             "nameplate; replaces the modelled value",
                     .min = 1,
                     .max = 10})
          .optional("rack", &S::rack, {.help = "rules for filling racks"})
          .optional("hall", &S::hall, {.help = "the room"})
          .optional("power", &S::power, {.help = "power chain from the grid to the racks"})
          .optional("cooling", &S::cooling, {.help = "path of heat out of the building"})
          .optional("services", &S::services, {.help = "equipment that a cluster needs besides its nodes"})
          .optional("stabilization", &S::stabilization,
                    {.help = "what holds the swings of power down, and what the utility allows; none if not given"});
  return table;
}

Facility complete_facility(const FacilitySpec& spec, const Catalog& catalog, const JsonValue& source,
                           const std::string& pointer) {
  check_facility(spec, catalog, source, pointer);
  return {spec.power_usage_effectiveness,
          spec.design_power_usage_effectiveness,
          *spec.rack,
          *spec.hall,
          *spec.power,
          *spec.cooling,
          *spec.services,
          spec.stabilization.value_or(StabilizationSpec{})};
}

}  // namespace clusterwright
