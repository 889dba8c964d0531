// SPDX-License-Identifier: Apache-2.0
/// Kernels of a transformer beside its GEMMs.
#pragma once

#include <cstdint>

#include "calibration/host/kernels/matrix_view.hpp"

namespace clusterwright {

/// Kernels beside the GEMMs, for float and double. A view has one row per token unless said otherwise; nothing
/// allocates. Outputs overlap no input.
template <class Scalar>
struct ElementKernels {
  using View = MatrixView<Scalar>;
  using ConstView = MatrixView<const Scalar>;

  /// y = gain x / rms(x), row by row, rms(x)^2 = mean(x^2) + 1e-5.
  /// @param inverse_rms  one per row, for the backward pass
  static void rms_norm(View y, Scalar* inverse_rms, ConstView x, const Scalar* gain);
  /// Adds to dx, which holds the gradient of the residual path; writes d_gain.
  static void rms_norm_backward(View dx, Scalar* d_gain, ConstView dy, ConstView x, const Scalar* inverse_rms,
                                const Scalar* gain);

  /// GELU by its tanh approximation.
  static void gelu(View y, ConstView x);
  static void gelu_backward(View dx, ConstView dy, ConstView x);

  /// Causal softmax of a square: row i becomes the softmax of its first i + 1 scores, then zeros.
  static void causal_softmax(View scores);
  /// Turns gradients of probabilities into those of scores.
  static void causal_softmax_backward(View gradient, ConstView probabilities);

  /// Turns logits into the gradient of the mean loss.
  /// @param targets  a column per row
  /// @return mean over rows of -log softmax(logits)[target]
  static double cross_entropy(View logits, const std::int32_t* targets);

  static void copy(View out, ConstView in);
  /// Copies row tokens[i] of the table to row i of `out`.
  static void gather(View out, ConstView table, const std::int32_t* tokens);
  /// Writes all of d_table: gradients of the gathered rows, zeros elsewhere.
  static void gather_backward(View d_table, ConstView d_out, const std::int32_t* tokens);

  static void add(Scalar* sum, const Scalar* addend, std::int64_t count);
};

extern template struct ElementKernels<float>;
extern template struct ElementKernels<double>;

}  // namespace clusterwright
