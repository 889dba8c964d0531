// SPDX-License-Identifier: Apache-2.0
/// Attention of the host's training loop.
#pragma once

#include <vector>

#include "calibration/host/kernels/matrix_view.hpp"
#include "calibration/host/loop/host_model.hpp"

namespace clusterwright {

/// Causal attention softmax(Q K^T / sqrt(head size)) V for each head of each sequence; all scores are kept.
///
/// Tokens are rows, sequence after sequence. A row of `qkv` is (queries, keys, values), each of all heads.
template <class Scalar>
class CausalAttention {
 public:
  using View = MatrixView<Scalar>;
  using ConstView = MatrixView<const Scalar>;

  explicit CausalAttention(const HostModel& model);

  /// Number of a layer's probabilities: (sequences, heads, sequence, sequence).
  std::int64_t probability_count() const;

  /// @param out  (tokens, hidden)
  /// @param qkv  (tokens, 3 hidden)
  void forward(View out, Scalar* probabilities, ConstView qkv) const;
  /// Writes all of d_qkv.
  void backward(View d_qkv, ConstView d_out, const Scalar* probabilities, ConstView qkv);

 private:
  /// View of one head of one sequence: (sequence, head size), in rows of `matrix`; `which` is 0 for queries, 1 for
  /// keys, 2 for values.
  template <class Element>
  MatrixView<Element> part(MatrixView<Element> matrix, std::int64_t index, std::int64_t which) const;

  HostModel model_;
  Scalar scale_;
  std::vector<Scalar> gradient_;  ///< gradient of one head's scores
};

extern template class CausalAttention<float>;
extern template class CausalAttention<double>;

}  // namespace clusterwright
