// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_shape.hpp"

namespace clusterwright {

StepRanks::StepRanks(const Scenario& s, const Plan& plan, Folding folding)
    : layout(stage_layout(s.transformer.layers, plan)),
      placement(plan, s.stack.rank_order, s.cluster.blocks),
      classes(rank_classes(s, placement, folding)),
      groups(placement, classes) {}

StepShape::StepShape(const Scenario& s)
    : transformer(s.transformer),
      job(s.job),
      stack(s.stack),
      slow(s.cluster.spec.slow),
      blocks(s.cluster.blocks),
      fabric(s.cluster.fabric.shape()),
      node_accelerators(s.cluster.node_accelerators) {}

}  // namespace clusterwright
