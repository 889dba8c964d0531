/// A server as users write it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// How the accelerators of a scale-up domain reach each other.
///
/// switched: each has all its links on switches (NVSwitch); any pair can use the full bandwidth of one accelerator.
/// mesh: direct links to each of the others (NVLink mesh, xGMI, Ethernet on the board); a pair has one peer link.
/// none: nothing faster than PCI Express.
enum class ScaleUpWiring { switched, mesh, none };
inline constexpr std::array<std::string_view, 3> scale_up_wiring_names = {"switch", "mesh", "none"};

/// Where the NICs of a node are plugged in.
enum class NicAttachment { pcie_switch, host_bridge };
inline constexpr std::array<std::string_view, 2> nic_attachment_names = {"switch", "host_bridge"};

/// PCI Express of a node: accelerators and NICs under switches, switches under the host bridge of a socket.
struct PcieSpec {
  int accelerators_per_switch = 2;       ///< 0: every accelerator on a root port of its own
  int sockets = 2;                       ///< accelerators are dealt to them in equal blocks
  std::optional<BytesPerSecond> link;    ///< slot of one accelerator, one direction; its host link if absent
  std::optional<BytesPerSecond> uplink;  ///< one switch to its host bridge, one direction; as `link` if absent
  /// One direction.
  Sourced<BytesPerSecond> between_sockets{22 * gigabyte_per_second,
                                          "what NCCL 2.30.7 counts with between two Sapphire Rapids", true};
  NicAttachment nics = NicAttachment::pcie_switch;
  bool peer_to_peer = true;  ///< false: copies between accelerators pass through host memory
};
const Record<PcieSpec>& record(const PcieSpec*);

struct NodeSpec {
  std::string part;                        ///< a node of the catalog; gives what is left out here; may be empty
  std::string accelerator;                 ///< name in the catalog
  std::optional<int> accelerators;         ///< the part's, or 8, if absent
  std::string nic;                         ///< name in the catalog; one rail each
  std::optional<int> nics;                 ///< 0: no network; the part's, or 8, if absent
  std::optional<BytesPerSecond> nic_rate;  ///< one direction of one NIC; the catalog's if absent
  Sourced<Watts> host_power;               ///< of the node without accelerators, under load

  std::optional<ScaleUpWiring> scale_up;        ///< from the accelerator if absent
  std::optional<BytesPerSecond> scale_up_rate;  ///< of one accelerator, one direction; from the accelerator if absent
  /// Accelerators that reach each other by scale-up links. More than a node: a rack that acts as one (NVL72); less:
  /// bridged pairs. The accelerator's own, at most a node unless it says so, if absent.
  std::optional<int> scale_up_domain;
  PcieSpec pcie;
};
const Record<NodeSpec>& record(const NodeSpec*);

}  // namespace clusterwright
