// SPDX-License-Identifier: Apache-2.0
/// Laws that the answer for a collective operation must obey.
#pragma once

#include "models/kernels/collectives/collective_op.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

struct Cluster;           // topology/cluster/cluster.hpp
struct CollectiveAnswer;  // models/kernels/collectives/predict_collective.hpp

/// Group that an answer is about, and what its traffic asks of links.
struct AnsweredGroup {
  CollectiveOp op = CollectiveOp::all_reduce;
  int ranks = 0;
  bool one_domain = true;
  Seconds on_busiest_link;  ///< bytes on the busiest link of the network over its data-sheet rate; zero inside a domain
};

/// Time is positive and inside its interval; bandwidths are those of size and time; no link carries more than its
/// data-sheet rate. Inside a domain bus bandwidth exceeds the wire only where switches reduce: each rank then sends and
/// receives the data once instead of 2 (n - 1) / n times.
/// @throws LawBroken
void check_laws(const CollectiveAnswer& answer, const AnsweredGroup& group, const Cluster& cluster);

}  // namespace clusterwright
