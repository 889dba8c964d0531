#pragma once

#include "topology/cluster/cluster_spec.hpp"

namespace clusterwright {

/// A catalog with the parts that a cluster describes itself behind its own.
Catalog with_own_parts(Catalog catalog, const ClusterSpec& cluster);

}  // namespace clusterwright
