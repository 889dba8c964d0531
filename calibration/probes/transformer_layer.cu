// SPDX-License-Identifier: Apache-2.0
#include "transformer_layer.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright::probes {
namespace {

GemmShape gemm(std::int64_t m, std::int64_t n, std::int64_t k, GemmLayout layout) {
  return {m, n, k, layout, DataType::bf16};
}

std::size_t area(int rows, int width) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
}

Parameter random_parameter(ParameterArena& arena, std::size_t count, float mean, float deviation, std::uint64_t seed,
                           cudaStream_t stream) {
  const Parameter out = arena.take(count);
  fill(out.weight, DataType::bf16, count, Contents::random, seed, stream, deviation, mean);
  return out;
}

}  // namespace

std::vector<std::size_t> LayerShape::parameter_counts() const {
  return {area(qkv_width(), hidden), area(hidden, attention_width()), area(up_width(), hidden), area(hidden, ffn),
          area(2, hidden)};
}

LayerShape layer_shape(const TransformerWidths& model, int tensor_split, int batch, int sequence) {
  const int kv_heads = std::max(model.kv_heads / tensor_split, 1);
  return {batch,    sequence,       model.hidden, model.ffn / tensor_split, model.heads / tensor_split,
          kv_heads, model.head_dim, model.gated};
}

LinearLayer::LinearLayer(const LtHandle& handle, int tokens, int out, int in, ParameterArena& arena, std::uint64_t seed,
                         cudaStream_t stream)
    : flops_(2.0 * tokens * out * in),
      parameter_(random_parameter(arena, area(out, in), 0, 1.0f / std::sqrt(static_cast<float>(in)), seed, stream)),
      forward_(handle, gemm(tokens, out, in, GemmLayout::forward)),
      input_gradient_(handle, gemm(tokens, in, out, GemmLayout::input_gradient)),
      weight_gradient_(handle, gemm(out, in, tokens, GemmLayout::weight_gradient)) {}

void LinearLayer::backward(const Bf16* x, const Bf16* dy, Bf16* dx, cudaStream_t stream) const {
  input_gradient_.enqueue(parameter_.weight, dy, dx, stream);
  weight_gradient_.enqueue(x, dy, parameter_.gradient, stream);
}

TransformerLayer::TransformerLayer(const LtHandle& handle, const LayerShape& s, ParameterArena& arena,
                                   std::uint64_t seed, cudaStream_t stream)
    : shape_(s),
      attention_(fused_attention(s.batch, s.sequence, s.heads, s.kv_heads, s.head_dim, true)),
      qkv_(handle, s.tokens(), s.qkv_width(), s.hidden, arena, seed + 1, stream),
      attention_out_(handle, s.tokens(), s.hidden, s.attention_width(), arena, seed + 2, stream),
      up_(handle, s.tokens(), s.up_width(), s.hidden, arena, seed + 3, stream),
      down_(handle, s.tokens(), s.hidden, s.ffn, arena, seed + 4, stream),
      norms_(random_parameter(arena, area(2, s.hidden), 1, 0.1f, seed + 5, stream)),
      inverse_rms_(area(2, s.tokens())),
      norm_gradients_(area(2, s.hidden)),
      log_sum_(area(s.tokens(), s.heads)),
      row_dot_(area(s.tokens(), s.heads)),
      dq_fp32_(area(s.tokens(), s.attention_width())) {
  for (Bf16** of : {&normed1_, &projected_, &residual_, &normed2_, &y_, &dnormed_, &dresidual_, &dx_})
    *of = rows(s.hidden);
  for (Bf16** of : {&qkv_rows_, &dqkv_}) *of = rows(s.qkv_width());
  for (Bf16** of : {&attended_, &dattended_}) *of = rows(s.attention_width());
  for (Bf16** of : {&up_rows_, &dup_}) *of = rows(s.up_width());
  for (Bf16** of : {&activated_, &dactivated_}) *of = rows(s.ffn);
}

Bf16* TransformerLayer::rows(int width) {
  memory_.emplace_back(area(shape_.tokens(), width));
  return memory_.back().data();
}

AttentionForward TransformerLayer::attention_forward() const {
  const Bf16* k = qkv_rows_ + shape_.attention_width();
  return {qkv_rows_, k, k + shape_.kv_heads * shape_.head_dim, attended_, log_sum_.data()};
}

