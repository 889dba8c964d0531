// SPDX-License-Identifier: Apache-2.0
/// Split of a backward pass whose weight gradients run later.
#pragma once

#include "models/lowering/recipe.hpp"

namespace clusterwright {

/// Backward pass in two parts: the ops that gradients of inputs need, and the gradients of weights for later.
struct SplitRecipe {
  Recipe input, weight;
};

/// The weight part needs only results of the input part that exist by then, so it waits only for its own gathers.
/// @param overlap  each of them runs beside the multiply before its own
SplitRecipe split_backward(const Recipe& whole, bool overlap);

}  // namespace clusterwright
