// SPDX-License-Identifier: Apache-2.0
/// Machine side of a step graph: everything that the programs of rank classes share as resources.
#pragma once

#include <optional>

#include "models/lowering/input_side.hpp"
#include "models/lowering/level_links.hpp"
#include "models/lowering/planned_step.hpp"
#include "models/lowering/rank_ports.hpp"
#include "models/lowering/step_links.hpp"

namespace clusterwright {

class StepMachine {
 public:
  /// @param prices  outlives it
  /// @param log     of the chains that are asked for; nullptr: not kept
  StepMachine(StepGraphBuilder& builder, const PlannedStep& step, const KindPrices& prices, PriceLog* log);
  StepMachine(const StepMachine&) = delete;
  StepMachine& operator=(const StepMachine&) = delete;

  const RankPorts& ports() const { return ports_; }
  StepLinks& links() { return links_; }
  LevelLinks& levels() { return levels_; }
  /// Storage of the job's input; nullptr if the job does not say what it reads.
  InputSide* input() { return input_ ? &*input_ : nullptr; }

 private:
  GroupTimings timings_;
  RankPorts ports_;
  StepLinks links_;
  LevelLinks levels_;
  std::optional<InputSide> input_;
};

}  // namespace clusterwright
