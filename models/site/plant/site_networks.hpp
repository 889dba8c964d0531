// SPDX-License-Identifier: Apache-2.0
/// Networks of a site as graphs: the training network and the networks beside it.
#pragma once

#include <string>
#include <vector>

#include "sim/typed_id.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/graph/network_graph.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct Cluster;  // topology/cluster/cluster.hpp

using NetworkId = Id<struct NetworkTag>;

enum class NetworkRole { training, storage, provisioning };

/// Devices on the ports beyond those of the nodes.
enum class ServiceKind { server, storage };
struct ServicePort {
  ServiceKind kind = ServiceKind::server;
  int device = 0;  ///< number among the devices of its kind
};

/// Nodes below a switch, from `first` to `last`; none if last < first.
struct NodeSpan {
  int first = 0, last = -1;
  bool empty() const { return last < first; }
};

struct SiteNetwork {
  std::string name;
  NetworkRole role = NetworkRole::training;
  NetworkGraph graph;
  std::vector<const SwitchPart*> tier_parts;  ///< parts by tier of the graph; null: none is named or bought
  int nodes = 0;                              ///< nodes of the site; endpoints of later nodes are `services`
  std::vector<ServicePort> services;          ///< services by port, in the order of the endpoints beyond the nodes
  std::vector<bool> bought;                   ///< flags by kind of link: false for links inside a node and leased ones
  std::vector<NodeSpan> spans;                ///< spans by switch; empty below switches of services only
};

struct ServiceCounts {
  int servers = 0, appliances = 0;
  int ports_per_appliance = 0;
};

/// Training network; an empty list without one. Tiers of a fat tree that name no switch get the switches of its
/// transport and rate that make the cheapest tree; `warnings` says which.
std::vector<SiteNetwork> training_network(const Cluster& cluster, const Catalog& catalog,
                                          std::vector<std::string>& warnings);

/// Nodes that a scalable unit is made of.
struct UnitBounds {
  int nodes = 0;          ///< nodes of the site
  int machine_nodes = 1;  ///< nodes of one machine
  int least_nodes = 1;
};

/// Nodes of one scalable unit: the least multiple of whole machines, and of whole groups of nodes behind one lowest
/// switch of any of the networks, with at least `least_nodes`.
int nodes_per_unit(const std::vector<SiteNetwork>& networks, const UnitBounds& bounds);

/// Nodes of one scalable unit behind the leaves that the training network would grow without taper. Networks beside it
/// are cut to these, so that a taper of the training network does not change them.
/// @pre the cluster has a stock of switches
int untapered_unit(const Cluster& cluster, const UnitBounds& bounds);

/// Network beside the training network: a fat tree with as few tiers as its switch allows, all ports of a node on one
/// leaf, and leaves that divide a scalable unit or serve whole ones.
/// @throws ConfigError E0306 if not even three tiers join everything
SiteNetwork side_network(const SideNetworkSpec& spec, int nodes, int unit_nodes, const ServiceCounts& services,
                         const Catalog& catalog);

}  // namespace clusterwright
