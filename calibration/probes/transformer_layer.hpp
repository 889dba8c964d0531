#pragma once
// One rank's part of a pre-norm transformer layer, forward and backward, from cuBLASLt multiplies and our kernels.
// No communication: at a tensor split above 1 the two all-reduces are left out, as the sample says.

#include <cstdint>
#include <memory>

#include "attention.hpp"
#include "gemm_shapes.hpp"
#include "layer_kernels.hpp"

namespace clusterwright::probes {

struct LayerShape {
  int batch, sequence;
  int hidden, ffn, heads, kv_heads, head_dim;   // of this rank
  bool gated;

  int tokens() const { return batch * sequence; }
  int attention_width() const { return heads * head_dim; }
  int qkv_width() const { return (heads + 2 * kv_heads) * head_dim; }
  int up_width() const { return (gated ? 2 : 1) * ffn; }
};

LayerShape layer_shape(const TransformerWidths& model, int tensor_split, int batch, int sequence);

/// y = x W^T with its two gradients.
class LinearLayer {
 public:
  LinearLayer(const LtHandle& handle, int tokens, int out, int in, std::uint64_t seed, cudaStream_t stream);

  void forward(const Bf16* x, Bf16* y, cudaStream_t stream) const { forward_.enqueue(weight_.data(), x, y, stream); }
  void backward(const Bf16* x, const Bf16* dy, Bf16* dx, cudaStream_t stream) const;
  double forward_flops() const { return flops_; }

 private:
  double flops_;
  DeviceArray<Bf16> weight_, weight_gradient_;
  LtGemm forward_, input_gradient_, weight_gradient_gemm_;
};

class TransformerLayer {
 public:
  TransformerLayer(const LtHandle& handle, const LayerShape& shape, std::uint64_t seed, cudaStream_t stream);

  void forward(cudaStream_t stream) const;
  void backward(cudaStream_t stream) const;   // reads what forward kept

  double forward_flops() const;
  double backward_flops() const;

 private:
  Bf16* row_buffer(int width, std::uint64_t seed);
  AttentionForward attention_forward() const;

  LayerShape shape_;
  AttentionShape attention_;
  cudaStream_t fill_stream_;
  LinearLayer qkv_, attention_out_, up_, down_;
  std::vector<DeviceArray<Bf16>> memory_;   // owns every Bf16* below
  DeviceArray<float> inverse_rms1_, inverse_rms2_, norm1_gradient_, norm2_gradient_, log_sum_, row_dot_, dq_fp32_;
  Bf16 *norm1_weight_, *norm2_weight_;
  Bf16 *x_, *normed1_, *qkv_rows_, *attended_, *projected_, *residual_, *normed2_, *up_rows_, *activated_, *y_;
  Bf16 *dy_, *dactivated_, *dup_, *dnormed_, *dresidual_, *dattended_, *dqkv_, *dx_;
};

}  // namespace clusterwright::probes
