// SPDX-License-Identifier: Apache-2.0
/// Collectives whose flows between nodes do not take equally long.
#pragma once

#include "models/kernels/collectives/collective_time.hpp"

namespace clusterwright {

/// The collective with a slowest flow that takes `slower` times the mean, where it has its links for itself. What its
/// bytes take longer is waiting: links that others share slow the rest down as before. The latency of messages and
/// trees grows alike; in a ring every chunk passes all ranks in line, whose times average out. A collective inside a
/// domain stays as it is.
CollectiveTiming with_slow_flow(CollectiveTiming timing, double slower);

}  // namespace clusterwright
