// SPDX-License-Identifier: Apache-2.0
/// Which parts of the catalog a topology speaks of.
#pragma once

#include <string>

#include "tools/import/nccl_topology.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// The accelerator of a node, by its PCI device; else by what compute capability, links and the way to the processor
/// leave over.
/// @param wanted  id of the catalog, which decides; may be empty
/// @throws ConfigError E0203 where `wanted` is not in the catalog, or none or several accelerators remain; E0340 where
///         the GPUs of the node differ
const AcceleratorPart& accelerator_of(const NodeTopology& topology, const Catalog& catalog, const std::string& wanted);

/// The NIC with the same PCI device, or nullptr.
/// @param wanted  as above
const NicPart* nic_of(const TopologyNic& nic, const Catalog& catalog, const std::string& wanted);

}  // namespace clusterwright
