// SPDX-License-Identifier: Apache-2.0
/// Forward and backward pass of the host's model.
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/host/kernels/matrix_view.hpp"
#include "calibration/host/loop/causal_attention.hpp"
#include "calibration/host/loop/host_model.hpp"
#include "calibration/host/loop/part_clock.hpp"

namespace clusterwright {

/// Tokens of a batch: inputs, and the targets that follow them; below the vocabulary, sequence after sequence.
struct TokenBatch {
  std::vector<std::int32_t> inputs, targets;  ///< HostModel::tokens() each
};

/// Random tokens; equal arguments give equal tokens.
/// @param first  index of the first sequence: batches (0, 2n) and (0, n), (n, n) hold the same sequences
TokenBatch random_tokens(const HostModel& model, std::int64_t first);

/// Forward and backward pass of one batch. Its memory is allocated when it is built; in a step only Eigen allocates, to
/// pack operands above 128 KiB, and from the second step on it gets pages that exist.
///
/// For float, and for double so that gradients can be checked closely.
template <class Scalar>
class TransformerStep {
 public:
  /// @param clock  receives the begin of each part; must be running whenever this is called, and must outlive this
  /// @throws std::invalid_argument as HostModel::check
  TransformerStep(const HostModel& model, PartClock& clock);

  const ParameterLayout& layout() const { return layout_; }

  /// @param parameters  as `layout()`
  /// @return mean loss of the batch's tokens, in nats
  double forward(const Scalar* parameters, const TokenBatch& batch);
  /// Backward pass of the last `forward`, once and with the same arguments. @param gradients  as `layout()`; all are
  /// written
  void backward(const Scalar* parameters, const TokenBatch& batch, Scalar* gradients);

 private:
  using View = MatrixView<Scalar>;
  using ConstView = MatrixView<const Scalar>;

  /// Values that a layer keeps for its backward pass; one row per token.
  struct Kept {
    std::vector<Scalar> input, attention_norm, qkv, probabilities, attended, middle, mlp_norm, up, active;
    std::vector<Scalar> attention_inverse_rms, mlp_inverse_rms;
  };

  void forward_layer(std::int64_t index, const Scalar* parameters);
  void forward_attention(Kept& kept, const ParameterLayout::Layer& at, View out, ConstView in,
                         const Scalar* parameters);
  void forward_mlp(Kept& kept, const ParameterLayout::Layer& at, View out, ConstView in, const Scalar* parameters);
  void backward_layer(std::int64_t index, const Scalar* parameters, Scalar* gradients);
  /// Gradients of y = x W with W (x's width, dy's width) at `weight` in the arrays.
  void backward_linear(View dx, ConstView x, ConstView dy, std::int64_t weight, const Scalar* parameters,
                       Scalar* gradients);
  /// Input of layer `index`, which is the output of layer `index - 1`; also the output of the last layer.
  View stream(std::int64_t index);
  View rows(std::vector<Scalar>& memory, std::int64_t width) const { return {memory.data(), model_.tokens(), width}; }

  HostModel model_;
  PartClock& clock_;
  ParameterLayout layout_;
  CausalAttention<Scalar> attention_;
  std::vector<Kept> kept_;
  std::vector<Scalar> output_, final_norm_, final_inverse_rms_, logits_;
  std::vector<Scalar> d_stream_, d_narrow_, d_wide_, d_wider_;
};

extern template class TransformerStep<float>;
extern template class TransformerStep<double>;

}  // namespace clusterwright
