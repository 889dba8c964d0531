// SPDX-License-Identifier: Apache-2.0
/// Chains of the collectives inside layers, for one rank class.
#pragma once

#include <array>

#include "models/lowering/planned_step.hpp"
#include "models/lowering/recipe.hpp"
#include "models/lowering/step_links.hpp"

namespace clusterwright {

/// Group of ranks that meets in a collective of a layer; `all` stands for the tensor group.
ReplicaGroup group_of(LayerCollective kind);

class LayerChains {
 public:
  LayerChains(const PlannedStep& step, StepLinks& links, RankClassId rank_class);

  ChainId of(LayerCollective kind) const { return chains_[static_cast<std::size_t>(kind)]; }

 private:
  void set(LayerCollective kind, ChainId chain) { chains_[static_cast<std::size_t>(kind)] = chain; }
  void choose_tensor_chains();
  void choose_context_chains();
  void choose_expert_chains();

  const PlannedStep& step_;
  StepLinks& links_;
  RankClassId class_;
  std::array<ChainId, layer_collective_count> chains_;
};

}  // namespace clusterwright
