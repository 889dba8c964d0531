// SPDX-License-Identifier: Apache-2.0
/// Numbers of nodes and accelerators in a cluster.
#pragma once

#include "sim/typed_id.hpp"

namespace clusterwright {

/// A node, numbered along the fabric: leaf by leaf, group by group, site by site.
using NodeId = Id<struct NodeTag>;
/// An accelerator, numbered over the cluster, node by node.
using AcceleratorId = Id<struct AcceleratorTag>;

}  // namespace clusterwright
