/// Fits the curves of collectives inside a node, and the network between nodes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

inline constexpr double small_message_weight = 0.4;  ///< of a row below 1 MB

/// Sweeps do not describe their fabric: two tiers of switches and their cables.
inline constexpr Seconds usual_switch_latency = 1 * microsecond;

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
std::vector<CollectiveRow> collective_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part);

/// Reduce-scatter rows of one node as if they were rows of `op`, for operations that nobody measured: the wire carries
/// the same bytes, and two ranks that scatter exchange one message of half the size.
std::vector<CollectiveRow> borrowed_rows(CollectiveOp op, const std::vector<CollectiveRow>& rows);

/// Rows of one accelerator, with borrowed ones for the operations that nobody measured on it.
std::vector<CollectiveRow> completed_rows(std::vector<CollectiveRow> rows);

Seconds predicted_time(const CollectiveRow& row, const CollectiveCurves& curves, const NetworkParameters& network);

/// The curve of one operation inside a node, from its single-node rows; for all-reduce over a switch that can reduce
/// also "all_reduce_switch". Without rows the priors come back: latencies and shares of NCCL's own tuner.
/// @param believed  curves that stand before the rows do, instead of those priors
CollectiveCurves fit_curves(CollectiveOp op, const std::vector<CollectiveRow>& rows, const std::string& source,
                            const CollectiveCurves& believed = {});

/// The network from rows across nodes, given the curves inside one; priors without such rows.
/// @param believed  what stands before the rows do, instead of those priors; null: none
NetworkParameters fit_network(const std::vector<CollectiveRow>& rows, const CollectiveCurves& curves,
                              const std::string& source, const NetworkParameters* believed = nullptr);

/// The op by its name in the measurement set; nothing for ops that nccl-tests does not have.
std::optional<CollectiveOp> nccl_op(const std::string& name);

/// Links of a published machine, which does not describe its switches.
GroupLinks measured_links(const Measurement& measurement, const AcceleratorPart& part);

/// What is left out together when a fit is judged: rows with the same number.
using CollectiveFold = std::function<int(const CollectiveRow&)>;

/// In sample, and with every fold left out in turn; from 1 MB and below. Single-node rows of `op` only.
/// @param left_out  says what a fold is
std::vector<FitReport> collective_reports(CollectiveOp op, const std::vector<CollectiveRow>& rows,
                                          const CollectiveCurves& fitted, const CollectiveFold& fold,
                                          const std::string& left_out);

}  // namespace clusterwright
