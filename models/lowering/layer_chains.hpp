// SPDX-License-Identifier: Apache-2.0
/// What the collectives inside layers send over which links, for one rank class.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "models/lowering/step_context.hpp"

namespace clusterwright {

/// Ranks that meet in a collective of a layer; "all" stands for the tensor group.
ReplicaGroup group_of(LayerCollective kind);

class LayerChains {
 public:
  LayerChains(StepContext& context, RankClassId rank_class);

  ChainId of(LayerCollective kind) const { return chains_[static_cast<std::size_t>(kind)]; }
  /// The host issues kernels for so long.
  ChainId host(Picoseconds time);

 private:
  void set(LayerCollective kind, ChainId chain) { chains_[static_cast<std::size_t>(kind)] = chain; }
  void choose_tensor_chains();
  void choose_context_chains();
  void choose_expert_chains();

  StepContext& context_;
  RankClassId class_;
  std::array<ChainId, layer_collective_count> chains_;
  std::map<std::int64_t, ChainId> issues_;  // by picoseconds
};

}  // namespace clusterwright
