// SPDX-License-Identifier: Apache-2.0
/// What one layer's mixture of experts gives each rank to send and to multiply.
#pragma once

#include <cstdint>

#include "models/kernels/collectives/expert_exchange.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

struct ExpertWork {
  double tokens = 0;               ///< of one rank and micro-batch, before they travel
  double drawn = 0;                ///< experts that these draw
  double copies = 0;               ///< of tokens that are sent; not the same with a capacity factor
  double rows = 0;                 ///< copies that the experts of one rank multiply, mean over the ranks
  double rows_busiest = 0;         ///< expected, of the busiest rank of an expert group
  std::int64_t local_experts = 0;  ///< routed ones of one rank
  /// Of one dispatch with one byte for each copy; to combine is the same the other way round.
  ExpertTraffic traffic;

  double excess() const { return rows > 0 ? rows_busiest / rows : 1; }  ///< busiest rank over the mean
};

/// With a capacity factor every expert takes just that many rows. Otherwise the experts' popularity is drawn, and the
/// busiest rank's rows are a mean over draws.
/// @param ranks_in_domain  of the expert group, in one scale-up domain
/// @pre the model has experts
ExpertWork expert_work(const PlannedJob& planned, int ranks_in_domain);

/// Rows of the experts of one rank, mean over the ranks.
double expert_rows(const PlannedJob& planned);

/// Coefficient of variation of the experts' popularity: the job's, else the stack's.
double routing_imbalance(const PlannedJob& planned);

}  // namespace clusterwright
