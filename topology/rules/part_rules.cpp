// SPDX-License-Identifier: Apache-2.0
#include "topology/rules/part_rules.hpp"

#include <fmt/format.h>

#include <cmath>

namespace clusterwright {

namespace {

/// Breach where the first is above the second; none where one of them is not known.
template <class T>
std::optional<Breach> above_where_known(const std::optional<Sourced<T>>& fact, const std::optional<Sourced<T>>& bound,
                                        T unit, const char* name) {
  if (!fact || !bound) return std::nullopt;
  return above(fact->value / unit, bound->value / unit, name);
}

template <class T>
std::optional<Sourced<T>> stated(const Sourced<T>& fact) {
  return fact;
}

/// Memory chips come in powers of two: a label of 80 GB means up to 80 GiB.
constexpr double gib_over_gb = 1024.0 * 1024 * 1024 / 1e9;

std::optional<Breach> addressable_above_label(const AcceleratorPart& part) {
  if (!part.addressable_memory) return std::nullopt;
  const double label = part.memory.value / gigabyte;
  const auto breach = above(part.addressable_memory->value / gigabyte, label * gib_over_gb, "GB");
  if (!breach) return breach;
  return Breach{breach->first, fmt::format("{}, at most {} if counted in GiB", amount(label, "GB"), breach->second)};
}

std::optional<Breach> gemm_above_peak(const AcceleratorPart& part) {
  for (const auto& [format, best] : part.best_gemm_tflops) {
    const auto found = part.peak_dense_tflops.find(format);
    if (found == part.peak_dense_tflops.end()) continue;
    const std::string unit = "TFLOP/s in " + format;
    if (auto breach = above(best.value / teraflop_per_second, found->second.value / teraflop_per_second, unit))
      return breach;
  }
  return std::nullopt;
}

constexpr PartRule<AcceleratorPart> accelerator_rules[] = {
    {{"addressable memory and label", "accelerator.addressable_memory_gb", "is above", "accelerator.memory_gb", "E0348",
      "the driver reports at most what is on the package"},
     addressable_above_label},
    {{"best GEMM and peak", "accelerator.best_gemm_tflops", "is above", "accelerator.peak_dense_tflops", "E0348",
      "give the measured rate without sparsity, and the peak of the same format"},
     gemm_above_peak},
    {{"idle power and rated power", "accelerator.idle_power_w", "is above", "accelerator.power_w", "E0348",
      "idle power is drawn while no program runs"},
     [](const AcceleratorPart& part) { return above_where_known(part.idle_power, stated(part.power), watt, "W"); }},
    {{"lowest power cap and rated power", "accelerator.min_power_limit_w", "is above", "accelerator.power_w", "E0348",
      "a power cap lies below the rated power"},
     [](const AcceleratorPart& part) {
       return above_where_known(part.min_power_limit, stated(part.power), watt, "W");
     }},
    {{"boost clock and highest clock", "accelerator.boost_mhz", "is above", "accelerator.max_mhz", "E0348",
      "the boost clock is one that can be set"},
     [](const AcceleratorPart& part) { return above_where_known(part.boost_mhz, part.max_mhz, 1.0, "MHz"); }},
    {{"measured host link and its data sheet", "accelerator.measured_host_bandwidth_gb_per_s", "is above",
      "accelerator.host_bandwidth_gb_per_s", "E0348", "give both for one direction"},
     [](const AcceleratorPart& part) {
       return above_where_known(part.measured_host_bandwidth, part.host_bandwidth, gigabyte_per_second, "GB/s");
     }},
    {{"link to one neighbour and all links", "accelerator.peer_bandwidth_gb_per_s", "is above",
      "accelerator.scale_up_bandwidth_gb_per_s", "E0348", "one link carries a share of what all links carry"},
     [](const AcceleratorPart& part) {
       return above_where_known(part.peer_bandwidth, part.scale_up_bandwidth, gigabyte_per_second, "GB/s");
     }},
};

constexpr PartRule<NicPart> nic_rules[] = {
    {{"typical and maximum power of a NIC", "nic.typical_power_w", "is above", "nic.max_power_w", "E0348",
      "typical power is at most the maximum"},
     [](const NicPart& part) { return above_where_known(part.typical_power, part.max_power, watt, "W"); }},
};

constexpr PartRule<SwitchPart> switch_rules[] = {
    {{"typical and maximum power of a switch", "switch.typical_power_w", "is above", "switch.max_power_w", "E0348",
      "typical power is at most the maximum"},
     [](const SwitchPart& part) { return above_where_known(part.typical_power, part.max_power, watt, "W"); }},
};

constexpr PartRule<CablePart> cable_rules[] = {
    {{"typical and maximum power of a cable", "cable.power_per_end_w", "is above", "cable.max_power_per_end_w", "E0348",
      "typical power is at most the maximum"},
     [](const CablePart& part) { return above_where_known(part.power_per_end, part.max_power_per_end, watt, "W"); }},
};

constexpr PartRule<InterconnectionPart> interconnection_rules[] = {
    {{"ends of a band", "interconnection.band_low_hz", "is above", "interconnection.band_high_hz", "E0348",
      "give the lower frequency first"},
     [](const InterconnectionPart& part) { return above(part.band_low_hz.value, part.band_high_hz.value, "Hz"); }},
};

/// A server with the accelerators that it names.
struct NodeAndParts {
  const NodePart& node;
  const AcceleratorPart* accelerator;

