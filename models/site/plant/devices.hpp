// SPDX-License-Identifier: Apache-2.0
/// Devices that stand in racks: height, mass, power.
#pragma once

#include <string>
#include <vector>

#include "sim/quantity.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct Cluster;  // topology/cluster/cluster.hpp

/// Height of one rack unit (EIA-310).
inline constexpr Meters rack_unit = 0.04445 * meter;

struct Device {
  std::string what;  ///< "node", "leaf switch"
  std::string part;
  double rack_units = 0;
  Kilograms mass;
  Watts rated;              ///< power to plan for: the nameplate, of nodes with what power limits leave of it
  double liquid_share = 0;  ///< share of its heat that liquid takes up
  int ports = 0;            ///< ports of a switch; 0 for other devices
};

/// Nodes that enter a rack as one device: one node, or a machine of several nodes that brings its own rack.
struct ComputeBlock {
  Device device;
  const NodePart* node = nullptr;     ///< part with height, mass and power
  const NodePart* machine = nullptr;  ///< machine that the node is a share of; null for servers
  int nodes = 1;
  Watts nameplate;  ///< of the device, without power limits
};

/// Compute block of a cluster.
///
/// The node part that the cluster names, or the machine that it is a share of. Where that has no height or rated power,
/// the first node part of the catalog with the same accelerators stands in, and a warning says so.
/// @throws ConfigError E0350 if there is none
ComputeBlock compute_block(const Cluster& cluster, const Catalog& catalog, const RackCoolingPart& cooling,
                           std::vector<std::string>& warnings);

/// Fraction by which `cooling` lowers a server's power draw: liquid cooling removes the fans of an air-cooled server.
/// The nameplate rating does not change.
double fan_saving(const NodePart& node, const RackCoolingPart& cooling, const Catalog& catalog);

/// Sentence on a node that is not sold with the cooling of its racks, with a node of the same accelerators that is.
std::string air_only_words(const NodePart& node, const RackCoolingPart& cooling, const Catalog& catalog);

/// @throws ConfigError E0350 if the part lacks height or power
Device switch_device(const SwitchPart& part, const std::string& what);

/// Nameplate power of a switch, with modules in all its cages.
Watts rated_power(const SwitchPart& part);

}  // namespace clusterwright
