// SPDX-License-Identifier: Apache-2.0
#include "calibration/measured/single_node.hpp"

#include "topology/parts/catalog.hpp"

namespace clusterwright {

Cluster single_node(const AcceleratorPart& part, int accelerators) {
  ClusterSpec spec;
  spec.name = "one node";
  spec.accelerators = accelerators;
  spec.node.accelerator = part.id;
  spec.node.accelerators = accelerators;
  spec.node.nics = 0;
  spec.fabric.tiers.push_back({"all", accelerators, 1, ""});
  Catalog catalog;
  catalog.accelerators.push_back(part);
  return build_cluster(spec, catalog, JsonValue::object());
}

}  // namespace clusterwright
