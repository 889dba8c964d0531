// SPDX-License-Identifier: Apache-2.0
/// Rate that a NIC reaches between the switch it is cabled to and the accelerators it serves.
#pragma once

#include "topology/nodes/node_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Rates of one NIC, one direction. A limit of zero is none, or not known.
///
/// Example: 400 Gbit/s in a slot of PCIe4 x16 (31.5 GB/s) reach 252 Gbit/s. 64 NICs of 400 Gbit/s for 8 accelerators
/// with slots of 63 GB/s: 8 x 63 / 64 = 7.9 GB/s each.
struct NicReach {
  BytesPerSecond stated;  ///< the node's own rate, else the data sheet's; zero without NICs
  BytesPerSecond slot;    ///< rate of its slot; none for ports of the accelerator itself
  BytesPerSecond share;   ///< its share of the slots of all accelerators, which its data crosses
  BytesPerSecond port;    ///< rate of the port of the switch

  BytesPerSecond rate() const;
  /// Rate of the cable between NIC and switch, whatever the host can send.
  BytesPerSecond cabled() const;
};

/// @param node  filled in from its part
/// @param port  rate of the ports of the switch; zero if not known
NicReach nic_reach(const NodeSpec& node, const Catalog& catalog, BytesPerSecond port);

/// Whether the node's NICs are ports of its accelerators, without PCI Express between.
bool nics_on_accelerators(const NodeSpec& node);

}  // namespace clusterwright
