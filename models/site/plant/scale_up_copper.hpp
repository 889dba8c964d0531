/// Whether copper reaches inside a machine whose scale-up links span several nodes.
#pragma once

#include <optional>

#include "models/site/plant/devices.hpp"

namespace clusterwright {

struct Cluster;  // topology/cluster/cluster.hpp

/// Nodes of a domain stand one over the other, rack beside rack, switches in the middle of the middle rack; a cable
/// runs from each to each switch.
/// @return nothing where domains are not larger than a node, have no switches, or the catalog knows no such backplane
std::optional<ScaleUpCheck> check_scale_up(const Cluster& cluster, const Catalog& catalog, const ComputeBlock& block,
                                           const RackPart& frame, int nodes_per_rack,
                                           std::vector<SiteVerdict>& verdicts);

}  // namespace clusterwright
