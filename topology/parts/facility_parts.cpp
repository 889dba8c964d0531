// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/facility_parts.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<PowerStageKind> {
  static constexpr auto names = power_stage_kind_names;
};

template <>
struct EnumNames<Evaporation> {
  static constexpr auto names = evaporation_names;
};

namespace {

FieldRule positive_rating(const char* help) {
  return {.help = help, .min = 0, .above_min = true};
}

FieldRule share(const char* help) {
  return {.help = help, .min = 0, .max = 1};
}

FieldRule at_least_zero(const char* help) {
  return {.help = help, .min = 0};
}

FieldRule temperature(const char* help) {
  return {.help = help, .min = -60, .max = 80};
}

FieldRule kelvins(const char* help) {
  return {.help = help, .min = 0, .max = 100, .unit = "K"};
}

FieldRule price(const char* help = "low and high end of prices paid, and the list price") {
  return {.help = help, .min = 0, .map_keys = price_keys};
}

FieldRule smaller_sizes() {
  return {.help =
              "smaller sizes that it is made in; a heat of less than 1 MW takes the least capacity of these and the "
              "unit itself, where two of a size carry it"};
}

template <class Part>
Record<Part> named(const char* name, const char* help) {
  Record<Part> table(name, help);
  table.required("id", &Part::id, {.help = "name that facilities refer to"});
  return table;
}

template <class Part>
Record<Part> with_note(Record<Part> table) {
  return std::move(table.optional("note", &Part::note, {.help = "remark for readers"}));
}

template <class Part>
Record<Part> with_floor(Record<Part> table) {
  table
      .optional("floor_length_m", &Part::floor_length,
                {.help = "floor of one unit along the wall, with its lanes", .min = 0, .max = 200, .above_min = true})
      .optional("floor_width_m", &Part::floor_width,
                {.help = "floor of one unit from the wall, with its lanes", .min = 0, .max = 200, .above_min = true});
  return table;
}

template <class Part>
Record<Part> with_price_and_note(Record<Part> table) {
  table.optional("price_usd", &Part::price_usd, price());
  return with_note(std::move(table));
}

Record<RackCoolingPart> rack_cooling_table() {
  using Part = RackCoolingPart;
  Record<Part> table = named<Part>("rack_cooling", "A way in which the heat of a rack leaves it");
  table.required("capacity_kw", &Part::capacity, positive_rating("maximum heat of one rack"))
      .required("liquid_share", &Part::liquid_share, share("share of the heat that liquid removes"))
      .required("air_capacity_kw", &Part::air_capacity,
                positive_rating("maximum heat of one rack that stays in the air"))
      .required("server_fan_share", &Part::server_fan_share, share("share of a server's power that its own fans draw"))
      .optional("inside_servers", &Part::inside_servers,
                {.help = "whether the liquid reaches into the servers, by cold plates or in a tank; a door does not"})
      .required("air_supply_c", &Part::air_supply_c, temperature("air temperature at the inlets of servers"))
      .required("coolant_supply_c", &Part::coolant_supply_c,
                temperature("coolant temperature at the racks; ignored without liquid"))
      .required("air_rise_k", &Part::air_rise_k, kelvins("temperature rise of air through a server"))
      .required("coolant_rise_k", &Part::coolant_rise_k,
                kelvins("temperature rise of coolant through a server; 0 without liquid"))
      .required("coolant_heat_j_per_l_k", &Part::coolant_heat_j_per_l_k,
                {.help = "heat capacity of the coolant per volume; 0 without liquid",
                 .min = 0,
                 .max = 5000,
                 .unit = "J/(L K)"})
      .required("air_mover_share", &Part::air_mover_share, share("power of the hall's fans over the heat in its air"))
      .required("pump_share", &Part::pump_share, share("power of pumps over the heat in the liquid"))
      .optional("air_unit_kw", &Part::air_unit,
                positive_rating("heat that one unit of the hall, such as a fan wall, takes from the air"))
      .optional("small_air_units", &Part::small_air_units, smaller_sizes())
      .optional("price_usd_per_kw", &Part::price_usd_per_kw,
                price("low and high end of prices paid per kW of heat for the equipment of the hall: air handlers, "
                      "containment, cold plates, pipes; without coolant units and plants outdoors"));
  return with_note(with_floor(std::move(table)));
}

}  // namespace

