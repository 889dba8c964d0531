// SPDX-License-Identifier: Apache-2.0
/// Fits the curve of one collective inside a node.
///
/// A curve has six numbers, and two more where protocols are told apart
/// (models/kernels/collectives/collective_time.hpp). With p ranks, links of rate B, and `wire` bytes on each link ((p -
/// 1)/p of the payload for a reduce-scatter) the time inside a node is
///
///   base + rank * (p - 1)  +  wire / (B * share * (1 - loss * 2 / p)) * (1 + (half_time * B / wire)^ramp)
///
/// Latencies show below 1 MB and bandwidth above, so both kinds of rows are needed: small messages have weight 0.4 and
/// large ones 1, and errors are reported apart.
///
/// Example with the priors: eight ranks, B = 450 GB/s, share 0.82, loss 0.25: 346 GB/s in bulk. A reduce-scatter of 1
/// GB puts 0.875 GB on each link; the ramp adds 6 %, so it takes 2.68 ms, and 5 + 1.2 x 7 = 13 us of latency are 0.5 %.
/// At 64 KB the wire takes 3.4 us and latency 80 % of the time: each end of a sweep informs its own numbers.
///
/// Where NCCL runs over NVLink, rows of LL and LL128 lie on a line of their own, base + rank * (p - 1) + wire / (B *
/// low_latency_share * ...), and those of Simple have a latency more: what the tuner gives to Simple beyond LL, times
/// simple_latency. Which row has which protocol is the tuner's choice, not fitted.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/collective_rows.hpp"

namespace clusterwright {

/// Curve of one operation inside a node, from its single-node rows; all-reduce over a switch that can reduce also gets
/// "all_reduce_switch". Without rows the priors come back.
/// @param prior  curves to start from instead of those of NCCL's tuner
CollectiveCurves fit_curves(CollectiveOp op, const std::vector<CollectiveRow>& rows, const std::string& source,
                            const CollectiveCurves& prior = {});

}  // namespace clusterwright
