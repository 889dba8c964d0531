// SPDX-License-Identifier: Apache-2.0
/// Forward and backward pass of attention on one rank, with the traffic of its context group.
#pragma once

#include <cstdint>

#include "models/kernels/kernel_times.hpp"
#include "models/lowering/rank_shapes.hpp"
#include "models/lowering/recipe_writer.hpp"
#include "models/memory/memory_use.hpp"

namespace clusterwright {

class AttentionRecipes {
 public:
  AttentionRecipes(const KernelTimes& kernels, const PlannedJob& planned, const RankShapes& shapes)
      : kernels_(kernels), planned_(planned), shapes_(shapes) {}

  /// Follows the last op so far, which computed queries, keys and values.
  /// @return op of another lane that the result comes from, or -1
  int forward(RecipeWriter& w, StepCharge charge) const;
  /// Follows the last op so far, which computed the gradient of the result.
  /// @return op of another lane that the gradients of queries, keys and values come from, or -1
  int backward(RecipeWriter& w) const;

 private:
  /// Tokens that one call of attention covers, for one in `heads_split` of the rank's heads.
  struct Attended {
    bool forward;
    double heads_split, queries, keys;
    double share;        ///< fraction of the scores under the mask
    bool chunk = false;  ///< one of a ring's
  };
  /// Scores of one sequence and head, for `heads` of them.
  struct ScoreSquare {
    std::int64_t queries, keys, heads;
    double share;  ///< fraction of the scores under the mask
    double scores() const { return static_cast<double>(queries * keys * heads); }
  };

  KernelTiming fused(bool forward, double heads_split, double queries, double keys, double share) const;
  void unfused_forward(RecipeWriter& w, const ScoreSquare& s, StepCharge charge, int after) const;
  void unfused_backward(RecipeWriter& w, const ScoreSquare& s, StepCharge charge, int after) const;
  /// @param after  op of another lane that must end first, or -1
  void attend(RecipeWriter& w, const Attended& a, StepCharge charge, int after) const;
  int ring(RecipeWriter& w, bool forward, StepCharge charge) const;
  double gathered_share(double sequence) const;

  const KernelTimes& kernels_;
  const PlannedJob& planned_;
  const RankShapes& shapes_;
};

}  // namespace clusterwright
