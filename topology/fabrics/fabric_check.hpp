/// Contradictions in the description of a fabric.
#pragma once

#include <vector>

#include "topology/fabrics/fabric_error.hpp"
#include "topology/fabrics/network_size.hpp"

namespace clusterwright {

/// Everything that would keep build_network and make_fabric_tiers from their work, but for tiers that do not nest, a
/// missing network and a cluster larger than its top tier (topology/cluster/cluster_check.cpp).
///
/// E0306 ports of the switch exceeded; E0307 more groups than global links can join; E0308 sizes that do not agree with
/// each other or with the nodes; E0309 numbers of the kind missing, or given for another kind; E0316 fewer NIC ports
/// than NICs; E0317 a tier of unknown size; E0318 a switch without ports for both directions; E0319 rail planes of a
/// single rail.
/// @param ports  fabric_ports(spec, catalog)
std::vector<FabricError> check_fabric(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports);

}  // namespace clusterwright
