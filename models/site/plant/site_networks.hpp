/// Every network of a site, cable by cable: the one that trains, and those beside it.
#pragma once

#include <string>
#include <vector>

#include "topology/cluster/facility_spec.hpp"
#include "topology/graph/network_graph.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct Cluster;  // topology/cluster/cluster.hpp

/// Who has the ports beyond those of the nodes.
enum class ServiceKind { server, storage };
struct ServicePort {
  ServiceKind kind = ServiceKind::server;
  int device = 0;  ///< from 0, among those of its kind
};

/// Nodes below a switch, from `first` to `last`; none: last < first.
struct NodeSpan {
  int first = 0, last = -1;
};

struct SiteNetwork {
  std::string name;
  NetworkGraph graph;
  std::vector<const SwitchPart*> tier_parts;  ///< by tier of the graph; null: none is named, or none is bought
  int nodes = 0;                              ///< of the site; endpoints of later nodes are `services`
  std::vector<ServicePort> services;          ///< by port, in the order of the endpoints beyond the nodes
  std::vector<bool> bought;                   ///< by kind of link: false for what lies inside a node or is leased
  std::vector<NodeSpan> spans;                ///< by switch; of services only: none
};

struct ServiceCounts {
  int servers = 0, appliances = 0;
  int ports_per_appliance = 0;
};

/// The network that trains; nothing without one. Tiers of a fat tree that name no switch get those of
/// its transport and rate that make the cheapest tree; `warnings` says which.
std::vector<SiteNetwork> training_network(const Cluster& cluster, const Catalog& catalog,
                                          std::vector<std::string>& warnings);

/// Neither nodes behind one lowest switch of all these networks nor those of one machine ever belong to two units: the
/// least multiple of whole groups and whole machines with at least `least_nodes`.
/// @param machine_nodes  that come as one piece
int nodes_per_unit(const std::vector<SiteNetwork>& networks, int nodes, int machine_nodes, int least_nodes);

/// A fat tree with as few tiers as its switch allows, all ports of a node on one leaf, leaves that divide a unit or
/// serve whole ones.
/// @throws ConfigError E0306 if not even three tiers join everything
SiteNetwork side_network(const SideNetworkSpec& spec, int nodes, int unit_nodes, const ServiceCounts& services,
                         const Catalog& catalog);

}  // namespace clusterwright
