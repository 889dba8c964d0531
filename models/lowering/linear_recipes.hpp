// SPDX-License-Identifier: Apache-2.0
/// Forward and backward pass of one linear layer on one rank: multiplies, adapters, and the collectives beside them.
#pragma once

#include <cstdint>
#include <string>

#include "models/kernels/kernel_times.hpp"
#include "models/lowering/rank_shapes.hpp"
#include "models/lowering/recipe_writer.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/memory/memory_use.hpp"

namespace clusterwright {

/// y = x W, W of k x n on this rank.
struct Linear {
  std::string name;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool columns = true;   ///< the tensor group splits n; otherwise k
  bool narrow = true;    ///< in the job's number format; otherwise 16 bit
  bool exchange = true;  ///< false: x is gathered already, or what y adds to is reduced later
  bool adds = false;     ///< y is added to what is there
};

class LinearRecipes {
 public:
  LinearRecipes(const KernelTimes& kernels, const PlannedJob& planned, const RankShapes& shapes)
      : kernels_(kernels), planned_(planned), shapes_(shapes) {}

  /// @param after  op of another lane that x comes from, or -1
  /// @return op of another lane that y comes from, or -1
  int forward(RecipeWriter& w, const Linear& linear, StepCharge charge, int after) const;

  /// Gradients by input, then by weight. Where the group splits n, dx must be reduced behind, and x, stored in shards,
  /// gathered once more for the weight gradient; otherwise dy must be gathered first.
  /// @param after  op that produced dy
  /// @return op of another lane that dx comes from, or -1
  int backward(RecipeWriter& w, const Linear& linear, int after) const;

 private:
  /// @param output  bytes moved for one element of the result
  KernelTiming multiply(std::int64_t m, std::int64_t n, std::int64_t k, bool narrow, double output) const;
  /// Product over the tokens, added to the gradients of n x k weights.
  KernelTiming gradient_multiply(std::int64_t k, std::int64_t n, bool narrow) const;
  KernelTiming multiply(std::int64_t m, std::int64_t n, std::int64_t k, bool narrow) const {
    return multiply(m, n, k, narrow, shapes_.element);
  }
  KernelTiming forward_multiply(const Linear& linear) const;
  bool in_pieces() const;
  /// A multiply cut into as many pieces as ranks: all pieces but one, and that one.
  struct Pieces {
    KernelTiming most, one;
  };
  Pieces cut(std::int64_t m, std::int64_t n, std::int64_t k, bool narrow) const;
  int gathered(RecipeWriter& w, const std::string& name, std::int64_t n, std::int64_t k, bool narrow, StepCharge charge,
               int after) const;
  int scattered(RecipeWriter& w, const std::string& name, std::int64_t n, std::int64_t k, bool narrow,
                StepCharge charge, int after) const;
  void weight_gradient(RecipeWriter& w, const Linear& linear, int after) const;
  void adapters_forward(RecipeWriter& w, const Linear& linear, StepCharge charge) const;
  void adapters_backward(RecipeWriter& w, const Linear& linear, int after) const;
  bool has_adapters() const { return planned_.lora_rank > 0; }

  const KernelTimes& kernels_;
  const PlannedJob& planned_;
  const RankShapes& shapes_;
};

}  // namespace clusterwright
