// SPDX-License-Identifier: Apache-2.0
/// Tokens that each rank sends and computes for one layer's mixture of experts.
#pragma once

#include <cstdint>

#include "models/kernels/collectives/expert_exchange.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

struct ExpertWork {
  double tokens = 0;               ///< tokens of one rank and micro-batch, before they travel
  double drawn = 0;                ///< experts that these tokens draw
  double copies = 0;               ///< copies of tokens that are sent; differs from `drawn` with a capacity factor
  double rows = 0;                 ///< copies that the experts of one rank compute, mean over the ranks
  double rows_busiest = 0;         ///< expected rows of the busiest rank of an expert group
  std::int64_t local_experts = 0;  ///< routed experts of one rank
  /// Traffic of one dispatch with one byte per copy; combine is the reverse.
  ExpertTraffic traffic;

  double excess() const { return rows > 0 ? rows_busiest / rows : 1; }  ///< busiest rank over the mean
};

/// Work of a layer. With a capacity factor every expert takes exactly that many rows. Otherwise the experts' popularity
/// is drawn, and the rows of the busiest rank are a mean over draws.
/// @param ranks_in_domain  ranks of the expert group in one scale-up domain
/// @pre the model has experts
ExpertWork expert_work(const PlannedJob& planned, int ranks_in_domain);

/// Rows of the experts of one rank, mean over the ranks.
double expert_rows(const PlannedJob& planned);

/// Coefficient of variation of the experts' popularity: the job's, else the stack's; 0 with a capacity factor, which
/// gives every expert the same number of rows.
double routing_imbalance(const PlannedJob& planned);

/// Share of the drawn experts whose rows a capacity factor c drops: the mean of max(0, w - c) over experts of
/// popularity w (mean 1). Popularity is drawn as without a capacity factor. Example: c = 0.5 and even popularity drop 1
/// - 0.5 = half of the assignments.
double dropped_share(const PlannedJob& planned);

}  // namespace clusterwright
