// SPDX-License-Identifier: Apache-2.0
/// Time of self-attention by one kernel family.
#pragma once

#include "models/job/parameters.hpp"
#include "sim/quantity.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Forward or backward pass of self-attention on one rank.
struct AttentionShape {
  double sequences = 1;    ///< sequences of the micro-batch
  double queries = 0;      ///< query tokens of a sequence
  double keys = 0;         ///< key tokens of a sequence, masked ones included
  double share = 0.5;      ///< share of queries x keys that the mask keeps; kernels with scores in memory compute all
  double heads = 0;        ///< query heads of this rank
  double key_width = 0;    ///< of a head's queries and keys
  double value_width = 0;  ///< of a head's values
  bool forward = true;
  double edges = 1;     ///< of the mask, that a block of queries meets: 2 under a window, mean over layers
  bool dropout = true;  ///< of the scores; kernels that keep them in memory move its mask and its result
};

/// Mean width over the multiplies of a pass: one by keys and one by values; backward three by keys or queries, two by
/// values or their gradients.
double mean_head_width(const AttentionShape& shape);

inline constexpr double usual_exponentials = 16;  ///< of one multiprocessor in a clock

/// Data sheet of the device that attention runs on.
struct AttentionDevice {
  FlopsPerSecond peak;                                 ///< dense, 16 bit
  BytesPerSecond traffic;                              ///< bandwidth of kernels that only move data
  double multiprocessors = 0;                          ///< 0: not known, or one array
  double clocks_per_second = 0;                        ///< of one multiprocessor; 0: not known
  double exponentials_per_clock = usual_exponentials;  ///< of one multiprocessor
};

/// Units with more than 32,768 FLOP in a clock, like the eight of a Gaudi 3, are no multiprocessors: their count is
/// left out. @param traffic  bandwidth of kernels that only move data
AttentionDevice attention_device(const AcceleratorPart& part, BytesPerSecond traffic);

/// Clocks of all multiprocessors of a part together in one second; where their number is not known, of as many of
/// Hopper's as the peak makes.
double multiprocessor_clocks(const AcceleratorPart& part);

/// Time of the matrix units beside exponentials and sums, then that of rows and scores in memory.
struct AttentionTiming {
  Flops flops;         ///< under the mask
  Seconds multiplies;  ///< part of `compute` in which matrix units work
  Seconds compute;     ///< grows as the clock falls
  Seconds memory;

  Seconds time() const { return compute + memory; }
};

/// @source docs/models/compute.md, "Attention"
AttentionTiming attention_time(const AttentionShape& shape, const AttentionParameters& parameters,
                               const AttentionDevice& device);

}  // namespace clusterwright
