// SPDX-License-Identifier: Apache-2.0
/// Collectives of steps where the network itself is a torus of chips, without the graph that `collective` lays them on.
#pragma once

#include <optional>

#include "models/kernels/collectives/collective_time.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// A group that fills a block of a torus of single chips: rings along every axis that it covers, as torus_time; a
/// message takes one link; an exchange is as fast as the busiest link lets it be.
/// @return nothing inside a node and on other fabrics
/// @source docs/models/collectives.md, "Torus"
std::optional<CollectiveTiming> torus_fabric_time(CollectiveOp op, Bytes payload, const GroupShape& group,
                                                  const Cluster& cluster, GroupLinks links,
                                                  const NetworkParameters& network);

}  // namespace clusterwright
