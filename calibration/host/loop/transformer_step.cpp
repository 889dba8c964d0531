// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/transformer_step.hpp"

#include <algorithm>

#include "calibration/host/kernels/element_kernels.hpp"
#include "calibration/host/kernels/matrix_product.hpp"
#include "calibration/host/random_data.hpp"

namespace clusterwright {

namespace {

const HostModel& checked(const HostModel& model) {
  model.check();
  return model;
}

}  // namespace

TokenBatch random_tokens(const HostModel& model, std::int64_t first) {
  TokenBatch out;
  for (std::int64_t i = 0; i < model.sequences; ++i) {
    RandomWords words(static_cast<std::uint64_t>(first + i));
    const auto draw = [&] {
      return static_cast<std::int32_t>(words.below(static_cast<std::uint64_t>(model.vocabulary)));
    };
    std::int32_t token = draw();
    for (std::int64_t t = 0; t < model.sequence; ++t) {
      out.inputs.push_back(token);
      out.targets.push_back(token = draw());
    }
  }
  return out;
}

template <class Scalar>
TransformerStep<Scalar>::TransformerStep(const HostModel& model, PartClock& clock)
    : model_(checked(model)), clock_(clock), layout_(model), attention_(model) {
  const std::int64_t tokens = model.tokens(), hidden = model.hidden;
  const auto memory = [](std::int64_t count) { return std::vector<Scalar>(static_cast<std::size_t>(count)); };
  for (std::int64_t i = 0; i < model.layers; ++i) {
    Kept& kept = kept_.emplace_back();
    for (auto* narrow : {&kept.input, &kept.attention_norm, &kept.attended, &kept.middle, &kept.mlp_norm})
      *narrow = memory(tokens * hidden);
    kept.qkv = memory(tokens * 3 * hidden);
    kept.probabilities = memory(attention_.probability_count());
    for (auto* wide : {&kept.up, &kept.active}) *wide = memory(tokens * model.ffn);
    for (auto* column : {&kept.attention_inverse_rms, &kept.mlp_inverse_rms}) *column = memory(tokens);
  }
  for (auto* narrow : {&output_, &final_norm_, &d_stream_, &d_narrow_}) *narrow = memory(tokens * hidden);
  for (auto* wide : {&d_wide_, &d_wider_}) *wide = memory(tokens * std::max(model.ffn, 3 * hidden));
  final_inverse_rms_ = memory(tokens);
  logits_ = memory(tokens * model.vocabulary);
}

template <class Scalar>
MatrixView<Scalar> TransformerStep<Scalar>::stream(std::int64_t index) {
  return rows(index < model_.layers ? kept_[index].input : output_, model_.hidden);
}

template <class Scalar>
double TransformerStep<Scalar>::forward(const Scalar* parameters, const TokenBatch& batch) {
  using Kernels = ElementKernels<Scalar>;
  const std::int64_t hidden = model_.hidden, vocabulary = model_.vocabulary;
  clock_.enter(StepPart::elementwise);
  Kernels::gather(stream(0), ConstView(parameters + layout_.embedding, vocabulary, hidden), batch.inputs.data());
  for (std::int64_t i = 0; i < model_.layers; ++i) forward_layer(i, parameters);
  const View norm = rows(final_norm_, hidden), logits = rows(logits_, vocabulary);
  Kernels::rms_norm(norm, final_inverse_rms_.data(), rows(output_, hidden), parameters + layout_.final_norm);
  clock_.enter(StepPart::gemm_forward);
  MatrixProduct<Scalar>::plain(logits, norm, ConstView(parameters + layout_.head, hidden, vocabulary));
  clock_.enter(StepPart::elementwise);
  return Kernels::cross_entropy(logits, batch.targets.data());
}

template <class Scalar>
void TransformerStep<Scalar>::forward_layer(std::int64_t index, const Scalar* parameters) {
  const ParameterLayout::Layer& at = layout_.layers[index];
  const View middle = rows(kept_[index].middle, model_.hidden);
  forward_attention(kept_[index], at, middle, stream(index), parameters);
  forward_mlp(kept_[index], at, stream(index + 1), middle, parameters);
}

template <class Scalar>
void TransformerStep<Scalar>::forward_attention(Kept& kept, const ParameterLayout::Layer& at, View out, ConstView in,
                                                const Scalar* parameters) {
  using Product = MatrixProduct<Scalar>;
  const std::int64_t hidden = model_.hidden;
  const View norm = rows(kept.attention_norm, hidden), qkv = rows(kept.qkv, 3 * hidden);
  const View attended = rows(kept.attended, hidden);
  ElementKernels<Scalar>::rms_norm(norm, kept.attention_inverse_rms.data(), in, parameters + at.attention_norm);
  clock_.enter(StepPart::gemm_forward);
  Product::plain(qkv, norm, ConstView(parameters + at.qkv, hidden, 3 * hidden));
  clock_.enter(StepPart::attention);
  attention_.forward(attended, kept.probabilities.data(), qkv);
  clock_.enter(StepPart::elementwise);
  ElementKernels<Scalar>::copy(out, in);
  clock_.enter(StepPart::gemm_forward);
  Product::added(out, attended, ConstView(parameters + at.projection, hidden, hidden));
  clock_.enter(StepPart::elementwise);
}

template <class Scalar>
void TransformerStep<Scalar>::forward_mlp(Kept& kept, const ParameterLayout::Layer& at, View out, ConstView in,
                                          const Scalar* parameters) {
  using Product = MatrixProduct<Scalar>;
  const std::int64_t hidden = model_.hidden, ffn = model_.ffn;
  const View norm = rows(kept.mlp_norm, hidden), up = rows(kept.up, ffn), active = rows(kept.active, ffn);
  ElementKernels<Scalar>::rms_norm(norm, kept.mlp_inverse_rms.data(), in, parameters + at.mlp_norm);
  clock_.enter(StepPart::gemm_forward);
  Product::plain(up, norm, ConstView(parameters + at.up, hidden, ffn));
  clock_.enter(StepPart::elementwise);
  ElementKernels<Scalar>::gelu(active, up);
  ElementKernels<Scalar>::copy(out, in);
  clock_.enter(StepPart::gemm_forward);
  Product::added(out, active, ConstView(parameters + at.down, ffn, hidden));
  clock_.enter(StepPart::elementwise);
}

template <class Scalar>
void TransformerStep<Scalar>::backward(const Scalar* parameters, const TokenBatch& batch, Scalar* gradients) {
  using Kernels = ElementKernels<Scalar>;
  const std::int64_t hidden = model_.hidden;
  const View d_stream = rows(d_stream_, hidden), d_narrow = rows(d_narrow_, hidden);
  backward_linear(d_narrow, rows(final_norm_, hidden), rows(logits_, model_.vocabulary), layout_.head, parameters,
                  gradients);
  std::fill(d_stream_.begin(), d_stream_.end(), Scalar{0});
  Kernels::rms_norm_backward(d_stream, gradients + layout_.final_norm, d_narrow, rows(output_, hidden),
                             final_inverse_rms_.data(), parameters + layout_.final_norm);
  for (std::int64_t i = model_.layers - 1; i >= 0; --i) backward_layer(i, parameters, gradients);
  Kernels::gather_backward(View(gradients + layout_.embedding, model_.vocabulary, hidden), d_stream,
                           batch.inputs.data());
}

template <class Scalar>
void TransformerStep<Scalar>::backward_layer(std::int64_t index, const Scalar* parameters, Scalar* gradients) {
  using Kernels = ElementKernels<Scalar>;
  Kept& kept = kept_[index];
  const ParameterLayout::Layer& at = layout_.layers[index];
  const std::int64_t hidden = model_.hidden, ffn = model_.ffn;
  const View d_stream = rows(d_stream_, hidden), d_narrow = rows(d_narrow_, hidden);
  const View d_active = rows(d_wide_, ffn), d_up = rows(d_wider_, ffn), d_qkv = rows(d_wide_, 3 * hidden);

  backward_linear(d_active, rows(kept.active, ffn), d_stream, at.down, parameters, gradients);
  Kernels::gelu_backward(d_up, d_active, rows(kept.up, ffn));
  backward_linear(d_narrow, rows(kept.mlp_norm, hidden), d_up, at.up, parameters, gradients);
  Kernels::rms_norm_backward(d_stream, gradients + at.mlp_norm, d_narrow, rows(kept.middle, hidden),
                             kept.mlp_inverse_rms.data(), parameters + at.mlp_norm);

  backward_linear(d_narrow, rows(kept.attended, hidden), d_stream, at.projection, parameters, gradients);
  clock_.enter(StepPart::attention);
  attention_.backward(d_qkv, d_narrow, kept.probabilities.data(), rows(kept.qkv, 3 * hidden));
  backward_linear(d_narrow, rows(kept.attention_norm, hidden), d_qkv, at.qkv, parameters, gradients);
  Kernels::rms_norm_backward(d_stream, gradients + at.attention_norm, d_narrow, rows(kept.input, hidden),
                             kept.attention_inverse_rms.data(), parameters + at.attention_norm);
}

template <class Scalar>
void TransformerStep<Scalar>::backward_linear(View dx, ConstView x, ConstView dy, std::int64_t weight,
                                              const Scalar* parameters, Scalar* gradients) {
  clock_.enter(StepPart::gemm_backward);
  MatrixProduct<Scalar>::left_transposed(View(gradients + weight, x.columns, dy.columns), x, dy);
  MatrixProduct<Scalar>::right_transposed(dx, dy, ConstView(parameters + weight, x.columns, dy.columns));
  clock_.enter(StepPart::elementwise);
}

template class TransformerStep<float>;
template class TransformerStep<double>;

}  // namespace clusterwright
