// SPDX-License-Identifier: Apache-2.0
/// Fitted parameters of self-attention by one kernel family.
#pragma once

#include "sim/sourced.hpp"

namespace clusterwright {

/// Fused attention of one kernel family.
struct AttentionParameters {
  Sourced<double> forward_efficiency;  ///< share of the 16-bit peak that the multiplies reach, without all below
  Sourced<double> backward_efficiency;
  Sourced<double> score_clocks;  ///< clocks of one multiprocessor for the exponential of one score, forward pass
  Sourced<double> score_clocks_backward;  ///< the same for exponentials, products and sums of the backward pass
  Sourced<double> block_clocks;           ///< clocks of one multiprocessor for a block before and after its keys
  Sourced<double> block_clocks_backward;
  Sourced<double> row_bytes_backward;  ///< memory traffic per element of a head's queries, not overlapped
  Sourced<double> tail_share;          ///< idle share of the last round, in longest blocks of queries under the mask
  Sourced<double> block_queries{128, "flash-attention 2 and 3 give 128 queries to a multiprocessor"};  ///< 0: no blocks
  /// Efficiency at head width 64 over that at 128, beyond what scores cost.
  Sourced<double> narrow_head_factor{1, "scores have a time of their own"};
  /// Efficiency at head widths that are no multiple of 8 elements over that at others.
  Sourced<double> unaligned_factor{1, "kernels pad"};
  Sourced<double> executed_share;       ///< share of the square of scores: 0.5 if a causal mask skips work
  Sourced<double> score_bytes_forward;  ///< traffic per score between the multiplies; 0: on chip
  Sourced<double> score_bytes_backward;
};
const Record<AttentionParameters>& record(const AttentionParameters*);

}  // namespace clusterwright
