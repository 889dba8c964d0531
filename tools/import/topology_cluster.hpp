// SPDX-License-Identifier: Apache-2.0
/// A cluster file made of a node that NCCL saw.
#pragma once

#include <optional>
#include <string>

#include "sim/json_value.hpp"
#include "tools/import/nccl_topology.hpp"
#include "topology/fabrics/fabric_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// What a topology does not say.
struct ClusterImport {
  std::string accelerator = {};  ///< id of the catalog; empty: told by the topology, if only one is possible
  std::string nic = {};          ///< likewise; empty: told by the PCI device, else described by its rate
  int nodes = 0;                 ///< alike; 0: those of the file
  /// Between nodes. One layer of switches that blocks nothing is described; wanted where there are several nodes.
  std::optional<Transport> transport = {};
  std::string name = {};  ///< for people; may be empty
};

/// A document of the kind "cluster" that says what the topology tells and leaves the rest to the catalog: the power of
/// the host is not known, and of several speeds of NICs only the fastest count as the network. What was assumed stands
/// in "source".
/// @throws ConfigError E0202 for nodes out of range; E0203 for parts that are not in the catalog or cannot be told, and
///         a transport or speed of NICs that is missing; E0304 for several nodes without NICs; E0340 where GPUs are not
///         alike, or their links neither lead to switches nor join groups of one size fully
JsonValue cluster_of(const NodeTopology& topology, const ClusterImport& options, const Catalog& catalog);

}  // namespace clusterwright
