// SPDX-License-Identifier: Apache-2.0
/// Facility of a cluster, as users write it: racks, hall, power, cooling, services; and what contradicts itself there.
///
/// Where a field is left out, the file in configs/facilities that `like` names says it
/// (models/site/plant/facility_files.hpp).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json_value.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/cluster/stabilization_spec.hpp"

namespace clusterwright {

/// Spare capacity against a single failure.
///
/// n: no spare. n_plus_1: one module more than needed. two_n: two whole paths, each at most half loaded.
/// catcher: every `group` modules share what one less of them can carry (4 to make 3).
enum class Redundancy { n, n_plus_1, two_n, catcher };
inline constexpr std::array<std::string_view, 4> redundancy_names = {"n", "n+1", "2n", "catcher"};

struct RackRules {
  std::string frame;                 ///< in the catalog
  std::optional<int> nodes;          ///< upper bound, whatever else would allow
  std::optional<Watts> power_limit;  ///< rated power of all that stands in one rack
  double reserved_u = 0;             ///< rack units of a compute rack for power strips, air gaps, patch panels
  double reserved_network_u = 0;     ///< rack units of a switch rack for cable management
  int unit_racks = 8;                ///< compute racks that share one rack of switches, at least
  std::optional<int> power_strips;   ///< strips of each rack, with a console each; one for each circuit if absent
};
const Record<RackRules>& record(const RackRules*);

struct HallSpec {
  std::optional<Meters> length, width;  ///< inside; as large as needed if absent
  std::optional<int> racks_per_row;     ///< if absent: as the length allows, else a nearly square hall
  Meters cold_aisle, hot_aisle;
  Meters margin;                         ///< free on all four sides
  double floor_load_kg_per_m2 = 0;       ///< a rack over its own footprint may weigh so much
  Meters tray_above_rack;                ///< height of cable trays over the racks
  Meters slack;                          ///< spare length of a cable between racks, both ends together
  Meters slack_in_rack;                  ///< spare length of a cable inside one rack
  std::optional<Watts> power_limit;      ///< rated power of all equipment in the hall
  std::optional<Watts> row_power_limit;  ///< mean power of the nodes of one row; only under capping
};
const Record<HallSpec>& record(const HallSpec*);

/// What limits on the power of racks, rows, the hall and the grid act on. none: nameplates, when racks and plants are
/// planned. equal: the mean power of the job, as one limit of all accelerators lowers it until every domain holds its
/// own. by_stage: the same with a limit for each pipeline stage, so that stages take equally long.
enum class Capping { none, equal, by_stage };
inline constexpr std::array<std::string_view, 3> capping_names = {"none", "equal", "by_stage"};

/// Load of a stage: machines alone; also pumps and fans that must run while the machines do; also cooling plants.
enum class StageLoad { machines, pumps, cooling };
inline constexpr std::array<std::string_view, 3> stage_load_names = {"machines", "pumps", "cooling"};

/// Modules of one kind that pass power on.
struct PowerStageSpec {
  std::string part;
  Redundancy redundancy = Redundancy::n;
  int group = 4;  ///< modules of a catcher arrangement that share one in reserve
  StageLoad carries = StageLoad::machines;
  bool smaller = false;  ///< loads for which the part is large take a smaller size of it
};
const Record<PowerStageSpec>& record(const PowerStageSpec*);

struct PowerChainSpec {
  std::optional<Watts> grid_limit;  ///< what the utility grants
  Capping capping = Capping::none;
  double power_factor = 0.95;
  double continuous_share = 0.8;       ///< share of a breaker's rating that may be drawn for hours
  std::vector<PowerStageSpec> stages;  ///< from the grid to the racks
  std::string circuit;                 ///< feed of a rack, in the catalog
  Redundancy feeds = Redundancy::n_plus_1;
  int most_feeds = 4;      ///< feeds that a rack has room for
  double other_share = 0;  ///< lights, offices, security: of the power of the machines
};
const Record<PowerChainSpec>& record(const PowerChainSpec*);

struct CoolingSpec {
  std::string racks;          ///< how heat leaves a rack, in the catalog
  std::string rejection;      ///< how it leaves the building
  std::string air_rejection;  ///< plant for the heat in the hall's air; empty: the same plant
  std::string climate;
  std::string coolant_unit;                      ///< in the catalog; empty without liquid
  Redundancy redundancy = Redundancy::n_plus_1;  ///< spare coolant units
  std::optional<double> supply_c;                ///< of coolant, or of air without liquid; usual for the kind if absent
};
const Record<CoolingSpec>& record(const CoolingSpec*);

/// A network beside the one that trains: storage, provisioning.
struct SideNetworkSpec {
  std::string name;
  std::string switch_part;
  int ports_per_node = 1;
  int ports_per_server = 1;  ///< NICs of a service node
  bool storage = false;      ///< appliances hang on it too
  double taper = 1;          ///< taper of its leaves
};
const Record<SideNetworkSpec>& record(const SideNetworkSpec*);

struct StorageNeedSpec {
  std::string part;
  BytesPerSecond read_per_node, write_per_node;  ///< rate for every node at once
  std::optional<BytesPerSecond> read, write;     ///< rate of the whole cluster instead
  std::optional<Bytes> capacity;                 ///< usable; what the job keeps if absent
  Seconds checkpoint_time;                       ///< longest time of one checkpoint
  int checkpoints = 0;                           ///< kept at a time
};
const Record<StorageNeedSpec>& record(const StorageNeedSpec*);

/// Spare parts of networks and power supplies, kept at the site until ordered ones arrive. Failures come one by one at
/// a constant rate.
struct SparePartsSpec {
  double lead_time_weeks = 8;   ///< from an order to its delivery
  double service_level = 0.95;  ///< probability that the stock lasts through one lead time
  Sourced<double> transceiver_failures{0.01, "MEM: 0.5 to 2 % a year are quoted for pluggable optics", false};
  Sourced<double> active_cable_failures{0.01, "EST: as transceivers, which their ends are", false};
  Sourced<double> passive_cable_failures{0.001, "EST: copper and fibre have no electronics", false};
  Sourced<double> switch_failures{0.02, "EST: MTBF of 400,000 h of data sheets is 2 % a year", false};
  Sourced<double> power_supply_failures{0.035, "MEM: MTBF of 250,000 h", false};
};
const Record<SparePartsSpec>& record(const SparePartsSpec*);

struct ServicesSpec {
  double spare_node_share = 0;        ///< nodes bought beyond those that work, rounded up
  std::string server;                 ///< part of service nodes, in the catalog
  int servers = 0;                    ///< service nodes for the first scalable unit
  double servers_per_1000_nodes = 0;  ///< beyond
  int fabric_managers = 0;            ///< servers that manage the network for training
  int manager_cables = 0;             ///< cables of all fabric managers together, to leaves
  std::string management_switch;      ///< in the catalog; for consoles of nodes, switches and power strips
  int consoles_per_node = 1;
  std::vector<SideNetworkSpec> networks;
  /// Cable or lower module to use for a class of links, such as "node-leaf", instead of the cheapest that reaches.
  std::map<std::string, std::string> cables;
  double reach_margin = 0;               ///< reach beyond the bought length that a part must have, over that length
  std::optional<SparePartsSpec> spares;  ///< none if absent
  std::optional<StorageNeedSpec> storage;
};
const Record<ServicesSpec>& record(const ServicesSpec*);

struct FacilitySpec {
  std::string like;    ///< a file in configs/facilities, for all that is left out
  std::string source;  ///< where the description comes from
  /// Instead of the modelled one: mean of a year; everything at its nameplate on the design day.
  std::optional<double> power_usage_effectiveness, design_power_usage_effectiveness;
  std::optional<RackRules> rack;
  std::optional<HallSpec> hall;
  std::optional<PowerChainSpec> power;
  std::optional<CoolingSpec> cooling;
  std::optional<ServicesSpec> services;
  std::optional<StabilizationSpec> stabilization;
};
const Record<FacilitySpec>& record(const FacilitySpec*);

/// A facility with nothing left open.
struct Facility {
  std::optional<double> power_usage_effectiveness, design_power_usage_effectiveness;
  RackRules rack;
  HallSpec hall;
  PowerChainSpec power;
  CoolingSpec cooling;
  ServicesSpec services;
  StabilizationSpec stabilization;  ///< empty where none is given
};

struct Catalog;  // topology/parts/catalog.hpp

/// @param source   the JSON that `spec` was decoded from, for the places of errors
/// @param pointer  of `source` in its file; empty if it is the whole file
/// @throws ConfigError with every error found: E0203 for parts that the catalog lacks, E0351 for what is left open
Facility complete_facility(const FacilitySpec& spec, const Catalog& catalog, const JsonValue& source,
                           const std::string& pointer = {});

}  // namespace clusterwright
