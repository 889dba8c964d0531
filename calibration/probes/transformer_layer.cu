#include "transformer_layer.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright::probes {
namespace {

GemmShape gemm(std::int64_t m, std::int64_t n, std::int64_t k, GemmLayout layout) { return {m, n, k, layout, DataType::bf16}; }

std::size_t area(int rows, int width) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width); }

AttentionShape attention_of(const LayerShape& s) {
  AttentionShape out = packed_attention(s.batch, s.sequence, s.heads, s.kv_heads, s.head_dim, true);
  out.q_stride = out.kv_stride = s.qkv_width();   // q, k and v lie side by side in one row
  return out;
}

DeviceArray<float> zeros(std::size_t count, cudaStream_t stream) {
  DeviceArray<float> array(count);
  CHECK_CUDA(cudaMemsetAsync(array.data(), 0, array.bytes(), stream));
  return array;
}

}  // namespace

LayerShape layer_shape(const TransformerWidths& model, int tensor_split, int batch, int sequence) {
  const int kv_heads = std::max(model.kv_heads / tensor_split, 1);
  return {batch, sequence, model.hidden, model.ffn / tensor_split, model.heads / tensor_split, kv_heads, model.head_dim, model.gated};
}

/// Weights of variance 1 / in keep every activation near 1, as a trained layer does.
LinearLayer::LinearLayer(const LtHandle& handle, int tokens, int out, int in, std::uint64_t seed, cudaStream_t stream)
    : flops_(2.0 * tokens * out * in),
      weight_(random_bf16(area(out, in), seed, stream, 1.0f / std::sqrt(static_cast<float>(in)))),
      weight_gradient_(area(out, in)),
      forward_(handle, gemm(tokens, out, in, GemmLayout::forward)),
      input_gradient_(handle, gemm(tokens, in, out, GemmLayout::input_gradient)),
      weight_gradient_gemm_(handle, gemm(out, in, tokens, GemmLayout::weight_gradient)) {}

void LinearLayer::backward(const Bf16* x, const Bf16* dy, Bf16* dx, cudaStream_t stream) const {
  input_gradient_.enqueue(weight_.data(), dy, dx, stream);
  weight_gradient_gemm_.enqueue(x, dy, weight_gradient_.data(), stream);
}

TransformerLayer::TransformerLayer(const LtHandle& handle, const LayerShape& s, std::uint64_t seed, cudaStream_t stream)
    : shape_(s),
      attention_(attention_of(s)),
      fill_stream_(stream),
      qkv_(handle, s.tokens(), s.qkv_width(), s.hidden, seed + 1, stream),
      attention_out_(handle, s.tokens(), s.hidden, s.attention_width(), seed + 2, stream),
      up_(handle, s.tokens(), s.up_width(), s.hidden, seed + 3, stream),
      down_(handle, s.tokens(), s.hidden, s.ffn, seed + 4, stream),
      inverse_rms1_(area(s.tokens(), 1)), inverse_rms2_(area(s.tokens(), 1)),
      norm1_gradient_(zeros(area(1, s.hidden), stream)), norm2_gradient_(zeros(area(1, s.hidden), stream)),
      log_sum_(area(s.tokens(), s.heads)), row_dot_(area(s.tokens(), s.heads)), dq_fp32_(area(s.tokens(), s.attention_width())) {
  for (Bf16** rows : {&x_, &normed1_, &projected_, &residual_, &normed2_, &y_, &dy_, &dnormed_, &dresidual_, &dx_}) *rows = row_buffer(s.hidden, seed += 7);
  for (Bf16** rows : {&norm1_weight_, &norm2_weight_}) *rows = row_buffer(s.hidden, seed += 7);   // only the first row is used
  for (Bf16** rows : {&qkv_rows_, &dqkv_}) *rows = row_buffer(s.qkv_width(), seed += 7);
  for (Bf16** rows : {&attended_, &dattended_}) *rows = row_buffer(s.attention_width(), seed += 7);
  for (Bf16** rows : {&up_rows_, &dup_}) *rows = row_buffer(s.up_width(), seed += 7);
  for (Bf16** rows : {&activated_, &dactivated_}) *rows = row_buffer(s.ffn, seed += 7);
}

