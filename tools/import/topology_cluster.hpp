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

/// Facts that a topology does not hold.
struct ClusterImport {
  std::string accelerator = {};  ///< id of the catalog; empty: from the topology, if only one is possible
  std::string nic = {};          ///< id of the catalog; empty: by the PCI device, else described by its rate
  int nodes = 0;                 ///< number of equal nodes; 0: the number in the file
  /// Transport between nodes, required for several nodes; described as one non-blocking layer of switches.
  std::optional<Transport> transport = {};
  std::string name = {};  ///< name for people; may be empty
};

/// Document of the kind "cluster" with the facts of the topology; the catalog supplies the rest. The power of
/// the host is not known. Only the fastest NICs count as the network. Assumptions are listed
/// in "source".
/// @throws ConfigError E0202 for nodes out of range; E0203 for parts that are missing from the catalog or ambiguous,
/// and
///         a transport or speed of NICs that is missing; E0304 for several nodes without NICs; E0340 where GPUs are not
///         alike, or their links neither lead to switches nor join groups of one size fully
JsonValue cluster_of(const NodeTopology& topology, const ClusterImport& options, const Catalog& catalog);

}  // namespace clusterwright
