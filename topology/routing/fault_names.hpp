// SPDX-License-Identifier: Apache-2.0
/// Names of the parts of a network in the words of `parse_fault`.
#pragma once

#include <string>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// "spine:2" for a switch, "node:5.3" for NIC 3 of node 5.
std::string fault_name(const NetworkGraph& graph, VertexId part);

/// "leaf:0-spine:1", with "#2" for the third of several parallel cables; "node:5.3" for the cable of a NIC.
std::string fault_name(const NetworkGraph& graph, LinkId cable);

}  // namespace clusterwright
