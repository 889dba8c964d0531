// SPDX-License-Identifier: Apache-2.0
/// `show --topology`: counts and bandwidths of a cluster, and of its network after failures.
#pragma once

#include <string>
#include <vector>

#include "tools/commands/shown.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// @param failures  failures in the form of parse_fault; empty: none
/// @param draws     also as a graph for Graphviz
/// @throws ConfigError E0321 for a failure that names nothing, or where there is no network to fail
Shown show_topology(const Cluster& cluster, const std::vector<std::string>& failures, bool draws);

}  // namespace clusterwright
