// SPDX-License-Identifier: Apache-2.0
/// Parts of a building: racks, power, cooling, storage. Every value with its source and whether it was checked there.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// What a price may say: low and high of what is paid, and the list price.
inline constexpr std::array<std::string_view, 3> price_keys{"low", "high", "list"};

/// An empty rack or cabinet.
struct RackPart {
  std::string id;
  Sourced<double> rack_units;
  Sourced<Meters> width, depth, height;
  Sourced<Kilograms> mass;         ///< mass with power strips, without equipment
  Sourced<Kilograms> static_load;  ///< equipment that it can carry
  std::map<std::string, Sourced<double>> price_usd;
  std::string note;
};
const Record<RackPart>& record(const RackPart*);

/// Floor that one unit of a plant takes, with the lanes that work on it needs; none for what hangs above racks or
/// stands in them.
struct UnitFloor {
  std::optional<Sourced<Meters>> floor_length;  ///< along the wall
  std::optional<Sourced<Meters>> floor_width;
};

/// A smaller size in which a plant is made; all else, its price for a kilowatt too, is that of the plant.
struct PlantSize : UnitFloor {
  Sourced<Watts> unit;  ///< heat that one unit removes
};
const Record<PlantSize>& record(const PlantSize*);

enum class PowerStageKind { transformer, ups, pdu, busway, circuit };
inline constexpr std::array<std::string_view, 5> power_stage_kind_names = {"transformer", "ups", "pdu", "busway",
                                                                           "circuit"};

/// One module of a stage between the grid and a rack. At load x (output over rating) it loses
/// rating (no_load + proportional x + (1/efficiency - 1 - no_load - proportional) x^2).
struct PowerPart : UnitFloor {
  std::string id;
  PowerStageKind kind = PowerStageKind::ups;
  std::string smaller;                   ///< id of the next smaller size of the same module; empty: none
  Sourced<Watts> rating;                 ///< apparent power (kVA) that one module can pass on for ever
  Sourced<double> efficiency;            ///< at full load
  Sourced<double> no_load_loss;          ///< share of the rating lost when nothing is drawn
  Sourced<double> proportional_loss;     ///< share of the load lost at any load
  std::optional<Sourced<double>> volts;  ///< between phases
  std::optional<Sourced<double>> amperes;
  int phases = 3;
  std::map<std::string, Sourced<double>> price_usd;
  std::string note;
};
const Record<PowerPart>& record(const PowerPart*);

/// Cooling of one rack.
struct RackCoolingPart : UnitFloor {
  std::string id;
  Sourced<Watts> capacity;           ///< heat that can leave one rack
  Sourced<double> liquid_share;      ///< share of a rack's heat that liquid removes; the rest heats the air of the hall
  Sourced<Watts> air_capacity;       ///< heat into the air that one rack may have
  Sourced<double> server_fan_share;  ///< share of a server's power that its fans draw
  bool inside_servers = false;       ///< liquid reaches into the servers: cold plates, tanks
  Sourced<double> air_supply_c;      ///< at the inlets of servers
  Sourced<double> coolant_supply_c;  ///< supply temperature; not read without liquid
  Sourced<double> air_rise_k;        ///< rise of air through a server
  Sourced<double> coolant_rise_k;    ///< rise of coolant through a server; 0 without liquid
  Sourced<double> coolant_heat_j_per_l_k;  ///< density times specific heat of the coolant; 0 without liquid
  Sourced<double> air_mover_share;         ///< power of the hall's fans over the heat in its air
  Sourced<double> pump_share;              ///< power of pumps over the heat in liquid
  std::optional<Sourced<Watts>>
      air_unit;  ///< heat that one unit of the hall (fan wall, room cooler) takes from the air
  std::vector<PlantSize> small_air_units;                   ///< sizes of such units for rooms and small halls
  std::map<std::string, Sourced<double>> price_usd_per_kw;  ///< low, high; equipment of the hall, without plants
  std::string note;
};
const Record<RackCoolingPart>& record(const RackCoolingPart*);

/// Water that a plant evaporates.
///
/// never: it cools towards the dry bulb. always: a tower; it cools towards the wet bulb. hot hours: outdoor air cools
/// the hall, and water cools that air in hours in which it is too warm.
enum class Evaporation { never, always, hot_hours };
inline constexpr std::array<std::string_view, 3> evaporation_names = {"never", "always", "hot hours"};

/// Plant that removes the heat of a hall from the building.
struct HeatRejectionPart : UnitFloor {
  std::string id;
  /// Supply temperature above outdoors without a compressor; absent: the compressor always runs.
  std::optional<Sourced<double>> approach_k;
  Sourced<double> fan_share;  ///< power of fans and pumps over the heat rejected
  Evaporation evaporates = Evaporation::never;
  std::optional<Sourced<double>> carnot_share;  ///< efficiency of its compressor over Carnot's; absent: no compressor
  Sourced<double> lift_k;              ///< temperature lift of the compressor beyond supply and outdoor temperature
  std::optional<Sourced<Watts>> unit;  ///< heat that one unit removes
  std::vector<PlantSize> small_units;  ///< sizes for less heat
  std::map<std::string, Sourced<double>> price_usd_per_kw;  ///< low, high; of the heat that it removes
  std::string note;
};
const Record<HeatRejectionPart>& record(const HeatRejectionPart*);

/// Outdoor temperatures over a year: mean + annual cos(season) + daily cos(hour).
struct ClimatePart {
  std::string id;
  Sourced<double> mean_c;
  Sourced<double> annual_k;          ///< half of the way from the coldest to the warmest month
  Sourced<double> daily_k;           ///< half of the way from the coldest to the warmest hour
  Sourced<double> wet_bulb_below_k;  ///< how far the wet bulb lies below, in the mean of the year
  /// Hottest hours of a bad year, which plants are sized for.
  Sourced<double> design_c, design_wet_bulb_c;
  std::string note;
};
const Record<ClimatePart>& record(const ClimatePart*);

/// A unit that pumps coolant through racks and passes its heat on.
struct CoolantUnitPart : UnitFloor {
  std::string id;
  Sourced<Watts> capacity;
  std::optional<Sourced<double>> rack_units;  ///< where it stands in a rack
  Sourced<Kilograms> mass;
  std::map<std::string, Sourced<double>> price_usd;
  std::string note;
};
const Record<CoolantUnitPart>& record(const CoolantUnitPart*);

/// One appliance of a shared file system.
struct StoragePart {
  std::string id;
  Sourced<BytesPerSecond> read, write;
  Sourced<Bytes> capacity;
  Sourced<Watts> power;
  Sourced<double> rack_units;
  Sourced<Kilograms> mass;
  int ports = 8;  ///< ports to the storage network
  std::map<std::string, Sourced<double>> price_usd;
  std::string note;
};
const Record<StoragePart>& record(const StoragePart*);

/// A power supply of a node, a switch or a rack-scale machine.
struct PowerSupplyPart {
  std::string id;
  std::map<std::string, Sourced<double>> price_usd;
  std::string note;
};
const Record<PowerSupplyPart>& record(const PowerSupplyPart*);

/// A server that runs the cluster: scheduler, provisioning, fabric manager.
struct ServerPart {
  std::string id;
  Sourced<Watts> power;
  Sourced<double> rack_units;
  Sourced<Kilograms> mass;
  std::map<std::string, Sourced<double>> price_usd;
  std::string note;
};
const Record<ServerPart>& record(const ServerPart*);

}  // namespace clusterwright
