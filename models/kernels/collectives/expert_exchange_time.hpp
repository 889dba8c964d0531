// SPDX-License-Identifier: Apache-2.0
/// Time to dispatch tokens to experts, or to combine what they return.
#pragma once

#include "models/kernels/collectives/collective_time.hpp"

namespace clusterwright {

/// Where the copies of one rank's tokens go, as shares of its payload: every copy of every token counts in the payload.
struct ExpertShares {
  double network = 0;    ///< leaves the domain over the rank's NIC
  double scale_up = 0;   ///< crosses the rank's scale-up port
  double imbalance = 1;  ///< busiest rank over the mean
};

/// Every copy goes by itself, experts evenly used.
ExpertShares even_shares(const GroupShape& group);

/// Kernels of their own, not NCCL: a fixed cost, then network and scale-up at once.
///   time = base_latency + rank_latency * (p - 1) + max(network bytes / (NIC * share), scale-up bytes / (link * share))
/// @param curve  "expert_exchange" of a collective set
CollectiveTiming expert_exchange_time(Bytes payload, const GroupShape& group, const GroupLinks& links,
                                      const CollectiveParameters& curve, const NetworkParameters& network,
                                      const ExpertShares& shares);

}  // namespace clusterwright