Bf16* TransformerLayer::row_buffer(int width, std::uint64_t seed) {
  memory_.push_back(random_bf16(area(shape_.tokens(), width), seed, fill_stream_));
  return memory_.back().data();
}

AttentionForward TransformerLayer::attention_forward() const {
  const Bf16* k = qkv_rows_ + shape_.attention_width();
  return {qkv_rows_, k, k + shape_.kv_heads * shape_.head_dim, attended_, log_sum_.data()};
}

void TransformerLayer::forward(cudaStream_t stream) const {
  const LayerShape& s = shape_;
  const std::int64_t count = std::int64_t{s.tokens()} * s.hidden;
  enqueue_rms_norm(x_, norm1_weight_, normed1_, inverse_rms1_.data(), s.tokens(), s.hidden, stream);
  qkv_.forward(normed1_, qkv_rows_, stream);
  enqueue_rotary(qkv_rows_, s.tokens(), s.sequence, s.heads + s.kv_heads, s.head_dim, s.qkv_width(), 1, stream);
  enqueue_attention(attention_, attention_forward(), stream);
  attention_out_.forward(attended_, projected_, stream);
  enqueue_add(x_, projected_, residual_, count, stream);
  enqueue_rms_norm(residual_, norm2_weight_, normed2_, inverse_rms2_.data(), s.tokens(), s.hidden, stream);
  up_.forward(normed2_, up_rows_, stream);
  if (s.gated) {
    enqueue_swiglu(up_rows_, activated_, s.tokens(), s.ffn, stream);
  } else {
    enqueue_gelu(up_rows_, activated_, std::int64_t{s.tokens()} * s.ffn, stream);
  }
  down_.forward(activated_, projected_, stream);
  enqueue_add(residual_, projected_, y_, count, stream);
}

void TransformerLayer::backward(cudaStream_t stream) const {
  const LayerShape& s = shape_;
  const std::int64_t count = std::int64_t{s.tokens()} * s.hidden;
  down_.backward(activated_, dy_, dactivated_, stream);
  if (s.gated) {
    enqueue_swiglu_backward(up_rows_, dactivated_, dup_, s.tokens(), s.ffn, stream);
  } else {
    enqueue_gelu_backward(up_rows_, dactivated_, dup_, std::int64_t{s.tokens()} * s.ffn, stream);
  }
  up_.backward(normed2_, dup_, dnormed_, stream);
  enqueue_rms_norm_backward(residual_, norm2_weight_, inverse_rms2_.data(), dnormed_, dresidual_, norm2_gradient_.data(), s.tokens(), s.hidden, stream);
  enqueue_add(dresidual_, dy_, dresidual_, count, stream);
  attention_out_.backward(attended_, dresidual_, dattended_, stream);
  Bf16* dk = dqkv_ + s.attention_width();
  enqueue_attention_backward(attention_, {attention_forward(), dattended_, row_dot_.data(), dq_fp32_.data(), dqkv_, dk, dk + s.kv_heads * s.head_dim}, stream);
  enqueue_rotary(dqkv_, s.tokens(), s.sequence, s.heads + s.kv_heads, s.head_dim, s.qkv_width(), -1, stream);
  qkv_.backward(normed1_, dqkv_, dnormed_, stream);
  enqueue_rms_norm_backward(x_, norm1_weight_, inverse_rms1_.data(), dnormed_, dx_, norm1_gradient_.data(), s.tokens(), s.hidden, stream);
  enqueue_add(dx_, dresidual_, dx_, count, stream);
}

double TransformerLayer::forward_flops() const {
  double flops = attention_.forward_flops();
  for (const LinearLayer* linear : {&qkv_, &attention_out_, &up_, &down_}) flops += linear->forward_flops();
  return flops;
}

double TransformerLayer::backward_flops() const {
  return 2 * (forward_flops() - attention_.forward_flops()) + attention_.backward_flops();
}

}  // namespace clusterwright::probes
