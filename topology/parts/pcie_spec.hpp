// SPDX-License-Identifier: Apache-2.0
/// PCI Express of a node as users and parts write it.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sim/enum_array.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Place where the NICs of a node are plugged in. accelerator: the accelerator itself (MI250X of Frontier, Gaudi, TPU).
enum class NicAttachment { pcie_switch, host_bridge, accelerator };
inline constexpr std::array<std::string_view, 3> nic_attachment_names = {"switch", "host_bridge", "accelerator"};
template <>
struct EnumNames<NicAttachment> {
  static constexpr auto names = nic_attachment_names;
};

/// PCI Express of a node: accelerators and NICs under switches, switches under the host bridge of a socket. What is
/// absent comes from the node's part, then from the defaults of nodes/node_wiring.hpp.
struct PcieSpec {
  std::optional<int> accelerators_per_switch;  ///< 0: every accelerator on a root port of its own
  std::optional<int> sockets;                  ///< accelerators are dealt to them in equal blocks
  std::optional<BytesPerSecond> link;    ///< rate of an accelerator's slot, one direction; its host link if absent
  std::optional<BytesPerSecond> uplink;  ///< one switch to its host bridge, one direction; as `link` if absent
  std::optional<Sourced<BytesPerSecond>> between_sockets;  ///< one direction
  std::optional<NicAttachment> nics;
  std::optional<bool> peer_to_peer;             ///< false: copies between accelerators pass through host memory
  std::optional<BytesPerSecond> nic_slot = {};  ///< rate of a NIC's slot, one direction; its host link if absent
};
const Record<PcieSpec>& record(const PcieSpec*);

/// Data-sheet rate of a link such as "PCIe5 x16", one direction, without the coding of its lanes: 63 GB/s.
/// @return nothing for other kinds of links, and without a number of lanes
/// @source PCI Express Base Specification 6.0: 8 GT/s per lane at 128b/130b in generation 3, doubled by each later one;
///         64 GT/s with 242 of 256 bytes of a flit in generation 6
std::optional<BytesPerSecond> pcie_link_rate(std::string_view kind);
/// The fastest slot that is sold: PCIe6 x16, 121 GB/s.
BytesPerSecond fastest_pcie_slot();

}  // namespace clusterwright
