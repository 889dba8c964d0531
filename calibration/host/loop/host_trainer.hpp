// SPDX-License-Identifier: Apache-2.0
/// Training of one process.
#pragma once

#include <vector>

#include "calibration/host/kernels/adam.hpp"
#include "calibration/host/loop/ring.hpp"
#include "calibration/host/loop/transformer_step.hpp"

namespace clusterwright {

/// Random parameters, the same on every process: norms 1, weights uniform with variance 1 / inputs.
template <class Scalar>
std::vector<Scalar> random_parameters(const HostModel& model);

/// Data-parallel training of one process: its own batch, the same in every step, and a copy of the weights that all
/// processes keep equal. For float and double.
template <class Scalar>
class HostTrainer {
 public:
  /// @param ring   its rank picks the sequences; must outlive this, as must `clock`
  /// @param buckets  chunks in which gradients are summed, one after the other, after the backward pass
  /// @throws std::invalid_argument as HostModel::check, or if buckets < 1
  HostTrainer(const HostModel& model, Ring& ring, PartClock& clock, int buckets = 1);

  /// Runs forward, backward, sum of gradients over the ring, Adam on their mean. The clock must be running.
  /// @return mean loss of this process's tokens, before the update
  double step();

  const std::vector<Scalar>& parameters() const { return parameters_; }

 private:
  void reduce_gradients();

  Ring& ring_;
  PartClock& clock_;
  int buckets_;
  TransformerStep<Scalar> model_step_;
  TokenBatch batch_;
  std::vector<Scalar> parameters_, gradients_;
  Adam<Scalar> adam_;
};

extern template std::vector<float> random_parameters(const HostModel& model);
extern template std::vector<double> random_parameters(const HostModel& model);
extern template class HostTrainer<float>;
extern template class HostTrainer<double>;

}  // namespace clusterwright
