// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/causal_attention.hpp"

#include <cmath>

#include "calibration/host/kernels/element_kernels.hpp"
#include "calibration/host/kernels/matrix_product.hpp"

namespace clusterwright {

template <class Scalar>
CausalAttention<Scalar>::CausalAttention(const HostModel& model)
    : model_(model),
      scale_(static_cast<Scalar>(1 / std::sqrt(static_cast<double>(model.head_size())))),
      gradient_(static_cast<std::size_t>(model.sequence * model.sequence)) {}

template <class Scalar>
std::int64_t CausalAttention<Scalar>::probability_count() const {
  return model_.sequences * model_.heads * model_.sequence * model_.sequence;
}

template <class Scalar>
template <class Element>
MatrixView<Element> CausalAttention<Scalar>::part(MatrixView<Element> matrix, std::int64_t index,
                                                  std::int64_t which) const {
  const std::int64_t first_row = index / model_.heads * model_.sequence;
  const std::int64_t first_column = which * model_.hidden + index % model_.heads * model_.head_size();
  return {matrix.row(first_row) + first_column, model_.sequence, model_.head_size(), matrix.stride};
}

template <class Scalar>
void CausalAttention<Scalar>::forward(View out, Scalar* probabilities, ConstView qkv) const {
  using Product = MatrixProduct<Scalar>;
  const std::int64_t length = model_.sequence;
  for (std::int64_t i = 0; i < model_.sequences * model_.heads; ++i) {
    const View scores(probabilities + i * length * length, length, length);
    Product::right_transposed(scores, part(qkv, i, 0), part(qkv, i, 1), scale_);
    ElementKernels<Scalar>::causal_softmax(scores);
    Product::plain(part(out, i, 0), scores, part(qkv, i, 2));
  }
}

template <class Scalar>
void CausalAttention<Scalar>::backward(View d_qkv, ConstView d_out, const Scalar* probabilities, ConstView qkv) {
  using Product = MatrixProduct<Scalar>;
  const std::int64_t length = model_.sequence;
  const View gradient(gradient_.data(), length, length);
  for (std::int64_t i = 0; i < model_.sequences * model_.heads; ++i) {
    const ConstView shares(probabilities + i * length * length, length, length);
    const ConstView d_head = part(d_out, i, 0);
    Product::left_transposed(part(d_qkv, i, 2), shares, d_head);
    // The scale of the scores is applied to the gradient of the probabilities: the softmax backward is linear in it.
    Product::right_transposed(gradient, d_head, part(qkv, i, 2), scale_);
    ElementKernels<Scalar>::causal_softmax_backward(gradient, shares);
    Product::plain(part(d_qkv, i, 0), gradient, part(qkv, i, 1));
    Product::left_transposed(part(d_qkv, i, 1), gradient, part(qkv, i, 0));
  }
}

template class CausalAttention<float>;
template class CausalAttention<double>;

}  // namespace clusterwright
