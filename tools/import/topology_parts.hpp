// SPDX-License-Identifier: Apache-2.0
/// Parts of the catalog in a node that NCCL saw, and the links between its GPUs.
#pragma once

#include <optional>
#include <string>

#include "tools/import/nccl_topology.hpp"
#include "topology/nodes/node_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Accelerator of a node, by its PCI device; else by compute capability, links and the connection to the
/// processor.
/// @param wanted  id of the catalog, which decides; may be empty
/// @throws ConfigError E0203 where `wanted` is not in the catalog, or none or several accelerators remain; E0340 where
///         the GPUs of the node differ
const AcceleratorPart& accelerator_of(const NodeTopology& topology, const Catalog& catalog, const std::string& wanted);

/// The NIC with the same PCI device, or nullptr.
/// @param wanted  as above
const NicPart* nic_of(const TopologyNic& nic, const Catalog& catalog, const std::string& wanted);

struct ScaleUpLinks {
  std::optional<ScaleUpWiring> wiring;  ///< empty: the file names devices without links
  int links = 0;                        ///< smallest number of links of a GPU
  int group = 0;                        ///< number of GPUs that reach each other in a mesh; else all
  bool uneven = false;                  ///< some GPUs have more links
};

/// @throws ConfigError E0340 where links lead neither to switches alone nor from each GPU of a group to all others of
/// it
ScaleUpLinks scale_up_links(const NodeTopology& topology);

}  // namespace clusterwright
