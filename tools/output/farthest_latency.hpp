// SPDX-License-Identifier: Apache-2.0
/// How long the way between the two NICs is that are farthest apart.
#pragma once

#include "topology/network/network_facts.hpp"

namespace clusterwright {

/// Switches and cables on ways of least latency, over working links. Where no cable adds latency of its own it is that
/// of the diameter. Else two sweeps look for it, from the first and the last NIC and then from those found farthest:
/// exact where sites are alike, a lower bound otherwise.
Seconds farthest_latency(const NetworkGraph& graph, const Diameter& diameter);

}  // namespace clusterwright
