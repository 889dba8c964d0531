// SPDX-License-Identifier: Apache-2.0
/// Fits the numbers of collectives: curves inside a node (curve_fit.hpp), the network between nodes, the exchange of
/// experts.
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
#include "calibration/fit/curve_fit.hpp"
#include "calibration/measured/measurement.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

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

/// Curve of one kernel of experts (expert_curve()): latency of kernels and library, and the share of scale-up links.
/// The share of NICs is the network's.
CollectiveParameters fit_expert_exchange(const std::vector<CollectiveRow>& rows, const NetworkParameters& network,
                                         const std::string& source);

/// Errors in sample, and with each number of ranks held out in turn.
FitReport expert_report(const std::string& curve_name, const std::vector<CollectiveRow>& rows,
                        const NetworkParameters& network, const CollectiveParameters& fitted);

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
