// SPDX-License-Identifier: Apache-2.0
/// Program of one rank class, in the order in which its host issues it.
#pragma once

#include <vector>

#include "models/lowering/chunk_passes.hpp"
#include "models/lowering/optimizer_step.hpp"
#include "models/lowering/pass_rows.hpp"
#include "models/lowering/step_machine.hpp"

namespace clusterwright {

/// Everything that the programs of all rank classes of a step are made from.
struct StepParts {
  StepGraphBuilder& builder;
  const PlannedStep& step;
  const KernelTimes& kernels;
  const StepRecipes& recipes;
  StepMachine& machine;
  StepMeetings& meetings;
  PassBook& passes;
  ChainId norm;   ///< communication of the norm of the gradient
  PriceLog* log;  ///< of the prices that programs ask for; nullptr: not kept
};

class StepProgram {
 public:
  /// @param rank_class  class that the builder knows already
  StepProgram(const StepParts& parts, RankClassId rank_class);
  StepProgram(const StepProgram&) = delete;
  StepProgram& operator=(const StepProgram&) = delete;

  /// Writes the whole step.
  void write();
  /// Writes one layer and nothing else.
  void write_layer(LayerKind kind, bool backward);
  /// Writes rows by themselves (RowWriter) and nothing else.
  void write_rows(const std::vector<PassRow>& rows);

 private:
  const StepParts& parts_;
  RankLanes lanes_;
  OpWriter writer_;
  RecipeStamper stamper_;
  RankOps ops_;
};

}  // namespace clusterwright
