// SPDX-License-Identifier: Apache-2.0
/// Widths of one rank's share of the model, and the collectives between the ranks of its layer.
#pragma once

#include <cstdint>

#include "models/lowering/step_recipes.hpp"
#include "models/memory/memory_use.hpp"

namespace clusterwright {

class RankShapes {
 public:
  explicit RankShapes(const PlannedJob& planned);

  /// Traffic of kernels on residual-stream tensors. @param widths  hidden-wide tensors read or written
  Bytes residual(double widths) const;
  /// Traffic of kernels on tensors that the tensor group splits.
  Bytes split(std::int64_t width, double tensors) const;

  double element;  ///< bytes of one element of an activation
  /// Whether the last multiply of a block adds to the residual stream. It cannot where a tensor group splits the result
  /// or experts return it: the sum is not whole when that multiply ends.
  bool adds_in_multiply;
  std::int64_t tokens;  ///< tokens of one micro-batch on this rank
  std::int64_t hidden;  ///< whole; the others are this rank's share
  std::int64_t query;
  std::int64_t key_value;  ///< width of keys; values add `value`
  std::int64_t value;
  std::int64_t attended;  ///< width of the result of attention
  std::int64_t ffn;
  std::int64_t up;  ///< columns of the first multiply of the MLP
  std::int64_t vocabulary;
  LayerCollective before;  ///< in front of matrix multiplies that split their columns
  LayerCollective behind;  ///< after those that split their rows

 private:
  double residual_split_;
};

}  // namespace clusterwright
