/// A cluster as users write it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/cluster/facility_spec.hpp"
#include "topology/cluster/storage_spec.hpp"
#include "topology/fabrics/fabric_spec.hpp"
#include "topology/nodes/node_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Nodes of another kind in a mixed cluster; with as many accelerators and NICs each as those of `node`.
struct MixedNodesSpec {
  int accelerators = 0;  ///< of all these nodes
  NodeSpec node;
};
const Record<MixedNodesSpec>& record(const MixedNodesSpec*);

/// A straggler: slower silicon, a hot spot, a throttled device.
struct SlowAcceleratorSpec {
  int accelerator = 0;  ///< numbered over the cluster, node by node, from 0
  double clock = 1;     ///< highest clock that it reaches, over that of the others
};
const Record<SlowAcceleratorSpec>& record(const SlowAcceleratorSpec*);

struct ClusterSpec {
  std::string name;
  std::string source;    ///< where the description comes from
  int accelerators = 0;  ///< in the job's reach, those of `also` included
  NodeSpec node;
  std::vector<MixedNodesSpec> also;  ///< numbered after the nodes of `node`, in this order
  FabricSpec fabric;
  StorageSpec storage;
  std::optional<PoolSpec> pool;
  std::vector<SlowAcceleratorSpec> slow;
  FacilitySpec facility;
  std::optional<Catalog> parts;  ///< beside those of the catalog: what is not on sale yet, or not in it
};
const Record<ClusterSpec>& record(const ClusterSpec*);

/// A catalog with the parts that a cluster describes itself behind its own.
Catalog with_own_parts(Catalog catalog, const ClusterSpec& cluster);

}  // namespace clusterwright
