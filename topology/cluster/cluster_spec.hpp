// SPDX-License-Identifier: Apache-2.0
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

/// Nodes of another kind in a mixed cluster. Each has as many accelerators and NICs as one of `node`.
struct MixedNodesSpec {
  int accelerators = 0;  ///< in all these nodes
  NodeSpec node;
};
const Record<MixedNodesSpec>& record(const MixedNodesSpec*);

/// A straggler: slower silicon, a hot spot, a throttled device.
struct SlowAcceleratorSpec {
  int accelerator = 0;                    ///< numbered over the cluster, node by node, from 0
  std::optional<double> clock;            ///< highest clock that it reaches, over that of the others
  std::optional<double> relative_clock;   ///< its clock over that of the others under the same load and power limit
  std::optional<Watts> power_limit = {};  ///< of this accelerator alone; the lower one of it and that of all counts
  bool operator==(const SlowAcceleratorSpec&) const = default;
};
const Record<SlowAcceleratorSpec>& record(const SlowAcceleratorSpec*);

struct ClusterSpec {
  ClusterSpec();
  ClusterSpec(const ClusterSpec&);
  ClusterSpec(ClusterSpec&&) noexcept;
  ClusterSpec& operator=(const ClusterSpec&);
  ClusterSpec& operator=(ClusterSpec&&) noexcept;
  ~ClusterSpec();

  std::string name;
  std::string source;    ///< where the description comes from
  int accelerators = 0;  ///< all that the job uses, those of `also` included
  NodeSpec node;
  std::vector<MixedNodesSpec> also;  ///< numbered after the nodes of `node`, in this order
  FabricSpec fabric;
  StorageSpec storage;
  std::optional<PoolSpec> pool;
  std::vector<SlowAcceleratorSpec> slow;
  FacilitySpec facility;
  std::optional<Catalog> parts;  ///< parts that the catalog lacks, as those not on sale yet
};
const Record<ClusterSpec>& record(const ClusterSpec*);

/// Catalog followed by the parts that a cluster describes itself.
Catalog with_own_parts(Catalog catalog, const ClusterSpec& cluster);

}  // namespace clusterwright
