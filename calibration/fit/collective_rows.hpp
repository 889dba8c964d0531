// SPDX-License-Identifier: Apache-2.0
/// Measured collectives, ready to be predicted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/collectives/expert_exchange.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

inline constexpr Bytes large_message = 1 * megabyte;  ///< messages from here on are judged apart
inline constexpr double small_message_weight = 0.4;   ///< weight of a smaller message

/// Latency of two tiers of switches and their cables, since samples do not describe their fabric.
inline constexpr Seconds usual_switch_latency = 1 * microsecond;

using CollectiveCurves = std::map<std::string, CollectiveParameters>;

/// One measured message size.
struct CollectiveRow {
  CollectiveOp op;
  Bytes size;
  GroupShape group;
  GroupLinks links;
  Seconds time;
  double weight = 1;
  bool protocols = true;      ///< of NCCL over NVLink, where its choice among protocols shows
  ExpertShares shares{};      ///< of an exchange of experts
  CollectiveChoice choice{};  ///< forced algorithm and protocol
};

/// Scored rows of one accelerator with sizes as nccl-tests prints them. Every case has the same total weight; messages
/// from 1 MB weigh more within it.
std::vector<CollectiveRow> collective_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part);

/// Rows of `op` inside one node.
std::vector<CollectiveRow> rows_in_node(CollectiveOp op, const std::vector<CollectiveRow>& rows);

/// Reduce-scatter rows of one node as rows of `op`, for operations without measurements: as many bytes cross the wire,
/// and two ranks that scatter exchange one message of half the size.
std::vector<CollectiveRow> borrowed_rows(CollectiveOp op, const std::vector<CollectiveRow>& rows);

/// Rows of one accelerator, with borrowed ones for operations without measurements on it.
std::vector<CollectiveRow> completed_rows(std::vector<CollectiveRow> rows);

Seconds predicted_time(const CollectiveRow& row, const CollectiveCurves& curves, const NetworkParameters& network);

/// log(predicted/measured)
double log_error(const CollectiveRow& row, const CollectiveCurves& curves, const NetworkParameters& network);

std::vector<double> weights_of(const std::vector<CollectiveRow>& rows);

/// Operation by its name in the measurement set; nothing for operations that nccl-tests lacks.
std::optional<CollectiveOp> nccl_op(const std::string& name);

/// Rows of dispatch and combine on all accelerators, by kernels that send direct or hierarchically; sizes count every
/// copy of a token.
std::vector<CollectiveRow> expert_rows(const std::vector<Measurement>& measurements,
                                       const std::vector<AcceleratorPart>& catalog, Algorithm transfer);

}  // namespace clusterwright
