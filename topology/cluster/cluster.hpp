// SPDX-License-Identifier: Apache-2.0
/// A cluster with its parts looked up: what the models build on. Never changes once built.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/json_value.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/domain_blocks.hpp"
#include "topology/fabrics/fabric_tiers.hpp"
#include "topology/fabrics/flow_tail.hpp"
#include "topology/fabrics/grown_tree.hpp"
#include "topology/fabrics/network_size.hpp"
#include "topology/nodes/node_group.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

class ClusterNetwork;
struct RoutedNetwork;

/// The members about nodes describe the first group, which is the only one except in mixed clusters.
struct Cluster {
  Cluster();
  Cluster(const Cluster&);
  Cluster(Cluster&&) noexcept;
  Cluster& operator=(const Cluster&);
  Cluster& operator=(Cluster&&) noexcept;
  ~Cluster();

  ClusterSpec spec;  ///< nodes are filled in with what their parts say
  AcceleratorPart accelerator;
  FabricTiers fabric;
  FabricPorts ports;               ///< ports of the switches that the fabric names
  std::optional<TreeStock> stock;  ///< what the tiers follow from at any size; nothing where they are stated
  int node_accelerators = 8;       ///< number in one node
  int nics = 8;                    ///< number in one node
  /// Accelerators of one inner domain: a node, or the whole nodes that scale-up links join to one machine (72 for
  /// an NVL72 rack of trays with 4). The last domain may be partly filled.
  int domain = 8;
  bool switch_reduction = false;      ///< switches that join a whole domain can reduce
  BytesPerSecond scale_up_bandwidth;  ///< one accelerator, one direction; zero without scale-up links
  BytesPerSecond nic_bandwidth;       ///< one NIC, one direction
  NodeLinks links;                    ///< inside one domain
  std::vector<NodeGroup> groups;      ///< nodes by kind, in the order of their numbers
  DomainBlocks blocks;                ///< accelerators of each domain that the job uses
  BlockRequest request;               ///< the wishes that chose the blocks, for other sizes
  /// Flows between nodes take their times in this part of all cases: a what-if. Absent: all take the mean.
  std::optional<TailPart> slow_flows;
  std::vector<std::string> remarks;              ///< sentences about parts that work together, but lose something
  std::shared_ptr<const ClusterNetwork> routed;  ///< see network()

  /// All nodes of the job, those with idle accelerators included.
  int nodes() const {
    return mixed() ? groups.back().first_node - NodeId(0) + groups.back().nodes : blocks.installed / node_accelerators;
  }
  int domains() const { return blocks.domains(); }
  /// Ranks of the fullest node.
  int node_ranks() const { return std::min(node_accelerators, blocks.used); }
  bool mixed() const { return groups.size() > 1; }
  /// Number of kinds of nodes: fewer than groups where some are described alike.
  int kinds() const;
  /// Place in `groups` of the first nodes of a kind.
  std::size_t group_of_kind(int kind) const;
  /// Description of the nodes of a kind.
  const NodeSpec& node_of_kind(int kind) const;
  /// Kind of the node that holds an accelerator. @throws std::invalid_argument as group_of_node
  int kind_of(AcceleratorId member) const;
  /// @throws std::invalid_argument as group_of_node, where nodes are of several kinds
  const AcceleratorPart& part_of(AcceleratorId member) const;
  /// Whether switches join nodes. A single node has no network, and several nodes that scale-up links join (an NVL72
  /// rack) may have none.
  bool has_network() const;
  /// Cables, switches and routes that all commands lay traffic on; built when first asked for, shared by copies.
  /// What-ifs that change rates in a copy do not change it.
  /// @pre has_network()
  /// @throws ConfigError E0321 for a fault that names nothing, E0501 for more cables than can be held
  const RoutedNetwork& network() const;
  /// @throws std::invalid_argument for a node that the cluster does not have
  const NodeGroup& group_of_node(NodeId node) const;

  /// Nodes of the whole machine: those of the job and those that its placement leaves to others.
  int machine_nodes() const;
  /// Nodes that the network joins; a mixed cluster counts with the NICs of its first group.
  NetworkSize network_size() const {
    return {machine_nodes() + file_servers(), node_accelerators, nics, nic_bandwidth};
  }
  /// Servers of the file system on the network, at the places after the nodes of the machine.
  int file_servers() const { return spec.fabric.file_servers; }
  /// Whether files travel on the network between nodes.
  bool has_files_on_network() const { return has_network() && file_servers() > 0; }
  /// The job's nodes and the file servers alone, with the rate of the cables, which slots of a host do not slow down.
  NetworkSize cabled_size() const;

  /// NIC bandwidth that one used accelerator has to itself, one direction: ranks use the NICs nearest to them, those
  /// of idle accelerators stay idle.
  BytesPerSecond network_per_accelerator() const;

  /// Rate of rings among the first `members` of a domain, one accelerator, one direction. Where scale-up links join
  /// the members it scales with scale_up_bandwidth; else it is that of PCI Express.
  /// @pre 1 <= members <= domain
  BytesPerSecond inner_bandwidth(int members) const;
  /// The same for a group at other places.
  BytesPerSecond inner_bandwidth(const DomainPlaces& places) const;
};

/// Cluster with its parts looked up and its numbers checked.
/// @param source   the JSON that `spec` was decoded from, for the places of errors
/// @param pointer  of `source` in its file, such as "/cluster"; empty if it is the whole file
/// @param request  wishes of the job about the accelerators of each domain
/// @throws ConfigError with every error found: unknown parts (with a suggestion), nodes that contradict their part,
///         accelerators that do not fill domains in equal blocks or do not fit the top tier, groups that do not add up,
///         tiers that do not nest, several nodes without a network
Cluster build_cluster(const ClusterSpec& spec, const Catalog& catalog, const JsonValue& source,
                      const std::string& pointer = {}, const BlockRequest& request = {});

/// The same cluster with another number of accelerators; in a mixed one the first group grows or shrinks. Tiers that
/// nobody stated follow.
/// @throws ConfigError as build_cluster, without places
Cluster resized(const Cluster& cluster, int accelerators);
Cluster resized(const Cluster& cluster, int accelerators, const BlockRequest& request);
/// The same cluster with the same places, whose hashed flows draw other paths.
Cluster rehashed(const Cluster& cluster, int routing_seed);

/// Whether a single accelerator has a limit of its own below that of the others of its kind.
inline bool is_limited(const SlowAcceleratorSpec& slow, const Cluster& cluster) {
  const AcceleratorPart& part = cluster.part_of(AcceleratorId(static_cast<std::size_t>(slow.accelerator)));
  return slow.power_limit && *slow.power_limit < part.limit_or_rating();
}

}  // namespace clusterwright
