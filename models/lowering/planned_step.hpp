// SPDX-License-Identifier: Apache-2.0
/// Structure of a step: the job under its plan, the place of each rank, and the ranks that are alike.
#pragma once

#include "models/job/scenario.hpp"
#include "models/lowering/class_groups.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/plan/expert_work.hpp"
#include "models/plan/placement.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// Inputs of a lowering that hold no times. Whoever makes one keeps the objects behind its references alive.
struct PlannedStep {
  const Scenario& scenario;
  const PlannedJob& job;  ///< with the plan and the layout of its stages
  const Placement& placement;
  const RankClasses& classes;
  const ClassGroups& groups;
  const ExpertWork& experts;  ///< work of one layer with experts; empty where the model has none

  const Plan& plan() const { return job.plan; }
  const StageLayout& layout() const { return job.layout; }
  int stage_of(RankClassId c) const { return classes.representative(c).pipeline; }
  /// Activation of one micro-batch at the boundary of a layer: whole over the tensor group, one context rank.
  Bytes activation() const;
};

/// Work of a layer with experts where `placement` puts its expert groups; empty if the model has no experts.
ExpertWork placed_expert_work(const PlannedJob& planned, const Placement& placement);

}  // namespace clusterwright
