// SPDX-License-Identifier: Apache-2.0
/// What a training framework does with mixtures of experts.
#pragma once

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// How tokens travel to their experts: every copy by itself in one all-to-all of the collective library; or by kernels
/// that send one copy to each node and one to each rank inside it.
enum class ExpertTransfer { all_to_all, hierarchical };

struct StackExperts {
  ExpertTransfer transfer = ExpertTransfer::all_to_all;
  bool narrow_dispatch = false;   ///< tokens travel to experts in 8 bit where multiplies run in 8 bit
  bool overlap_shared = false;    ///< shared experts run while tokens travel
  bool overlap_exchange = false;  ///< a forward and a backward pass of two micro-batches hide each other's exchanges
  bool one_launch = false;        ///< the multiplies of all experts of a rank are one kernel; else one for each expert
  /// The host reads how many tokens each expert got before it issues what follows, so that it has no lead there.
  bool synchronises = true;
  /// Host time to issue one multiply, or one cast, of one expert; where they are launched one by one.
  Sourced<Seconds> launch{30 * microsecond, "estimate: a call of the library with its checks, descriptors and casts"};
  /// Of the experts' popularity within a micro-batch, where the job does not say.
  Sourced<double> imbalance{0.2, "estimate: what balancing losses leave within one micro-batch"};
};
const Record<StackExperts>& record(const StackExperts*);

}  // namespace clusterwright
