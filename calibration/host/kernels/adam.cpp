// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/kernels/adam.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

constexpr double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
constexpr std::int64_t block = 2048;  // four arrays of this length fit into a first-level cache

}  // namespace

template <class Scalar>
Adam<Scalar>::Adam(std::int64_t parameters)
    : mean_(static_cast<std::size_t>(parameters)), square_(static_cast<std::size_t>(parameters)) {}

template <class Scalar>
void Adam<Scalar>::update(Scalar* parameters, const Scalar* gradients, Scalar scale) {
  using Array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;
  using Part = Eigen::Map<Array>;
  const auto count = static_cast<std::int64_t>(mean_.size()), updates = ++updates_;
  const double correction1 = 1 - std::pow(beta1, static_cast<double>(updates));
  const double correction2 = std::sqrt(1 - std::pow(beta2, static_cast<double>(updates)));
  const auto step = static_cast<Scalar>(rate * correction2 / correction1);
  const auto floor = static_cast<Scalar>(epsilon * correction2);
  const auto keep1 = static_cast<Scalar>(beta1), keep2 = static_cast<Scalar>(beta2);
  const Scalar take1 = (1 - keep1) * scale, take2 = (1 - keep2) * scale * scale;
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t length = std::min(block, count - begin);
    const Eigen::Map<const Array> gradient(gradients + begin, length);
    Part mean(mean_.data() + begin, length), square(square_.data() + begin, length);
    mean = keep1 * mean + take1 * gradient;
    square = keep2 * square + take2 * gradient.square();
    Part(parameters + begin, length) -= step * mean / (square.sqrt() + floor);
  }
}

template class Adam<float>;
template class Adam<double>;

}  // namespace clusterwright