const Record<RackPart>& record(const RackPart*) {
  using Part = RackPart;
  static const Record<Part> table = [] {
    Record<Part> t = named<Part>("rack", "An empty rack or cabinet");
    t.required("height_u", &Part::rack_units, positive_rating("height for equipment"))
        .required("width_m", &Part::width, positive_rating("outer width"))
        .required("depth_m", &Part::depth, positive_rating("outer depth"))
        .required("height_m", &Part::height, positive_rating("outer height"))
        .required("mass_kg", &Part::mass, at_least_zero("mass with power strips, without equipment"))
        .required("static_load_kg", &Part::static_load, positive_rating("maximum mass of equipment"));
    return with_price_and_note(std::move(t));
  }();
  return table;
}

const Record<PlantSize>& record(const PlantSize*) {
  static const Record<PlantSize> table = [] {
    Record<PlantSize> t("plant_size", "A smaller size of a plant");
    t.required("unit_kw", &PlantSize::unit, positive_rating("heat that one unit removes on the design day"));
    return with_floor(std::move(t));
  }();
  return table;
}

const Record<PowerPart>& record(const PowerPart*) {
  using Part = PowerPart;
  static const Record<Part> table = [] {
    Record<Part> t = named<Part>("power_stage", "A module between the grid and the racks");
    t.required("kind", &Part::kind, {.help = "function of the module"})
        .optional("smaller", &Part::smaller,
                  {.help = "next smaller size of the same module", .catalog = "power_stages"})
        .required("rating_kva", &Part::rating, positive_rating("apparent power that one module passes on continuously"))
        .required("efficiency", &Part::efficiency,
                  {.help = "output power over input power at full load", .min = 0.5, .max = 1})
        .required("no_load_loss", &Part::no_load_loss,
                  {.help = "share of the rating lost at no load", .min = 0, .max = 0.5})
        .required("proportional_loss", &Part::proportional_loss,
                  {.help = "share of the load lost at any load; the rest of the loss grows with the square of the load",
                   .min = 0,
                   .max = 0.5})
        .optional("voltage", &Part::volts, {.help = "voltage between phases", .min = 1, .max = 1e6, .unit = "V"})
        .optional("amperes", &Part::amperes, {.help = "current of one phase", .min = 0.1, .max = 1e5, .unit = "A"})
        .optional("phases", &Part::phases, {.help = "number of phases, 1 or 3", .min = 1, .max = 3});
    return with_price_and_note(with_floor(std::move(t)));
  }();
  return table;
}

const Record<RackCoolingPart>& record(const RackCoolingPart*) {
  static const Record<RackCoolingPart> table = rack_cooling_table();
  return table;
}

const Record<HeatRejectionPart>& record(const HeatRejectionPart*) {
  using Part = HeatRejectionPart;
  static const Record<Part> table = [] {
    Record<Part> t = named<Part>("heat_rejection", "A plant through which the heat of a hall leaves the building");
    t.optional("approach_k", &Part::approach_k,
               kelvins("difference between supply and outdoor temperature without a compressor; not given: the "
                       "compressor always runs"))
        .required("fan_share", &Part::fan_share, share("power of fans and pumps over the heat rejected"))
        .optional("evaporates", &Part::evaporates,
                  {.help = "when the plant evaporates water and so cools towards the wet-bulb temperature: never; "
                           "always, as a tower; in hot hours, when outdoor air alone is too warm"})
        .optional("carnot_share", &Part::carnot_share,
                  share("efficiency of the compressor over the Carnot limit; not given: no compressor"))
        .required("lift_k", &Part::lift_k,
                  kelvins("temperature difference that the compressor works against in addition to outdoor minus "
                          "supply temperature"))
        .optional("unit_kw", &Part::unit, positive_rating("heat that one unit removes on the design day"))
        .optional("small_units", &Part::small_units, smaller_sizes())
        .optional("price_usd_per_kw", &Part::price_usd_per_kw,
                  price("low and high end of prices paid per kW of heat on the design day, installed"));
    return with_note(with_floor(std::move(t)));
  }();
  return table;
}

