// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/nic_reach.hpp"

#include <algorithm>

#include "topology/nodes/node_wiring.hpp"

namespace clusterwright {

namespace {

/// Slot that the node states, else the NIC's own link; the fastest one that is sold where neither is known.
BytesPerSecond slot_of(const NodeSpec& node, const Catalog& catalog) {
  if (node.pcie.nic_slot) return *node.pcie.nic_slot;
  const NicPart* nic = catalog.find_nic(node.nic);
  return (nic ? pcie_link_rate(nic->host_link) : std::nullopt).value_or(fastest_pcie_slot());
}

}  // namespace

BytesPerSecond NicReach::rate() const {
  BytesPerSecond least = stated;
  for (const BytesPerSecond limit : {slot, share, port})
    if (limit > BytesPerSecond{}) least = std::min(least, limit);
  return least;
}

BytesPerSecond NicReach::cabled() const {
  return port > BytesPerSecond{} ? std::min(stated, port) : stated;
}

bool nics_on_accelerators(const NodeSpec& node) {
  return node.pcie.nics == NicAttachment::accelerator;
}

NicReach nic_reach(const NodeSpec& node, const Catalog& catalog, BytesPerSecond port) {
  NicReach reach{nic_rate(node, catalog), {}, {}, port};
  const int nics = node_nics(node);
  if (nics_on_accelerators(node) || nics == 0) return reach;
  reach.slot = slot_of(node, catalog);
  if (const AcceleratorPart* accelerator = catalog.find_accelerator(node.accelerator))
    reach.share = accelerator_slot(node, *accelerator) * node_accelerators(node) / nics;
  return reach;
}

}  // namespace clusterwright