  std::optional<Watts> accelerators_rated() const {
    if (!accelerator || !node.accelerator_count) return std::nullopt;
    return node.accelerator_count->value * accelerator->power.value;
  }
  std::string accelerators_text() const {
    return fmt::format("{} x {} of {}", node.accelerator_count->value, amount(accelerator->power.value.in(watt), "W"),
                       accelerator->id);
  }
};

std::optional<Breach> parts_above_maximum(const NodeAndParts& subject) {
  const auto rated = subject.accelerators_rated();
  if (!rated || !subject.node.max_power) return std::nullopt;
  const auto breach = above(rated->in(kilowatt), subject.node.max_power->value.in(kilowatt), "kW");
  if (!breach) return breach;
  return Breach{fmt::format("{} = {}", subject.accelerators_text(), breach->first), breach->second};
}

std::optional<Breach> host_above_maximum(const NodeAndParts& subject) {
  const auto rated = subject.accelerators_rated();
  if (!rated || !subject.node.max_power || !subject.node.host_power) return std::nullopt;
  const Watts left = subject.node.max_power->value - *rated;
  if (left <= Watts{}) return std::nullopt;  // the rule above says so
  const auto breach = above(subject.node.host_power->value.in(kilowatt), left.in(kilowatt), "kW");
  if (!breach) return breach;
  return Breach{breach->first, fmt::format("{}, of which accelerators leave {}",
                                           amount(subject.node.max_power->value.in(kilowatt), "kW"), breach->second)};
}

constexpr PartRule<NodeAndParts> node_part_rules[] = {
    {{"typical and maximum power of a server", "server.typical_power_kw", "is above", "server.max_power_kw", "E0353",
      "typical power is at most the maximum"},
     [](const NodeAndParts& s) { return above_where_known(s.node.typical_power, s.node.max_power, kilowatt, "kW"); }},
    {{"idle and maximum power of a server", "server.idle_power_kw", "is above", "server.max_power_kw", "E0353",
      "idle power is at most the maximum"},
     [](const NodeAndParts& s) { return above_where_known(s.node.idle_power, s.node.max_power, kilowatt, "kW"); }},
    {{"power of a server and of its accelerators", "server.accelerator_count", "is above", "server.max_power_kw",
      "E0353", "reduce the number of accelerators, or give the power of a server that holds them"},
     parts_above_maximum},
    {{"power of a server and of its host", "server.host_power_w", "is above", "server.max_power_kw", "E0353",
      "the maximum includes accelerators and host"},
     host_above_maximum},
};

std::optional<Breach> losses_above_efficiency(const PowerPart& part) {
  const double at_full_load = 1 / part.efficiency.value - 1;
  const auto breach = above(part.no_load_loss.value + part.proportional_loss.value, at_full_load, "");
  if (!breach) return breach;
  return Breach{
      fmt::format("{}, with proportional_loss {}", amount(part.no_load_loss.value, ""),
                  amount(part.proportional_loss.value, "")),
      fmt::format("{}, which loses {} of the output at full load", amount(part.efficiency.value, ""), breach->second)};
}

std::optional<Breach> rating_above_current(const PowerPart& part) {
  if (!part.volts || !part.amperes) return std::nullopt;
  const double phases = part.phases == 3 ? std::sqrt(3.0) : 1.0;
  constexpr double rounding = 1.01;  // ratings of data sheets have three digits
  const double carried = phases * part.volts->value * part.amperes->value / 1000;
  const auto breach = above(part.rating.value.in(kilowatt), rounding * carried, "kVA");
  if (!breach) return breach;
  return Breach{breach->first, fmt::format("{} at {} are {}", amount(part.amperes->value, "A"),
                                           amount(part.volts->value, "V"), amount(carried, "kVA"))};
}

constexpr PartRule<PowerPart> power_rules[] = {
    {{"losses and efficiency of a power stage", "stage.no_load_loss", "is more than the loss of", "stage.efficiency",
      "E0354", "no_load_loss + proportional_loss is at most 1 / efficiency - 1"},
     losses_above_efficiency},
    {{"rating and current of a power stage", "stage.rating_kva", "is above", "stage.amperes", "E0354",
      "give the rating of voltage and current"},
     rating_above_current},
};

std::optional<Breach> hot_air(const RackCoolingPart& part) {
  return above(part.air_supply_c.value, hottest_server_air_c, "C");
}

std::optional<Breach> liquid_without_flow(const RackCoolingPart& part) {
  if (part.liquid_share.value <= 0) return std::nullopt;
  if (part.coolant_rise_k.value > 0 && part.coolant_heat_j_per_l_k.value > 0) return std::nullopt;
  return Breach{amount(part.liquid_share.value, ""),
                fmt::format("{}, with coolant_heat_j_per_l_k {}", amount(part.coolant_rise_k.value, "K"),
                            amount(part.coolant_heat_j_per_l_k.value, ""))};
}

std::optional<Breach> more_air_than_heat(const RackCoolingPart& part) {
  return above(part.air_capacity.value.in(kilowatt), part.capacity.value.in(kilowatt), "kW");
}

constexpr PartRule<RackCoolingPart> cooling_rules[] = {
    {{"air temperature and servers", "cooling.air_supply_c", "is above what servers are specified for,",
      "ASHRAE class A4", "E0354", "servers take in air of at most 45 C; 18 to 27 C is recommended"},
     hot_air},
    {{"liquid and its flow", "cooling.liquid_share", "needs a coolant that takes up heat:", "cooling.coolant_rise_k",
      "E0354", "give coolant_rise_k and coolant_heat_j_per_l_k above 0"},
     liquid_without_flow},
    {{"heat of a rack and its share in air", "cooling.air_capacity_kw", "is above", "cooling.capacity_kw", "E0354",
      "the air takes up at most all heat of a rack"},
     more_air_than_heat},
};

constexpr PartRule<ClimatePart> climate_rules[] = {
    {{"wet bulb and dry bulb", "climate.design_wet_bulb_c", "is above", "climate.design_c", "E0354",
      "the wet bulb is never warmer than the air"},
     [](const ClimatePart& part) -> std::optional<Breach> {
       if (part.design_wet_bulb_c.value <= part.design_c.value) return std::nullopt;
       return Breach{amount(part.design_wet_bulb_c.value, "C"), amount(part.design_c.value, "C")};
     }},
    {{"hottest hours and mean of the year", "climate.design_c", "is below", "climate.mean_c", "E0354",
      "design_c is the temperature of the hottest hours"},
     [](const ClimatePart& part) -> std::optional<Breach> {
       if (part.design_c.value >= part.mean_c.value) return std::nullopt;
       return Breach{amount(part.design_c.value, "C"), amount(part.mean_c.value, "C")};
     }},
};

using Prices = std::map<std::string, Sourced<double>>;

constexpr PartRule<Prices> price_rules[] = {
    {{"low and high price", "price.low", "is above", "price.high", "E0348", "low is the lower end of prices paid"},
     [](const Prices& prices) -> std::optional<Breach> {
       const auto low = prices.find("low"), high = prices.find("high");
       if (low == prices.end() || high == prices.end()) return std::nullopt;
       return above(low->second.value, high->second.value, "USD");
     }},
};

/// Checks every part of a list. @param step  word of the rules for the part
template <class Part, std::size_t count>
void check_list(const std::vector<Part>& parts, const char* list, const char* step,
                const PartRule<Part> (&rules)[count], std::vector<RuleFinding>& findings) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    apply_rules(std::span<const PartRule<Part>>(rules), parts[i], {{step, fmt::format("parts.{}.{}", list, i)}},
                findings);
}

void check_nodes(const Catalog& parts, const Catalog& catalog, std::vector<RuleFinding>& findings) {
  for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
    const NodePart& node = parts.nodes[i];
    const NodeAndParts subject{node, catalog.find_accelerator(node.accelerator_id)};
    apply_rules(std::span<const PartRule<NodeAndParts>>(node_part_rules), subject,
                {{"server", fmt::format("parts.nodes.{}", i)}}, findings);
  }
}

