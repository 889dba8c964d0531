/// A server as users write it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/cluster/storage_spec.hpp"

namespace clusterwright {

/// How the accelerators of a scale-up domain reach each other.
///
/// switched: each has all its links on switches (NVSwitch); any pair can use the full bandwidth of one accelerator.
/// mesh: direct links to each of the others (NVLink mesh, xGMI, Ethernet on the board); a pair has one peer link.
/// torus: direct links to two neighbours along each side (Trainium, TPU); further ones are reached through them.
/// none: nothing faster than PCI Express.
enum class ScaleUpWiring { switched, mesh, torus, none };
inline constexpr std::array<std::string_view, 4> scale_up_wiring_names = {"switch", "mesh", "torus", "none"};

/// Where the NICs of a node are plugged in. accelerator: on the accelerator itself (MI250X of Frontier, Gaudi, TPU).
enum class NicAttachment { pcie_switch, host_bridge, accelerator };
inline constexpr std::array<std::string_view, 3> nic_attachment_names = {"switch", "host_bridge", "accelerator"};

/// PCI Express of a node: accelerators and NICs under switches, switches under the host bridge of a socket. What is
/// absent comes from the node's part, then from the defaults of nodes/node_wiring.hpp.
struct PcieSpec {
  std::optional<int> accelerators_per_switch;  ///< 0: every accelerator on a root port of its own
  std::optional<int> sockets;                  ///< accelerators are dealt to them in equal blocks
  std::optional<BytesPerSecond> link;          ///< slot of one accelerator, one direction; its host link if absent
  std::optional<BytesPerSecond> uplink;        ///< one switch to its host bridge, one direction; as `link` if absent
  std::optional<Sourced<BytesPerSecond>> between_sockets;  ///< one direction
  std::optional<NicAttachment> nics;
  std::optional<bool> peer_to_peer;  ///< false: copies between accelerators pass through host memory
};
const Record<PcieSpec>& record(const PcieSpec*);

struct NodeSpec {
  std::string part;                        ///< a node of the catalog; gives what is left out here; may be empty
  std::string accelerator;                 ///< name in the catalog; the part's if empty
  std::optional<int> accelerators;         ///< the part's, or 8, if absent
  std::string nic;                         ///< name in the catalog; one rail each; the part's if empty
  std::optional<int> nics;                 ///< 0: no network; the part's, or 8, if absent
  std::optional<BytesPerSecond> nic_rate;  ///< one direction of one NIC; the catalog's if absent
  /// Of the node without accelerators, under load; the part's if neither a value nor a source is given.
  Sourced<Watts> host_power;

  std::optional<ScaleUpWiring> scale_up;        ///< the part's, then the accelerator's, if absent
  std::optional<BytesPerSecond> scale_up_rate;  ///< of one accelerator, one direction; the accelerator's if absent
  /// Accelerators that reach each other by scale-up links. More than a node: a rack that acts as one (NVL72); less:
  /// bridged pairs. The part's if absent, then the accelerator's, which ends at the node unless its entry says that it
  /// goes beyond.
  std::optional<int> scale_up_domain;
  std::vector<int> scale_up_torus;  ///< sides, whose product is the domain; the part's, else one ring, if empty
  PcieSpec pcie;
  HostSpec host;
};
const Record<NodeSpec>& record(const NodeSpec*);

}  // namespace clusterwright
