// SPDX-License-Identifier: Apache-2.0
#pragma once
// One rank's part of a pre-norm transformer layer, forward and backward, from cuBLASLt multiplies and our kernels.
// No communication: at a tensor split above 1 the two all-reduces are left out, as the sample says.

#include <cstdint>
#include <vector>

#include "attention.hpp"
#include "gemm_shapes.hpp"
#include "layer_kernels.hpp"
#include "parameters.hpp"

namespace clusterwright::probes {

struct LayerShape {
  int batch, sequence;
  int hidden, ffn, heads, kv_heads, head_dim;  // of this rank
  bool gated;

  int tokens() const { return batch * sequence; }
  int attention_width() const { return heads * head_dim; }
  int qkv_width() const { return (heads + 2 * kv_heads) * head_dim; }
  int up_width() const { return (gated ? 2 : 1) * ffn; }
  std::vector<std::size_t> parameter_counts() const;
};

LayerShape layer_shape(const TransformerWidths& model, int tensor_split, int batch, int sequence);

/// y = x W^T with its two gradients.
class LinearLayer {
 public:
  /// Takes its weight from the arena and fills it with variance 1 / in, which keeps activations near 1.
  LinearLayer(const LtHandle& handle, int tokens, int out, int in, ParameterArena& arena, std::uint64_t seed,
              cudaStream_t stream);

  void forward(const Bf16* x, Bf16* y, cudaStream_t stream) const { forward_.enqueue(parameter_.weight, x, y, stream); }
  void backward(const Bf16* x, const Bf16* dy, Bf16* dx, cudaStream_t stream) const;
  double forward_flops() const { return flops_; }
  const Parameter& parameter() const { return parameter_; }

 private:
  double flops_;
  Parameter parameter_;
  LtGemm forward_, input_gradient_, weight_gradient_;
};

class TransformerLayer {
 public:
  /// The arena has room for `shape.parameter_counts()` and outlives the layer, as the handle does.
  TransformerLayer(const LtHandle& handle, const LayerShape& shape, ParameterArena& arena, std::uint64_t seed,
                   cudaStream_t stream);

  /// x, dy [tokens, hidden]; the results stay valid until the next call. `backward` reads what `forward` kept of the
  /// same x.
  const Bf16* forward(const Bf16* x, cudaStream_t stream) const;
  const Bf16* backward(const Bf16* x, const Bf16* dy, cudaStream_t stream) const;

  const Bf16* output() const { return y_; }

  double forward_flops() const;
  double backward_flops() const;

  /// In the order of `LayerShape::parameter_counts`: qkv, attention out, up, down, both norms.
  std::vector<Parameter> parameters() const;

  static constexpr int forward_operations = 12, backward_operations = 24;  // at most, in the stream's queue

 private:
  Bf16* rows(int width);
  AttentionForward attention_forward() const;
  void norm_backward(int which, const Bf16* x, Bf16* dx, cudaStream_t stream) const;

  LayerShape shape_;
  AttentionShape attention_;
  LinearLayer qkv_, attention_out_, up_, down_;
  Parameter norms_;                        // [2, hidden]
  std::vector<DeviceArray<Bf16>> memory_;  // owns every Bf16* below
  DeviceArray<float> inverse_rms_, norm_gradients_, log_sum_, row_dot_, dq_fp32_;
  Bf16 *normed1_, *qkv_rows_, *attended_, *projected_, *residual_, *normed2_, *up_rows_, *activated_, *y_;
  Bf16 *dactivated_, *dup_, *dnormed_, *dresidual_, *dattended_, *dqkv_, *dx_;
};

}  // namespace clusterwright::probes
