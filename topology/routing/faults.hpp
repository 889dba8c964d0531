// SPDX-License-Identifier: Apache-2.0
/// Broken and slow links, NICs and switches of a network.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// A switch with all its links, a NIC with its cable, or the cables between two such.
struct Fault {
  struct Part {
    std::string tier;  ///< name of a tier of switches, or "node"
    int number = 0;    ///< number in the tier, or of the node, from 0
    int nic = 0;       ///< NIC of the node
  };

  std::string text;  ///< words of the user
  Part part;
  std::optional<Part> other;  ///< the other end of cables
  std::optional<int> cable;   ///< one of several parallel ones, from 0; all if absent
  double left = 0;            ///< share of the rate that is left, both directions; 0: failed
};

/// Fault from "spine:2", "leaf:0-spine:1", "leaf:0-spine:1#0", "node:5.3" (NIC 3 of node 5) or "rail:3" (NIC 3 of every
/// node); "=0.5" at the end
/// gives the share of the rate that is left.
/// @throws ConfigError E0321
Fault parse_fault(std::string_view text);

/// Marks the links; before routes are made. Several faults on one link multiply.
/// @throws ConfigError E0321 naming what the network has, where the fault names something else
void apply_fault(NetworkGraph& graph, const Fault& fault);

}  // namespace clusterwright
