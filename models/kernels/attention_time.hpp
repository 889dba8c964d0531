// SPDX-License-Identifier: Apache-2.0
/// Time of self-attention by one kernel family.
#pragma once

#include "models/job/parameters.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Forward or backward pass of self-attention on one rank.
struct AttentionShape {
  double sequences = 1;  ///< of the micro-batch
  double queries = 0;    ///< tokens of a sequence that ask
  double keys = 0;       ///< tokens that they may attend to, masked ones included
  double share = 0.5;    ///< of queries x keys under the mask; kernels that keep scores in memory compute all
  double heads = 0;      ///< query heads of this rank
  double head_width = 0;
  bool forward = true;
};

/// One after the other: matrix units, then scores in memory where the kernel keeps them there.
struct AttentionTiming {
  Flops flops;  ///< executed
  Seconds compute;
  Seconds memory;

  Seconds time() const { return compute + memory; }
};

/// @param rate     dense 16-bit peak
/// @param traffic  that kernels which only move data reach
/// @source docs/models/compute.md, "Attention"
AttentionTiming attention_time(const AttentionShape& shape, const AttentionParameters& parameters, FlopsPerSecond rate,
                               BytesPerSecond traffic);

}  // namespace clusterwright
