// SPDX-License-Identifier: Apache-2.0
/// Choice of what a fabric is made of where a cluster names no tiers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/json_value.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/fabrics/grown_tree.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Switches with a price that a transport runs on and that have the smallest port rate from `rate` on.
std::vector<const SwitchPart*> switches_for(Transport transport, BytesPerSecond rate, const Catalog& catalog);

/// Protocol of a fabric that states none: the first one that the NIC speaks.
Transport usual_transport(const NodeSpec& node, const Catalog& catalog, Transport otherwise);

/// Switch of an open tree: the stated one; else of those that suit the NICs the one of the cheapest tree.
/// @param cluster  with its nodes filled in
/// @param size     nodes of all sites, with the rate of their cables
/// @return nothing where tiers are stated, or no switch suits
std::optional<TreeStock> tree_stock(const ClusterSpec& cluster, const Catalog& catalog, const NetworkSize& size,
                                    int domain_nodes);

/// Sentence that says what was chosen and how to state it.
std::string grown_tree_remark(const FabricSpec& grown, const TreeStock& stock, bool stated_switch);

}  // namespace clusterwright
