// SPDX-License-Identifier: Apache-2.0
/// Backward pass whose weight gradients run later.
#pragma once

#include "models/lowering/recipe.hpp"

namespace clusterwright {

/// A backward pass in two parts: what gradients of inputs need, and the gradients of weights later.
struct SplitRecipe {
  Recipe input, weight;
};

/// Whatever the weight part needs of the input part has ended before, so that it waits only for its own gathers.
/// @param overlap  each of them runs beside the multiply before its own
SplitRecipe split_backward(const Recipe& whole, bool overlap);

}  // namespace clusterwright
