// SPDX-License-Identifier: Apache-2.0
/// Node (server) as users write it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/nodes/host_spec.hpp"
#include "topology/parts/parts.hpp"
#include "topology/parts/pcie_spec.hpp"

namespace clusterwright {

struct NodeSpec {
  std::string part;                        ///< a node of the catalog; gives what is left out here; may be empty
  std::string accelerator;                 ///< name in the catalog; the part's if empty
  std::optional<int> accelerators;         ///< the part's, or 8, if absent
  std::string nic;                         ///< name in the catalog; one rail each; the part's if empty
  std::optional<int> nics;                 ///< 0: no network; the part's, or 8, if absent
  std::optional<BytesPerSecond> nic_rate;  ///< one direction of one NIC; the catalog's if absent
  /// Power of the node without accelerators, under load; the part's if neither a value nor a source is given.
  Sourced<Watts> host_power;

  // Limits that the operator sets, below the ratings of the parts; topology/nodes/power_limit.hpp joins them.
  std::optional<Watts> accelerator_power_limit;   ///< of each accelerator
  std::optional<double> accelerator_power_share;  ///< of each accelerator, as a share of its rating
  std::optional<Watts> power_limit;               ///< of the node, its host included; accelerators share it equally

  std::optional<ScaleUpWiring> scale_up;        ///< the part's, then the accelerator's, if absent
  std::optional<BytesPerSecond> scale_up_rate;  ///< rate of one accelerator, one direction; the accelerator's if absent
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
