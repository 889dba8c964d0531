// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_shape.hpp"

namespace clusterwright {

StepRanks::StepRanks(const Scenario& s, const Plan& plan, Folding folding, const std::vector<LaidStream>* others)
    : layout(stage_layout(s.transformer.layers, plan)),
      placement(plan, s.cluster.blocks),
      classes(rank_classes(s, placement, folding, others)),
      groups(placement, classes) {}

StepShape::StepShape(const Scenario& s)
    : transformer_(s.transformer),
      job_(s.job),
      stack_(s.stack),
      slow_(s.cluster.spec.slow),
      blocks_(s.cluster.blocks),
      fabric_(s.cluster.fabric.shape()),
      node_accelerators_(s.cluster.node_accelerators),
      kinds_(rank_kinds(s.cluster)) {}

bool StepShape::is_of(const Scenario& s) const {
  return node_accelerators_ == s.cluster.node_accelerators && blocks_ == s.cluster.blocks &&
         slow_ == s.cluster.spec.slow && transformer_ == s.transformer && job_ == s.job && stack_ == s.stack &&
         fabric_ == s.cluster.fabric.shape() && kinds_ == rank_kinds(s.cluster);
}

}  // namespace clusterwright
