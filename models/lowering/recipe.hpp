// SPDX-License-Identifier: Apache-2.0
/// Kernels and collectives of one pass, in the order of issue.
#pragma once

#include <array>
#include <vector>

#include "models/lowering/step_charge.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// Collectives inside a layer. The tensor group moves one activation tensor. The context group moves keys and values
/// (one step of a ring with or without their gradients, or all of them) or exchanges heads. Expert groups move copies
/// of tokens. The host is no collective, but has a lane of its own too.
enum class LayerCollective : int {
  none,
  gather,
  scatter,
  reduce,
  context_step,
  context_step_with_gradients,
  context_gather,
  context_scatter,
  context_exchange_in,   ///< queries, keys and values: heads apart, sequence together
  context_exchange_out,  ///< the result back
  expert_dispatch,       ///< tokens to experts, in the format that the stack sends
  expert_dispatch_wide,  ///< the same in 16 bit: gradients
  expert_combine,        ///< results back
  expert_gather,         ///< rows over the ranks that split each expert
  expert_scatter,
  host,  ///< the host issues kernels that it could not issue ahead
};
inline constexpr std::size_t layer_collective_count = 16;

struct RecipeOp {
  WorkId work;
  LayerCollective collective = LayerCollective::none;  ///< none: a kernel on the compute lane
  StepCharge charge = StepCharge::compute_other;
  int after = -1;            ///< op of the recipe on another lane that must end first; order on a lane is implied
  bool for_weights = false;  ///< only gradients of weights need it
  Picoseconds host_time{};   ///< of a kernel: time of the host to issue it
  ChainId issue{};           ///< of `host`: chain in which the host issues all kernels that it stands for
};

using Recipe = std::vector<RecipeOp>;

/// Kernels of the collectives inside layers, by LayerCollective; those that a step has not do not exist.
using CollectiveKernels = std::array<WorkId, layer_collective_count>;

}  // namespace clusterwright
