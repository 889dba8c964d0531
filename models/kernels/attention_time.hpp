// SPDX-License-Identifier: Apache-2.0
/// Time of self-attention by one kernel family.
#pragma once

#include "models/job/parameters.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Forward or backward pass of self-attention on one rank.
struct AttentionShape {
  double sequences = 1;  ///< sequences of the micro-batch
  double queries = 0;    ///< query tokens of a sequence
  double keys = 0;       ///< key tokens of a sequence, masked ones included
  double share = 0.5;    ///< share of queries x keys that the mask keeps; kernels with scores in memory compute all
  double heads = 0;      ///< query heads of this rank
  double head_width = 0;
  bool forward = true;
};

/// Time of the matrix units, then that of scores in memory if the kernel keeps them there.
struct AttentionTiming {
  Flops flops;  ///< executed FLOPs
  Seconds compute;
  Seconds memory;

  Seconds time() const { return compute + memory; }
};

/// @param rate     dense 16-bit peak
/// @param traffic  bandwidth of kernels that only move data
/// @source docs/models/compute.md, "Attention"
AttentionTiming attention_time(const AttentionShape& shape, const AttentionParameters& parameters, FlopsPerSecond rate,
                               BytesPerSecond traffic);

}  // namespace clusterwright
