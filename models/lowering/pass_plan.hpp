// SPDX-License-Identifier: Apache-2.0
/// Cut of a stretch of kernels and collectives into passes (sim/step_graph.hpp) and single ops.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/lowering/recipe.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

/// Op of a stretch.
struct StretchOp {
  const RecipeOp* op = nullptr;
  bool second = false;     ///< of the second of two recipes side by side
  bool outside = false;    ///< never inside a pass
  std::uint32_t lane = 0;  ///< as of PassOp; those outside have lanes behind
  std::uint32_t collective = PassOp::kernel;
  std::vector<std::uint32_t> after;  ///< ops of the stretch that must end first; order on lanes is implied
  bool after_entry = false;          ///< waits for the last kernel in front of the stretch
};

/// Ops from `first` to before `last`: one pass, or a single op.
struct PassPlanStep {
  std::uint32_t first = 0, last = 0;
  bool after_entry = false;
  std::vector<std::uint32_t> after;  ///< steps that must end first
  bool is_pass() const { return last - first > 1; }
};

/// Passes as long as they can be, in the order of issue. Every op waits for the same ops as in the stretch, by itself
/// or through others.
std::vector<PassPlanStep> plan_passes(const std::vector<StretchOp>& stretch);

/// Template of a step that is a pass.
PassTemplate pass_of(const std::vector<StretchOp>& stretch, const PassPlanStep& step);

}  // namespace clusterwright
