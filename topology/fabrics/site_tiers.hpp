// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "topology/fabrics/fabric_tiers.hpp"

namespace clusterwright {

/// Tiers of one site of a fabric, added by its kind from the nodes up.
class SiteTiers {
 public:
  /// @param one_site  nodes of one site
  SiteTiers(const FabricSpec& fabric, const NetworkSize& one_site, const FabricPorts& switch_ports)
      : spec(fabric), size(one_site), ports(switch_ports) {}

  /// @param uplink    capacity of one group, one direction
  /// @param switches  switches between the two nodes of a group that are farthest apart
  void add(std::string name, long long nodes, BytesPerSecond uplink, int switches);

  /// A group of switches with equally many NIC ports; left out where its edge would cut through a node.
  void add_switches(std::string name, long long switches, long long per_switch, double cables, int crossed);

  /// Group of all nodes.
  void add_top(long long nodes, int crossed);

  BytesPerSecond link_rate() const { return switch_link_rate(spec, size); }

  const FabricSpec& spec;
  const NetworkSize& size;
  const FabricPorts& ports;
  std::vector<FabricTiers::Tier> tiers;
  int to_border = 1;  ///< switches from a node to the border of its site, the border switch not counted
};

/// Name of a group of a grid that fills so many of its axes: "switch", "line", "plane", "cube".
std::string grid_group(std::size_t axes);
/// Last side that is longer than 1; 0 where none is.
std::size_t last_axis(const std::vector<int>& sides);

}  // namespace clusterwright
