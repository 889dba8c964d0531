// SPDX-License-Identifier: Apache-2.0
/// GEMMs of the host's training loop.
#pragma once

#include "calibration/host/kernels/matrix_view.hpp"

namespace clusterwright {

/// GEMMs of Eigen on one thread, for float and double. C overlaps neither A nor B; shapes must fit.
template <class Scalar>
struct MatrixProduct {
  using View = MatrixView<Scalar>;
  using ConstView = MatrixView<const Scalar>;

  /// C(m, n) = A(m, k) B(k, n)
  static void plain(View c, ConstView a, ConstView b);
  /// C(m, n) += A(m, k) B(k, n)
  static void added(View c, ConstView a, ConstView b);
  /// C(m, n) = factor A(m, k) B(n, k)^T
  static void right_transposed(View c, ConstView a, ConstView b, Scalar factor = 1);
  /// C(m, n) = A(k, m)^T B(k, n)
  static void left_transposed(View c, ConstView a, ConstView b);
};

extern template struct MatrixProduct<float>;
extern template struct MatrixProduct<double>;

}  // namespace clusterwright
