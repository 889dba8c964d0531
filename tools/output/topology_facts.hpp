// SPDX-License-Identifier: Apache-2.0
/// Parts of a cluster's network, its reach, its bisection, and the NICs that failures cut off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/routing/network_facts.hpp"

namespace clusterwright {

/// Limit for a bisection by maximum flow, about a second: number of cables between switches times number of cuts that
/// are compared.
inline constexpr std::size_t most_flow_cables = 1'500'000;

enum class BisectionBy { max_flow, tiers };

struct TopologyFacts {
  /// Switches that are alike, failed ones included.
  struct Switches {
    std::string tier;
    std::uint32_t count = 0;
    std::size_t ports_used_max = 0;  ///< ports in use on the fullest switch; failed cables count
    int ports = 0;                   ///< ports of the switch part; 0 without a named part
  };
  /// Working cables of one kind and rate.
  struct Cables {
    std::string kind;
    std::size_t count = 0;
    BytesPerSecond rate;  ///< one direction
  };

  std::vector<Switches> switches;  ///< nearest to the nodes first
  std::vector<Cables> cables;
  Diameter diameter;
  Seconds farthest;          ///< switches and cables between the two NICs farthest apart, one way
  BytesPerSecond bisection;  ///< one direction
  /// Bisection over the bandwidth of all NICs of the lower half of the nodes, without failures.
  double bisection_share = 0;
  /// tiers: too large for maximum flow; the bound from nested groups, which knows no failures.
  BisectionBy bisection_by = BisectionBy::max_flow;
  struct Nic {
    int node = 0;
    int rail = 0;
  };
  std::vector<Nic> cut_off;  ///< NICs without a path to most others of their rail, by node
};

/// Every NIC, switch and cable of the cluster; in a mixed cluster each NIC cable at the rate of its own node.
/// @return nothing where no network joins nodes
std::optional<Network> network_of(const Cluster& cluster);

TopologyFacts topology_facts(const Cluster& cluster, const Network& network);

}  // namespace clusterwright
