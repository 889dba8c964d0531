// SPDX-License-Identifier: Apache-2.0
/// Optimizer of the host's training loop.
#pragma once

#include <cstdint>
#include <vector>

namespace clusterwright {

/// Adam without weight decay: rate 1e-3, betas 0.9 and 0.999, epsilon 1e-8. For float and double.
template <class Scalar>
class Adam {
 public:
  explicit Adam(std::int64_t parameters);

  /// Updates all parameters; arrays have the length given above.
  /// @param scale  factor that turns `gradients` into the mean gradient
  void update(Scalar* parameters, const Scalar* gradients, Scalar scale);

 private:
  std::vector<Scalar> mean_, square_;
  std::int64_t updates_ = 0;
};

extern template class Adam<float>;
extern template class Adam<double>;

}  // namespace clusterwright
