// SPDX-License-Identifier: Apache-2.0
/// One node as a cluster of its own: what a probe ran on.
#pragma once

#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Accelerators that the scale-up links of `part` join; no network.
Cluster single_node(const AcceleratorPart& part, int accelerators);

}  // namespace clusterwright
