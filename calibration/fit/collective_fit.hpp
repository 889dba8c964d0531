/// Fits the curves of collectives inside a node, and the network between nodes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/measurement.hpp"
#include "models/collectives/collective_cost.hpp"

namespace clusterwright {

using CollectiveCurves = std::map<std::string, CollectiveParameters>;

/// One measured message size, ready to be predicted.
struct CollectiveRow {
  CollectiveOp op;
  Bytes size;
  GroupShape group;
  GroupLinks links;
  Seconds time;
  double weight = 1;
};

/// Rows of one accelerator with sizes as nccl-tests prints them. Every case weighs the same; in it, messages from 1 MB
/// weigh more.
/// @param switch_reduction  the scale-up switch can reduce
std::vector<CollectiveRow> collective_rows(const std::vector<Measurement>& measurements, const std::string& accelerator,
                                           bool switch_reduction);

/// Reduce-scatter rows of one node as if they were rows of `op`, for operations that nobody measured: the wire carries
/// the same bytes, and two ranks that scatter exchange one message of half the size.
std::vector<CollectiveRow> borrowed_rows(CollectiveOp op, const std::vector<CollectiveRow>& rows);

Seconds predicted_time(const CollectiveRow& row, const CollectiveCurves& curves, const NetworkParameters& network);

/// The curve of one operation inside a node, from its single-node rows; for all-reduce over a reducing switch also
/// "all_reduce_switch". Without rows the priors come back: latencies and shares of NCCL's own tuner.
CollectiveCurves fit_curves(CollectiveOp op, const std::vector<CollectiveRow>& rows, bool switch_reduction,
                            const std::string& source);

/// The network from rows across nodes, given the curves inside one; priors without such rows.
NetworkParameters fit_network(const std::vector<CollectiveRow>& rows, const CollectiveCurves& curves,
                              const std::string& source);

/// In sample, and with every rank count left out in turn; from 1 MB and below. Single-node rows of `op` only.
std::vector<FitReport> collective_reports(CollectiveOp op, const std::vector<CollectiveRow>& rows,
                                          bool switch_reduction, const CollectiveCurves& fitted);

}  // namespace clusterwright
