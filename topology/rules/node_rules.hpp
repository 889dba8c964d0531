// SPDX-License-Identifier: Apache-2.0
/// Rules between a node and the parts that plug into it: NICs and their slots, accelerators, power.
#pragma once

#include <vector>

#include "topology/nodes/nic_reach.hpp"
#include "topology/rules/part_rule.hpp"

namespace clusterwright {

/// One kind of nodes of a cluster. Parts that the catalog lacks are nullptr; other checks report them.
struct NodeOfCluster {
  const NodeSpec& written;  ///< as the user wrote it
  const NodeSpec& node;     ///< filled in from its part
  const NodePart* part;
  const AcceleratorPart* accelerator;
  const NicPart* nic;
  NicReach reach;
};

/// Most NICs of one accelerator: one for each lane of its slot. The most that is sold is 4 (AWS p5.48xlarge), and 12
/// ports on the accelerator itself (CS-3).
inline constexpr int most_nics_per_accelerator = 16;

std::span<const PartRule<NodeOfCluster>> node_rules();

}  // namespace clusterwright