const Bf16* TransformerLayer::forward(const Bf16* x, cudaStream_t stream) const {
  const LayerShape& s = shape_;
  const std::int64_t count = std::int64_t{s.tokens()} * s.hidden;
  float* inverse_rms = inverse_rms_.data();
  enqueue_rms_norm(x, norms_.weight, normed1_, inverse_rms, s.tokens(), s.hidden, stream);
  qkv_.forward(normed1_, qkv_rows_, stream);
  enqueue_rotary(qkv_rows_, s.tokens(), s.sequence, s.heads + s.kv_heads, s.head_dim, s.qkv_width(), 1, stream);
  enqueue_attention(attention_, attention_forward(), stream);
  attention_out_.forward(attended_, projected_, stream);
  enqueue_add(x, projected_, residual_, count, stream);
  enqueue_rms_norm(residual_, norms_.weight + s.hidden, normed2_, inverse_rms + s.tokens(), s.tokens(), s.hidden,
                   stream);
  up_.forward(normed2_, up_rows_, stream);
  if (s.gated) {
    enqueue_swiglu(up_rows_, activated_, s.tokens(), s.ffn, stream);
  } else {
    enqueue_gelu(up_rows_, activated_, std::int64_t{s.tokens()} * s.ffn, stream);
  }
  down_.forward(activated_, projected_, stream);
  enqueue_add(residual_, projected_, y_, count, stream);
  return y_;
}

/// From dnormed_ to `dx`; the weight's gradient is added to in fp32.
void TransformerLayer::norm_backward(int which, const Bf16* x, Bf16* dx, cudaStream_t stream) const {
  const int tokens = shape_.tokens(), hidden = shape_.hidden;
  enqueue_rms_norm_backward(x, norms_.weight + which * hidden, inverse_rms_.data() + which * tokens, dnormed_, dx,
                            norm_gradients_.data() + which * hidden, tokens, hidden, stream);
}

const Bf16* TransformerLayer::backward(const Bf16* x, const Bf16* dy, cudaStream_t stream) const {
  const LayerShape& s = shape_;
  const std::int64_t count = std::int64_t{s.tokens()} * s.hidden;
  CHECK_CUDA(cudaMemsetAsync(norm_gradients_.data(), 0, norm_gradients_.bytes(), stream));
  down_.backward(activated_, dy, dactivated_, stream);
  if (s.gated) {
    enqueue_swiglu_backward(up_rows_, dactivated_, dup_, s.tokens(), s.ffn, stream);
  } else {
    enqueue_gelu_backward(up_rows_, dactivated_, dup_, std::int64_t{s.tokens()} * s.ffn, stream);
  }
  up_.backward(normed2_, dup_, dnormed_, stream);
  norm_backward(1, residual_, dresidual_, stream);
  enqueue_add(dresidual_, dy, dresidual_, count, stream);
  attention_out_.backward(attended_, dresidual_, dattended_, stream);
  Bf16* dk = dqkv_ + s.attention_width();
  Bf16* dv = dk + s.kv_heads * s.head_dim;
  enqueue_attention_backward(
      attention_, {attention_forward(), dattended_, row_dot_.data(), dq_fp32_.data(), dqkv_, dk, dv}, stream);
  enqueue_rotary(dqkv_, s.tokens(), s.sequence, s.heads + s.kv_heads, s.head_dim, s.qkv_width(), -1, stream);
  qkv_.backward(normed1_, dqkv_, dnormed_, stream);
  norm_backward(0, x, dx_, stream);
  enqueue_add(dx_, dresidual_, dx_, count, stream);
  enqueue_round(norm_gradients_.data(), norms_.gradient, 2 * s.hidden, stream);
  return dx_;
}

double TransformerLayer::forward_flops() const {
  double flops = attention_.forward_flops();
  for (const LinearLayer* linear : {&qkv_, &attention_out_, &up_, &down_}) flops += linear->forward_flops();
  return flops;
}

double TransformerLayer::backward_flops() const {
  return 2 * (forward_flops() - attention_.forward_flops()) + attention_.backward_flops();
}

std::vector<Parameter> TransformerLayer::parameters() const {
  return {qkv_.parameter(), attention_out_.parameter(), up_.parameter(), down_.parameter(), norms_};
}

}  // namespace clusterwright::probes
