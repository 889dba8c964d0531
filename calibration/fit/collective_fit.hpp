/// Fits the curves of collectives inside a node, the network between nodes, and the exchange of experts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/fit/collective_rows.hpp"
#include "calibration/measured/measurement.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// The curve of one operation inside a node, from its single-node rows; for all-reduce over a switch that can reduce
/// also "all_reduce_switch". Without rows the priors come back: latencies and shares of NCCL's own tuner.
/// @param believed  curves that stand before the rows do, instead of those priors
CollectiveCurves fit_curves(CollectiveOp op, const std::vector<CollectiveRow>& rows, const std::string& source,
                            const CollectiveCurves& believed = {});

/// The network from rows across nodes, given the curves inside one; priors without such rows.
/// @param believed  what stands before the rows do, instead of those priors; null: none
NetworkParameters fit_network(const std::vector<CollectiveRow>& rows, const CollectiveCurves& curves,
                              const std::string& source, const NetworkParameters* believed = nullptr);

/// What is left out together when a fit is judged: rows with the same number.
using CollectiveFold = std::function<int(const CollectiveRow&)>;

/// In sample, and with every fold left out in turn; from 1 MB and below. Single-node rows of `op` only.
/// @param left_out  says what a fold is
std::vector<FitReport> collective_reports(CollectiveOp op, const std::vector<CollectiveRow>& rows,
                                          const CollectiveCurves& fitted, const CollectiveFold& fold,
                                          const std::string& left_out);

/// The curve "expert_exchange": latency of kernels and library, and the share of scale-up links. What NICs reach is the
/// network's.
CollectiveParameters fit_expert_exchange(const std::vector<CollectiveRow>& rows, const NetworkParameters& network,
                                         const std::string& source);

/// In sample, and with each number of ranks left out in turn.
FitReport expert_report(const std::vector<CollectiveRow>& rows, const NetworkParameters& network,
                        const CollectiveParameters& fitted);

/// From the rows of `part`; where it lacks rows between nodes, from those of a sibling.
/// @param siblings  parts with the same die
CollectiveSet fit_collective_set(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                 const std::vector<AcceleratorPart>& catalog,
                                 const std::vector<const AcceleratorPart*>& siblings);

/// One set for accelerators that nobody measured: rows of all parts, every generation one vote, links relative to their
/// data sheets. Its reports leave each generation out in turn.
CollectiveSet fit_transfer_set(const std::vector<Measurement>& measurements,
                               const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
