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
  std::optional<bool> peer_to_peer;  ///< false: copies between accelerators pass through host memory
};
const Record<PcieSpec>& record(const PcieSpec*);

}  // namespace clusterwright
