// SPDX-License-Identifier: Apache-2.0
/// Fits the curves of collectives inside a node, the network between nodes, and the exchange of experts.
///
/// A curve has six numbers (models/kernels/collectives/collective_time.hpp). With p ranks, links of rate B, and `wire`
/// bytes on each link ((p - 1)/p of the payload for a reduce-scatter) the time inside a node is
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
/// Order of fits: curves of each operation from single-node rows; the network from multi-node rows, given the curves;
/// the exchange of experts, given the network. An operation without rows borrows those of reduce-scatter, which moves
/// as many bytes. Held out in turn: each rank count for one accelerator, each generation for the generic set.
///
/// Source of the priors: latencies and bandwidths of NCCL's own tuner (models/kernels/collectives/nccl_tuner.cpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/fit/collective_rows.hpp"
#include "calibration/measured/measurement.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Curve of one operation inside a node, from its single-node rows; all-reduce over a switch that can reduce also gets
/// "all_reduce_switch". Without rows the priors come back.
/// @param prior  curves to start from instead of those of NCCL's tuner
CollectiveCurves fit_curves(CollectiveOp op, const std::vector<CollectiveRow>& rows, const std::string& source,
                            const CollectiveCurves& prior = {});

/// Network between nodes, from rows that cross nodes, given the curves inside one; priors without such rows.
/// @param prior  network to start from; null: NCCL's tuner
NetworkParameters fit_network(const std::vector<CollectiveRow>& rows, const CollectiveCurves& curves,
                              const std::string& source, const NetworkParameters* prior = nullptr);

/// Fold of a row: rows with the same number are held out together.
using CollectiveFold = std::function<int(const CollectiveRow&)>;

/// Errors in sample and held out, from 1 MB and below. Single-node rows of `op` only.
/// @param held_out  words for what a fold is
std::vector<FitReport> collective_reports(CollectiveOp op, const std::vector<CollectiveRow>& rows,
                                          const CollectiveCurves& fitted, const CollectiveFold& fold,
                                          const std::string& held_out);

/// Curve "expert_exchange": latency of kernels and library, and the share of scale-up links. The share of NICs is the
/// network's.
CollectiveParameters fit_expert_exchange(const std::vector<CollectiveRow>& rows, const NetworkParameters& network,
                                         const std::string& source);

/// Errors in sample, and with each number of ranks held out in turn.
FitReport expert_report(const std::vector<CollectiveRow>& rows, const NetworkParameters& network,
                        const CollectiveParameters& fitted);

/// Everything that a collective needs on `part`. Rows between nodes are those of a sibling where it has none.
/// @param siblings  parts with the same die
CollectiveSet fit_collective_set(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                 const std::vector<AcceleratorPart>& catalog,
                                 const std::vector<const AcceleratorPart*>& siblings);

/// One set for accelerators without measurements: rows of all parts relative to the data sheets of their links, every
/// generation with the same weight. Each generation is held out in turn.
CollectiveSet fit_generic_set(const std::vector<Measurement>& measurements,
                              const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