const Record<ClimatePart>& record(const ClimatePart*) {
  using Part = ClimatePart;
  static const Record<Part> table = [] {
    Record<Part> t = named<Part>("climate", "Outdoor temperatures over a year");
    t.required("mean_c", &Part::mean_c, temperature("mean of the year"))
        .required("annual_k", &Part::annual_k,
                  kelvins("half of the difference between the warmest and the coldest month"))
        .required("daily_k", &Part::daily_k,
                  kelvins("half of the difference between the warmest and the coldest hour of a day"))
        .required("wet_bulb_below_k", &Part::wet_bulb_below_k,
                  kelvins("mean difference between dry-bulb and wet-bulb temperature over the year"))
        .required("design_c", &Part::design_c,
                  temperature("dry-bulb temperature of the hottest hours, for which plants are sized"))
        .required("design_wet_bulb_c", &Part::design_wet_bulb_c,
                  temperature("wet-bulb temperature of the hottest hours"));
    return with_note(std::move(t));
  }();
  return table;
}

const Record<CoolantUnitPart>& record(const CoolantUnitPart*) {
  using Part = CoolantUnitPart;
  static const Record<Part> table = [] {
    Record<Part> t = named<Part>("coolant_unit", "A unit that pumps coolant through racks and passes its heat on");
    t.required("capacity_kw", &Part::capacity, positive_rating("heat that one unit passes on"))
        .optional("height_u", &Part::rack_units, positive_rating("height, if the unit stands in a rack"))
        .required("mass_kg", &Part::mass, at_least_zero("mass when filled"));
    return with_price_and_note(with_floor(std::move(t)));
  }();
  return table;
}

const Record<StoragePart>& record(const StoragePart*) {
  using Part = StoragePart;
  static const Record<Part> table = [] {
    Record<Part> t = named<Part>("storage_system", "One appliance of a shared file system");
    t.required("read_gb_per_s", &Part::read, positive_rating("read rate of one appliance"))
        .required("write_gb_per_s", &Part::write, positive_rating("write rate of one appliance"))
        .required("capacity_tb", &Part::capacity, positive_rating("usable capacity"))
        .required("power_w", &Part::power, at_least_zero("power under load"))
        .required("height_u", &Part::rack_units, positive_rating("height in the rack"))
        .required("mass_kg", &Part::mass, at_least_zero("mass with drives"))
        .optional("ports", &Part::ports, {.help = "ports to the storage network", .min = 1, .max = 64});
    return with_price_and_note(std::move(t));
  }();
  return table;
}

const Record<PowerSupplyPart>& record(const PowerSupplyPart*) {
  static const Record<PowerSupplyPart> table =
      with_price_and_note(named<PowerSupplyPart>("power_supply", "A power supply of a machine"));
  return table;
}

const Record<ServerPart>& record(const ServerPart*) {
  using Part = ServerPart;
  static const Record<Part> table = [] {
    Record<Part> t = named<Part>("server", "A service node, which runs the cluster");
    t.required("power_w", &Part::power, at_least_zero("power under load"))
        .required("height_u", &Part::rack_units, positive_rating("height in the rack"))
        .required("mass_kg", &Part::mass, at_least_zero("mass as installed"));
    return with_price_and_note(std::move(t));
  }();
  return table;
}

}  // namespace clusterwright
