// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/kernels/matrix_product.hpp"

#include <Eigen/Dense>
#include <type_traits>

namespace clusterwright {

namespace {

template <class Scalar>
auto eigen(MatrixView<Scalar> view) {
  using Matrix = Eigen::Matrix<std::remove_const_t<Scalar>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Same = std::conditional_t<std::is_const_v<Scalar>, const Matrix, Matrix>;
  return Eigen::Map<Same, 0, Eigen::OuterStride<>>(view.data, view.rows, view.columns,
                                                   Eigen::OuterStride<>(view.stride));
}

}  // namespace

template <class Scalar>
void MatrixProduct<Scalar>::plain(View c, ConstView a, ConstView b) {
  eigen(c).noalias() = eigen(a) * eigen(b);
}

template <class Scalar>
void MatrixProduct<Scalar>::added(View c, ConstView a, ConstView b) {
  eigen(c).noalias() += eigen(a) * eigen(b);
}

template <class Scalar>
void MatrixProduct<Scalar>::right_transposed(View c, ConstView a, ConstView b, Scalar factor) {
  eigen(c).noalias() = factor * eigen(a) * eigen(b).transpose();
}

template <class Scalar>
void MatrixProduct<Scalar>::left_transposed(View c, ConstView a, ConstView b) {
  eigen(c).noalias() = eigen(a).transpose() * eigen(b);
}

template struct MatrixProduct<float>;
template struct MatrixProduct<double>;

}  // namespace clusterwright
