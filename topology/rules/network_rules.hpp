// SPDX-License-Identifier: Apache-2.0
/// Rules between NICs, switches and the protocol of a network.
#pragma once

#include <vector>

#include "topology/fabrics/network_size.hpp"
#include "topology/parts/catalog.hpp"
#include "topology/rules/part_rule.hpp"

namespace clusterwright {

/// NICs of one kind of nodes in their network.
struct NicInNetwork {
  const NicPart* nic;
  Transport transport;
};

/// Switches of one tier; of a network that is no fat tree, all switches.
struct SwitchInNetwork {
  const SwitchPart& part;
  Transport transport;
  BytesPerSecond nic;       ///< rate of a NIC whose cable ends at these switches, before the port limits it; else zero
  BytesPerSecond link;      ///< rate of links to other switches that the fabric states; zero if it states none
  const SwitchPart* above;  ///< switches of the next tier, if they are known
  BytesPerSecond wanted;    ///< rate of links to the next tier without the limits of ports
};

std::span<const PartRule<NicInNetwork>> nic_network_rules();
std::span<const PartRule<SwitchInNetwork>> switch_network_rules();

/// Whether switches of this technology carry a transport; true where it is not known.
bool carries_transport(const SwitchPart& part, Transport transport);

}  // namespace clusterwright
