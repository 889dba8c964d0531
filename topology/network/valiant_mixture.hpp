// SPDX-License-Identifier: Apache-2.0
/// Best mixture of minimal and non-minimal routing, as ideal adaptive routing would find it.
#pragma once

#include "topology/network/link_loads.hpp"

namespace clusterwright {

/// x * a + (1 - x) * b with the x in 0..1 whose busiest link has the fewest seconds; exact, since every link's seconds
/// are linear in x. Of equally good ones the largest x.
LinkLoads least_busy_mixture(const NetworkGraph& graph, const LinkLoads& a, const LinkLoads& b);

}  // namespace clusterwright
