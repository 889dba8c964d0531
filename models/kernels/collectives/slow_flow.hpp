// SPDX-License-Identifier: Apache-2.0
/// Collectives whose flows between nodes do not take equally long.
#pragma once

#include <string>

#include "models/kernels/collectives/collective_time.hpp"
#include "topology/fabrics/flow_tail.hpp"

namespace clusterwright {

/// The collective with a slowest flow that takes `slower` times the mean, where it has its links for itself. What its
/// bytes take longer is waiting: links that others share slow the rest down as before. The latency of messages and
/// trees grows alike; in a ring every chunk passes all ranks in line, whose times average out. A collective inside a
/// domain stays as it is.
CollectiveTiming with_slow_flow(CollectiveTiming timing, double slower);

/// Change of the logarithm of a time by one standard error of what a tail leaves open. Flows slower than the last
/// stated quantile follow a Pareto law that nobody measured: what they lose may as well be nothing, or twice as much,
/// two standard errors either way.
///
/// Example: p99 = 1.5 and 1,024 flows. The slowest takes 1.93 times the mean, and 1.42 if none took longer than p99: of
/// the loss 0.93 - 0.42 = 0.51, or 55 %, is continued. In a step that loses 10 % so, one standard error is 2.8 %.
/// @param flows  that wait for each other
/// @param lost   share of the time lost to slow flows
double tail_error(const TailSpec& tail, double flows, double lost);

/// Sentence that says so, where more flows wait than the stated quantiles tell of; else empty.
std::string far_tail_sentence(const TailSpec& tail, double flows);

}  // namespace clusterwright
