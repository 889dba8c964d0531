/// What a network has to join, and the ports of the switches that it is made of.
#pragma once

#include <vector>

#include "topology/fabrics/fabric_spec.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp

/// The nodes that a network joins; all alike.
struct NetworkSize {
  int nodes = 1;
  int accelerators_per_node = 8;
  int nics_per_node = 8;    ///< 0: no network
  BytesPerSecond nic_rate;  ///< of one NIC, one direction

  /// NIC bandwidth that one accelerator has to itself, one direction.
  BytesPerSecond per_accelerator() const { return nic_rate * nics_per_node / accelerators_per_node; }
};

/// Ports of the switch parts that a fabric names; 0 where none is named or the catalog does not know it.
struct FabricPorts {
  std::vector<int> tiers;   ///< of a fat tree, one entry per tier
  int direct_switches = 0;  ///< of the other kinds
};
FabricPorts fabric_ports(const FabricSpec& spec, const Catalog& catalog);

/// One site of a fabric that spans several: its nodes, of which every site has equally many.
/// @throws std::invalid_argument if the sites do not divide the nodes
NetworkSize site_size(const FabricSpec& spec, NetworkSize all);
int site_count(const FabricSpec& spec);

/// Rate of a cable between two switches, one direction.
BytesPerSecond switch_link_rate(const FabricSpec& spec, const NetworkSize& size);

}  // namespace clusterwright
