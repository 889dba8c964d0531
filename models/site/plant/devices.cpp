// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

namespace {

/// Mass of servers without a stated one: a DGX H100 has 130 kg in 8 rack units.
constexpr Kilograms mass_per_unit = 16 * kilogram;

bool can_be_placed(const NodePart& part) {
  return part.max_power && part.rack_units && part.rack_units->value > 0;
}

Kilograms mass_of(const NodePart& part, std::vector<std::string>& warnings) {
  if (part.mass && part.mass->value > Kilograms{}) return part.mass->value;
  warnings.push_back(fmt::format("the mass of {} is not known: {:.0f} kg per rack unit is assumed", part.id,
                                 mass_per_unit.in(kilogram)));
  return part.rack_units->value * mass_per_unit;
}

const NodePart* machine_of(const NodePart& part, const Catalog& catalog) {
  return part.machine.empty() ? nullptr : catalog.find_node(part.machine);
}

bool usable(const NodePart& part, const Catalog& catalog) {
  const NodePart* machine = machine_of(part, catalog);
  return can_be_placed(machine ? *machine : part);
}

bool suits(const NodePart& part, const RackCoolingPart& cooling) {
  return !(cooling.inside_servers && part.only_air && part.only_air->value);
}

/// First node part with as many of the same accelerators that can be placed; one that is sold with the cooling of the
/// racks goes first.
const NodePart* stand_in(const Cluster& cluster, const Catalog& catalog, const RackCoolingPart& cooling) {
  const NodePart* found = nullptr;
  for (const NodePart& part : catalog.nodes) {
    const bool same = part.accelerator_id == cluster.accelerator.id && part.accelerator_count &&
                      part.accelerator_count->value == cluster.node_accelerators;
    if (!same || !usable(part, catalog)) continue;
    if (!found || (suits(part, cooling) && !suits(*found, cooling))) found = &part;
  }
  return found;
}

/// Why no rack can be planned for a node, in words.
std::string unplaced_reason(const NodePart* named) {
  if (named && !named->no_rack.empty()) return named->no_rack;
  if (named && named->rented)
    return "it is an instance of a cloud whose server is not published, and no other server of the catalog has as many "
           "of these accelerators";
  return "its height or rated power is not known";
}

const NodePart& placeable_node(const Cluster& cluster, const Catalog& catalog, const RackCoolingPart& cooling,
                               std::vector<std::string>& warnings) {
  const NodePart* named = catalog.find_node(cluster.spec.node.part);
  if (named && usable(*named, catalog)) return *named;
  const NodePart* other = stand_in(cluster, catalog, cooling);
  const std::string asked =
      named ? named->id : fmt::format("{} x {}", cluster.node_accelerators, cluster.accelerator.id);
  if (!other)
    throw ConfigError({"E0350",
                       fmt::format("no server with {} can be placed in a rack", asked),
                       {},
                       unplaced_reason(named),
                       "describe one under \"parts\" of the cluster, with height_u, mass_kg and max_power_kw, and name "
                       "it as \"part\" of the node"});
  warnings.push_back(fmt::format("racks are planned with {}: {}", other->id,
                                 !named          ? std::string("the cluster names no server")
                                 : named->rented ? fmt::format("{} is an instance of a cloud", named->id)
                                                 : fmt::format("the height or power of {} is not known", named->id)));
  return *other;
}

double liquid_share(const NodePart& part, const RackCoolingPart& cooling) {
  if (cooling.liquid_share.value == 0) return 0;
  return part.liquid_share ? part.liquid_share->value : cooling.liquid_share.value;
}

/// Rack cooling that air-cooled servers are built for: the strongest one without liquid.
const RackCoolingPart* usual_air(const Catalog& catalog) {
  const RackCoolingPart* best = nullptr;
  for (const RackCoolingPart& part : catalog.rack_cooling)
    if (part.liquid_share.value == 0 && (!best || part.capacity.value > best->capacity.value)) best = &part;
  return best;
}

/// First node of the catalog with as many of the same accelerators that is sold with a cooling; nullptr if none is.
const NodePart* node_sold_with(const RackCoolingPart& cooling, const NodePart& node, const Catalog& catalog) {
  for (const NodePart& part : catalog.nodes) {
    const bool same = part.accelerator_id == node.accelerator_id && part.accelerator_count && node.accelerator_count &&
                      part.accelerator_count->value == node.accelerator_count->value;
    if (same && usable(part, catalog) && suits(part, cooling)) return &part;
  }
  return nullptr;
}

void check_one_site(const Cluster& cluster) {
  const auto& sites = cluster.spec.fabric.sites;
  if (!sites || sites->count == 1) return;
  throw ConfigError({"E0357",
                     fmt::format("a plan of one site cannot hold the {} sites of the cluster", sites->count),
                     {},
                     "each has halls, power and switches of its own, and a carrier's line to the others",
                     fmt::format("plan each by itself: leave out \"sites\" of the fabric, and give {} accelerators",
                                 cluster.spec.accelerators / sites->count)});
}

}  // namespace

