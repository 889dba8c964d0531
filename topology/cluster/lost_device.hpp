// SPDX-License-Identifier: Apache-2.0
/// A dead accelerator or node of a job.
#pragma once

#include <optional>
#include <string>

#include "topology/cluster/cluster.hpp"

namespace clusterwright {

struct LostDevice {
  bool node = false;  ///< all accelerators of a node, else one accelerator
  int number = 0;     ///< of the machine, from 0
};

/// Device from "gpu:12" (accelerator 12 of the machine) or "node:5"; nothing for other texts, such as those of
/// `parse_fault`.
std::optional<LostDevice> parse_lost_device(const std::string& text);

/// Ranks that the device runs, at least one.
/// @throws ConfigError E0321 for a device that the job does not use
int lost_ranks(const LostDevice& device, const Cluster& cluster);

/// Node that fails with the device. @pre the cluster is not mixed
NodeId node_of(const LostDevice& device, const Cluster& cluster);

}  // namespace clusterwright
