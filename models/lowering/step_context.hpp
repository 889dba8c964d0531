// SPDX-License-Identifier: Apache-2.0
/// What the programs of all rank classes of a step share.
#pragma once

#include <vector>

#include "models/kernels/kernel_times.hpp"
#include "models/lowering/input_side.hpp"
#include "models/lowering/level_links.hpp"
#include "models/lowering/lowering.hpp"
#include "models/lowering/meetings.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/lowering/step_links.hpp"
#include "models/lowering/step_recipes.hpp"
#include "models/memory/memory_use.hpp"
#include "models/plan/expert_work.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/stage_layout.hpp"

namespace clusterwright {

/// Pipeline messages that keep their order among themselves: of the forward and the backward pass of micro-batches that
/// flow down the stages, and of those that flow up (DualPipe).
enum class MessageRoute : int { forward, backward, forward_up, backward_up };
inline constexpr std::size_t message_route_count = 4;

struct StepContext {
  StepContext(const Scenario& s, const Plan& p, Folding folding);

  /// Activation of one micro-batch at a layer's boundary, whole over the tensor group, of one context rank.
  Bytes activation() const;

  const Scenario& scenario;
  Cluster cluster;  ///< with the network cards that the stack uses
  Plan plan;
  StageLayout layout;
  PlannedJob memory;
  Placement placement;
  ExpertWork experts;  ///< of a layer with experts
  StepFactors factors;
  StepGraphBuilder builder;
  RankClasses classes;
  KernelTimes kernels;
  StepLinks links;
  LevelLinks tiers;
  StepRecipes recipes;
  PowerDomainId domain;
  Meetings tensor, tied, norm, host, issue, copies;
  std::vector<MessageMeetings> messages;  ///< by MessageRoute
  std::vector<Meetings> replicas;         ///< by ReplicaGroup
  ChainId norm_chain;
  std::optional<InputSide> input;  ///< where the job says what it reads
  Meetings reads;
};

}  // namespace clusterwright