std::string air_only_words(const NodePart& node, const RackCoolingPart& cooling, const Catalog& catalog) {
  const NodePart* other = node_sold_with(cooling, node, catalog);
  return fmt::format("{} is sold for air only; the racks have {}: {}cool by air", node.id, cooling.id,
                     other ? fmt::format("name a node that is sold with it, \"{}\", or ", other->id) : "");
}

double fan_saving(const NodePart& node, const RackCoolingPart& cooling, const Catalog& catalog) {
  const RackCoolingPart* air = usual_air(catalog);
  if (!air || (node.needs_liquid && node.needs_liquid->value)) return 0;
  const double remaining = (1 - air->server_fan_share.value) / (1 - cooling.server_fan_share.value);
  return std::max(0.0, 1 - remaining);
}

namespace {

/// What power limits take from the accelerators of one node.
Watts limited_away(const Cluster& cluster) {
  const AcceleratorPart& part = cluster.accelerator;
  return part.power_limit ? cluster.node_accelerators * (part.power.value - *part.power_limit) : Watts();
}

}  // namespace

ComputeBlock compute_block(const Cluster& cluster, const Catalog& catalog, const RackCoolingPart& cooling,
                           std::vector<std::string>& warnings) {
  ComputeBlock block;
  block.node = &placeable_node(cluster, catalog, cooling, warnings);
  check_one_site(cluster);
  block.machine = machine_of(*block.node, catalog);
  const NodePart& whole = block.machine ? *block.machine : *block.node;
  if (block.machine && block.machine->accelerator_count && block.node->accelerator_count)
    block.nodes = block.machine->accelerator_count->value / block.node->accelerator_count->value;
  block.device = {"node",
                  whole.id,
                  whole.rack_units->value,
                  mass_of(whole, warnings),
                  std::max(Watts(), whole.max_power->value - block.nodes * limited_away(cluster)),
                  liquid_share(whole, cooling),
                  0};
  block.nameplate = whole.max_power->value;
  return block;
}

Watts rated_power(const SwitchPart& part) {
  if (part.max_power) return part.max_power->value;
  return part.typical_power ? part.typical_power->value : Watts{};
}

Device switch_device(const SwitchPart& part, const std::string& what) {
  if (!part.rack_units || part.rack_units->value <= 0 || rated_power(part) == Watts{})
    throw ConfigError({"E0350",
                       fmt::format("the switch {} cannot be placed in a rack", part.id),
                       {},
                       "its height or power is not known",
                       "describe it under \"parts\" of the cluster, with height_u and max_power_w"});
  return {what, part.id,         part.rack_units->value, part.mass ? part.mass->value : Kilograms{}, rated_power(part),
          0,    part.ports.value};
}

}  // namespace clusterwright
