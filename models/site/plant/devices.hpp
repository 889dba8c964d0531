/// What stands in racks: how high, how heavy, what it draws.
#pragma once

#include <string>

#include "models/site/plant/site_plan.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct Cluster;  // topology/cluster/cluster.hpp

/// One thing that stands in a rack.
struct Device {
  std::string what;  ///< "node", "leaf switch"
  std::string part;
  double rack_units = 0;
  Kilograms mass;
  Watts rated;
  double liquid_share = 0;  ///< of its heat that liquid takes up
};

/// What is set into a rack as one piece: a node, or a machine of several nodes that brings its own rack.
struct ComputeBlock {
  Device device;
  const NodePart* node = nullptr;     ///< with height, mass and power
  const NodePart* machine = nullptr;  ///< that the node is a share of; none for servers
  int nodes = 1;
};

/// The catalog's entry that can be placed: the one that the cluster names, the machine that it is a share of, or, where
/// the cluster names none that has height and rated power, the first with these accelerators. The last adds to
/// `warnings`.
/// @throws ConfigError E0350 if there is none
ComputeBlock compute_block(const Cluster& cluster, const Catalog& catalog, const RackCoolingPart& cooling,
                           std::vector<std::string>& warnings);

/// How much less a server draws under `cooling` than as it is sold, as a share: liquid spares the fans of servers built
/// for air. Its nameplate stays.
double fan_saving(const NodePart& node, const RackCoolingPart& cooling, const Catalog& catalog);

/// @throws ConfigError E0350 if the part lacks height or power
Device switch_device(const SwitchPart& part, const std::string& what);

/// Power of a switch at its nameplate: modules in all its cages included.
Watts rated_power(const SwitchPart& part);

}  // namespace clusterwright