template <class Part>
void check_prices(const std::vector<Part>& parts, const char* list, std::vector<RuleFinding>& findings) {
  const std::span<const PartRule<Prices>> all(price_rules);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if constexpr (requires { parts[i].price_usd; })
      apply_rules(all, parts[i].price_usd, {{"price", fmt::format("parts.{}.{}.price_usd", list, i)}}, findings);
    if constexpr (requires { parts[i].price_usd_per_kw; })
      apply_rules(all, parts[i].price_usd_per_kw, {{"price", fmt::format("parts.{}.{}.price_usd_per_kw", list, i)}},
                  findings);
  }
}

void check_all_prices(const Catalog& parts, std::vector<RuleFinding>& findings) {
  check_prices(parts.accelerators, "accelerators", findings);
  check_prices(parts.nics, "nics", findings);
  check_prices(parts.switches, "switches", findings);
  check_prices(parts.cables, "cables", findings);
  check_prices(parts.nodes, "nodes", findings);
  check_prices(parts.racks, "racks", findings);
  check_prices(parts.power_stages, "power_stages", findings);
  check_prices(parts.rack_cooling, "rack_cooling", findings);
  check_prices(parts.coolant_units, "coolant_units", findings);
  check_prices(parts.power_supplies, "power_supplies", findings);
  check_prices(parts.storage_systems, "storage_systems", findings);
  check_prices(parts.servers, "servers", findings);
  check_prices(parts.energy_storage, "energy_storage", findings);
}

}  // namespace

