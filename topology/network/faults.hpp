/// What is broken or slow in a network.
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
    int number = 0;    ///< in the tier, from 0; or the node's
    int nic = 0;       ///< of a node
  };

  std::string text;  ///< as the user wrote it
  Part part;
  std::optional<Part> other;  ///< the other end of cables
  std::optional<int> cable;   ///< one of several parallel ones, from 0; all if absent
  double left = 0;            ///< of the rate, both directions; 0: failed
};

/// Reads "spine:2", "leaf:0-spine:1", "leaf:0-spine:1#0" or "node:5.3" (NIC 3 of node 5), each with "=0.5" behind it
/// for what is left of the rate.
/// @throws ConfigError E0321
Fault parse_fault(std::string_view text);

/// Marks the links; before routes are made. Several faults on one link multiply.
/// @throws ConfigError E0321 naming what the network has, where the fault names something else
void apply_fault(NetworkGraph& graph, const Fault& fault);

}  // namespace clusterwright
