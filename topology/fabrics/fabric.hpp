// SPDX-License-Identifier: Apache-2.0
/// Fabrics of every kind: contradictions, nested groups, cables.
///
/// Each kind has a file of its own (fat_tree, dragonfly, dragonfly_plus, torus, hyperx), and so have several places
/// that share a network (sites). A kind does three jobs, each on an object that is common to all kinds:
///   FabricCheck      errors in its numbers
///   SiteTiers        nested groups of one site, without a vertex for each accelerator (FabricTiers)
///   NetworkAssembly  every switch and cable of all sites (Network)
/// fabric.cpp is the table of kinds.
#pragma once

#include <vector>

#include "topology/fabrics/fabric_check.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/fabrics/network_assembly.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Errors that would keep build_network and make_fabric_tiers from their work, except tiers that do not nest, a
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

/// Nested groups of any kind of fabric. The uplinks of a group are its cables to the outside:
///
/// fat tree: its tiers; where the switch is not known, what its accelerators send over the tapers of tiers 0 to t.
/// dragonfly: switch, group; dragonfly+: leaf, group. HyperX: switch, line, plane ... along its sides.
/// torus: line, plane; the uplinks of a mesh are the mean over its groups, which at the rim have fewer.
/// sites: the groups of one site that divide it, then the site with its links to the others.
/// Where a kind other than a fat tree has an even number of largest groups, or of routers along its last side, a
/// tier "half" carries the cut between the two halves of the whole machine.
/// @return without tiers for nodes without NICs (a fat tree keeps its tiers), or a fat tree that gives none
/// @throws std::invalid_argument for what check_fabric would report, or tiers that do not nest
FabricTiers make_fabric_tiers(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports = {});

/// Network with every NIC port, switch and cable. Nodes are numbered along the fabric: leaf by leaf, group by group,
/// site by site. Endpoints are NICs; those of a torus reach their router at the rate of all its links, so that only the
/// torus itself limits.
/// @throws ConfigError E0501 for more than most_cables
/// @throws std::invalid_argument for what check_fabric would report, nodes without NICs, or more nodes than the fabric
///         joins
Network build_network(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports);

}  // namespace clusterwright
