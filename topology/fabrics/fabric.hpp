/// Fabrics of every kind: what contradicts itself, the nested groups, and every cable.
#pragma once

#include <vector>

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/fabrics/network_assembly.hpp"
#include "topology/graph/network.hpp"

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

/// Ports for NICs of one site of a dragonfly, dragonfly+ or HyperX.
/// @throws std::bad_optional_access for other kinds, or without the numbers of the kind
EndpointSlots slots_of(const FabricSpec& spec);

/// The groups of any kind of fabric. A group has its cables to the outside as uplinks:
///
/// fat tree: as its tiers; where the switch is not known, what its accelerators send over the tapers of tiers 0 to t.
/// dragonfly: switch, group; dragonfly+: leaf, group. HyperX: switch, line, plane ... along its sides.
/// torus: line, plane; the uplinks of a mesh are the mean over its groups, which at the rim have fewer.
/// sites: those of one site that divide it, then the site with its links to the others.
/// Where a kind other than a fat tree has an even number of the largest groups, or of routers along its last side, a
/// tier "half" carries the cut between the two halves of the whole machine.
/// @return without tiers for nodes without NICs (a fat tree keeps its tiers), or a fat tree that gives none
/// @throws std::invalid_argument for what check_fabric would report, or tiers that do not nest
FabricTiers make_fabric_tiers(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports = {});

/// How each kind is laid out: docs/fabrics.md. Nodes are numbered along the fabric: leaf by leaf, group by group, site
/// by site. Endpoints are NICs; those of a torus reach their router at the rate of all its links, so that only the
/// torus itself limits.
/// @throws ConfigError E0501 for more than most_cables
/// @throws std::invalid_argument for what check_fabric (topology/fabrics/fabric_check.hpp) would report, nodes without
///         NICs, or more nodes than the fabric joins
Network build_network(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports);

}  // namespace clusterwright
