// SPDX-License-Identifier: Apache-2.0
/// Machine and communicator of a published collective, as `collective` would get them from a cluster file.
#pragma once

#include <string>

#include "calibration/measured/measurement.hpp"
#include "models/kernels/collectives/communicator.hpp"
#include "models/kernels/collectives/expert_exchange.hpp"
#include "models/kernels/collectives/group_links.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Ranks on the first accelerators of every node. The fast domain is that of the scale-up links: a tray of four
/// accelerators is a part of its rack.
struct MeasuredGroup {
  Cluster cluster;
  Communicator members;
  std::string assumed;  ///< what was not published and had to be taken; empty: nothing
};

/// @throws ConfigError where the machine contradicts itself, std::invalid_argument for ranks that do not fill nodes
MeasuredGroup measured_group(const MeasuredHardware& hardware, const MeasuredCollective& collective,
                             const Catalog& catalog);

/// Exchange of a measured dispatch or combine over these ranks, without tokens. Low-latency kernels send direct; they
/// are meant for fewer than 256 tokens of a rank (README of DeepEP, first generation). The number of experts is never
/// published: 256, the default of `collective`.
ExpertExchange measured_exchange(const MeasuredCollective& collective, const GroupShape& group);

/// Shape and links of the group, for fits.
struct MeasuredLinks {
  GroupShape shape;
  GroupLinks links;
};
MeasuredLinks measured_links(const MeasuredGroup& group, const MeasuredCollective& collective);

}  // namespace clusterwright
