// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/kernels/element_kernels.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

template <class Scalar>
auto array(Scalar* begin, std::int64_t count) {
  return Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>>(begin, count);
}

template <class Scalar>
auto array(const Scalar* begin, std::int64_t count) {
  return Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>>(begin, count);
}

/// 0.5 (1 + tanh(a (x + b x^3))) is the logistic function of 2 a (x + b x^3).
constexpr double gelu_a = 0.7978845608028654;  // sqrt(2 / pi)
constexpr double gelu_b = 0.044715;

template <class Array>
auto gelu_gate(const Array& x) {
  using Scalar = typename Array::Scalar;
  const auto linear = static_cast<Scalar>(-2 * gelu_a), cubic = static_cast<Scalar>(-2 * gelu_a * gelu_b);
  return (1 + (x * (linear + cubic * x.square())).exp()).inverse();
}

}  // namespace

template <class Scalar>
void ElementKernels<Scalar>::rms_norm(View y, Scalar* inverse_rms, ConstView x, const Scalar* gain) {
  const auto width = static_cast<Scalar>(x.columns);
  const auto g = array(gain, x.columns);
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const auto in = array(x.row(i), x.columns);
    inverse_rms[i] = 1 / std::sqrt(in.square().sum() / width + static_cast<Scalar>(1e-5));
    array(y.row(i), y.columns) = inverse_rms[i] * g * in;
  }
}

template <class Scalar>
void ElementKernels<Scalar>::rms_norm_backward(View dx, Scalar* d_gain, ConstView dy, ConstView x,
                                               const Scalar* inverse_rms, const Scalar* gain) {
  const auto width = static_cast<Scalar>(x.columns);
  const auto g = array(gain, x.columns);
  auto dg = array(d_gain, x.columns);
  dg.setZero();
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const auto in = array(x.row(i), x.columns);
    const auto d_out = array(dy.row(i), x.columns);
    const Scalar inverse = inverse_rms[i];
    const Scalar along = inverse * inverse * inverse * (g * d_out * in).sum() / width;
    dg += inverse * d_out * in;
    array(dx.row(i), x.columns) += inverse * g * d_out - along * in;
  }
}

template <class Scalar>
void ElementKernels<Scalar>::gelu(View y, ConstView x) {
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const auto in = array(x.row(i), x.columns);
    array(y.row(i), x.columns) = in * gelu_gate(in);
  }
}

template <class Scalar>
void ElementKernels<Scalar>::gelu_backward(View dx, ConstView dy, ConstView x) {
  const auto linear = static_cast<Scalar>(2 * gelu_a), cubic = static_cast<Scalar>(6 * gelu_a * gelu_b);
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const auto in = array(x.row(i), x.columns);
    auto out = array(dx.row(i), x.columns);
    out = gelu_gate(in);
    out = array(dy.row(i), x.columns) * out * (1 + in * (1 - out) * (linear + cubic * in.square()));
  }
}

template <class Scalar>
void ElementKernels<Scalar>::causal_softmax(View scores) {
  for (std::int64_t i = 0; i < scores.rows; ++i) {
    auto seen = array(scores.row(i), i + 1);
    seen = (seen - seen.maxCoeff()).exp();
    seen *= 1 / seen.sum();
    std::fill(scores.row(i) + i + 1, scores.row(i) + scores.columns, Scalar{0});
  }
}

template <class Scalar>
void ElementKernels<Scalar>::causal_softmax_backward(View gradient, ConstView probabilities) {
  for (std::int64_t i = 0; i < gradient.rows; ++i) {
    auto seen = array(gradient.row(i), i + 1);
    const auto share = array(probabilities.row(i), i + 1);
    const Scalar mean = (seen * share).sum();
    seen = share * (seen - mean);
    std::fill(gradient.row(i) + i + 1, gradient.row(i) + gradient.columns, Scalar{0});
  }
}

template <class Scalar>
double ElementKernels<Scalar>::cross_entropy(View logits, const std::int32_t* targets) {
  const Scalar weight = 1 / static_cast<Scalar>(logits.rows);
  double loss = 0;
  for (std::int64_t i = 0; i < logits.rows; ++i) {
    auto row = array(logits.row(i), logits.columns);
    const Scalar largest = row.maxCoeff(), aim = row(targets[i]);
    row = (row - largest).exp();
    const Scalar sum = row.sum();
    row *= weight / sum;
    row(targets[i]) -= weight;
    loss += std::log(static_cast<double>(sum)) + static_cast<double>(largest - aim);
  }
  return loss / static_cast<double>(logits.rows);
}

template <class Scalar>
void ElementKernels<Scalar>::copy(View out, ConstView in) {
  for (std::int64_t i = 0; i < in.rows; ++i) std::copy_n(in.row(i), in.columns, out.row(i));
}

template <class Scalar>
void ElementKernels<Scalar>::gather(View out, ConstView table, const std::int32_t* tokens) {
  for (std::int64_t i = 0; i < out.rows; ++i) std::copy_n(table.row(tokens[i]), out.columns, out.row(i));
}

template <class Scalar>
void ElementKernels<Scalar>::gather_backward(View d_table, ConstView d_out, const std::int32_t* tokens) {
  for (std::int64_t i = 0; i < d_table.rows; ++i) std::fill_n(d_table.row(i), d_table.columns, Scalar{0});
  for (std::int64_t i = 0; i < d_out.rows; ++i) add(d_table.row(tokens[i]), d_out.row(i), d_out.columns);
}

template <class Scalar>
void ElementKernels<Scalar>::add(Scalar* sum, const Scalar* addend, std::int64_t count) {
  array(sum, count) += array(addend, count);
}

template struct ElementKernels<float>;
template struct ElementKernels<double>;

}  // namespace clusterwright
