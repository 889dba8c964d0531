// SPDX-License-Identifier: Apache-2.0
/// What shapes the structure of a step.
#pragma once

#include <vector>

#include "models/job/scenario.hpp"
#include "models/lowering/class_groups.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/plan/placement.hpp"
#include "models/plan/stage_layout.hpp"

namespace clusterwright {

/// Places of the ranks of a step, and what ranks are alike.
struct StepRanks {
  /// @param others  streams of another job on the same network; nullptr: the job is alone
  StepRanks(const Scenario& scenario, const Plan& plan, Folding folding,
            const std::vector<LaidStream>* others = nullptr);
  StepRanks(const StepRanks&) = delete;
  StepRanks& operator=(const StepRanks&) = delete;

  const Plan& plan() const { return placement.plan(); }

  StageLayout layout;
  Placement placement;
  RankClasses classes;
  ClassGroups groups;
};

/// Part of a scenario that StepRanks and programs depend on, beside the plan. Scenarios that share it differ in times,
/// rates, prices and watts.
class StepShape {
 public:
  explicit StepShape(const Scenario& scenario);
  bool is_of(const Scenario& scenario) const;

 private:
  Transformer transformer_;
  Job job_;
  SoftwareStack stack_;
  std::vector<SlowAcceleratorSpec> slow_;
  DomainBlocks blocks_;
  FabricTiers::Shape fabric_;
  int node_accelerators_;
  RankKinds kinds_;
};

}  // namespace clusterwright