std::vector<RuleFinding> part_findings(const Catalog& parts, const Catalog& catalog) {
  std::vector<RuleFinding> findings;
  check_list(parts.accelerators, "accelerators", "accelerator", accelerator_rules, findings);
  check_list(parts.nics, "nics", "nic", nic_rules, findings);
  check_list(parts.switches, "switches", "switch", switch_rules, findings);
  check_list(parts.cables, "cables", "cable", cable_rules, findings);
  check_nodes(parts, catalog, findings);
  check_list(parts.power_stages, "power_stages", "stage", power_rules, findings);
  check_list(parts.rack_cooling, "rack_cooling", "cooling", cooling_rules, findings);
  check_list(parts.climates, "climates", "climate", climate_rules, findings);
  check_list(parts.interconnections, "interconnections", "interconnection", interconnection_rules, findings);
  check_all_prices(parts, findings);
  return findings;
}

void add_part_rules(std::vector<RuleWords>& list) {
  add_words(std::span<const PartRule<AcceleratorPart>>(accelerator_rules), list);
  add_words(std::span<const PartRule<NicPart>>(nic_rules), list);
  add_words(std::span<const PartRule<SwitchPart>>(switch_rules), list);
  add_words(std::span<const PartRule<CablePart>>(cable_rules), list);
  add_words(std::span<const PartRule<NodeAndParts>>(node_part_rules), list);
  add_words(std::span<const PartRule<PowerPart>>(power_rules), list);
  add_words(std::span<const PartRule<RackCoolingPart>>(cooling_rules), list);
  add_words(std::span<const PartRule<ClimatePart>>(climate_rules), list);
  add_words(std::span<const PartRule<InterconnectionPart>>(interconnection_rules), list);
  add_words(std::span<const PartRule<Prices>>(price_rules), list);
}

}  // namespace clusterwright
