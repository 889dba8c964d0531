// SPDX-License-Identifier: Apache-2.0
/// Stragglers of a what-if: given, or drawn among the nodes of a job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Devices that run slower than the others.
struct SlowWish {
  std::string text;           ///< words of the user
  bool node = false;          ///< all accelerators of a node, else one accelerator
  int count = 1;              ///< number of nodes or accelerators
  std::optional<int> number;  ///< node or accelerator of the machine, from 0; absent: drawn
  double relative_clock = 1;
  std::optional<Watts> power_limit = {};  ///< of each accelerator, instead of a slower clock
};

/// Wish from "node:5%" (one node, 5 % slower), "16xgpu:3%", "node.12:5%" (node 12) or "node.12:500W" (its accelerators
/// limited to 500 W).
/// @throws ConfigError E0336
SlowWish parse_slow(const std::string& text);

/// Stragglers of all wishes, each device once and none that the cluster lists. Drawn devices depend on `seed`.
/// @param among  number of ranks, from the first on, that they are drawn from
/// @throws ConfigError E0336 for more devices than there are, or one that the job does not use
std::vector<SlowAcceleratorSpec> draw_slow(const std::vector<SlowWish>& wishes, const Cluster& cluster, int among,
                                           std::uint64_t seed);

}  // namespace clusterwright
