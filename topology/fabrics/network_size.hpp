// SPDX-License-Identifier: Apache-2.0
/// Nodes that a network joins, and ports of the switches that it is made of.
#pragma once

#include <vector>

#include "topology/fabrics/fabric_spec.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp

/// Nodes that a network joins; all alike.
struct NetworkSize {
  int nodes = 1;
  int accelerators_per_node = 8;
  int nics_per_node = 8;    ///< 0: no network
  BytesPerSecond nic_rate;  ///< rate of one NIC, one direction

  /// NIC bandwidth that one accelerator has to itself, one direction.
  BytesPerSecond per_accelerator() const { return nic_rate * nics_per_node / accelerators_per_node; }
};

/// Ports of the switch parts that a fabric names; 0 where none is named or the catalog does not know it.
struct FabricPorts {
  std::vector<int> tiers;   ///< ports by tier of a fat tree
  int direct_switches = 0;  ///< ports of the switches of other kinds
};
FabricPorts fabric_ports(const FabricSpec& spec, const Catalog& catalog);

/// Nodes of one site; every site has equally many.
/// @throws std::invalid_argument if the sites do not divide the nodes
NetworkSize site_size(const FabricSpec& spec, NetworkSize all);
int site_count(const FabricSpec& spec);

/// Rate of a cable between two switches, one direction.
BytesPerSecond switch_link_rate(const FabricSpec& spec, const NetworkSize& size);

/// Ports of one site for NICs. NICs fill the switches in order; no node straddles two groups of switches, so a few
/// ports of a group may stay empty.
struct EndpointSlots {
  int per_switch = 0;
  long long switches_per_group = 1;
  long long groups = 1;

  long long nodes_per_group(int nics) const { return switches_per_group * per_switch / nics; }
  long long nodes(int nics) const { return groups * nodes_per_group(nics); }
};

}  // namespace clusterwright
