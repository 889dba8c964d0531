// SPDX-License-Identifier: Apache-2.0
/// Rules of topology/rules/ applied to everything that a cluster plugs together.
#pragma once

#include <vector>

#include "topology/cluster/cluster_spec.hpp"
#include "topology/fabrics/network_size.hpp"
#include "topology/rules/part_rule.hpp"

namespace clusterwright {

/// Rules that the cluster breaks, with pointers relative to it. Parts that the catalog lacks are skipped.
/// @param written  as the user wrote it
/// @param filled   with what parts say
/// @param ports    fabric_ports(filled.fabric, catalog)
std::vector<RuleFinding> cluster_findings(const ClusterSpec& written, const ClusterSpec& filled, const Catalog& catalog,
                                          const FabricPorts& ports);

}  // namespace clusterwright
