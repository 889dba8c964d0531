// SPDX-License-Identifier: Apache-2.0
#include "transformer_model.hpp"

#include <cmath>
#include <numeric>
#include <string>

#include "host_check.hpp"

namespace clusterwright::probes {
namespace {

std::size_t area(int rows, int width) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
}

/// In the order in which the model takes them: embedding, last norm, layers, head.
std::vector<std::size_t> parameter_counts(const ModelShape& s) {
  std::vector<std::size_t> out = {area(s.vocabulary, s.layer.hidden), area(1, s.layer.hidden)};
  for (int i = 0; i < s.layers; ++i) {
    for (const std::size_t count : s.layer.parameter_counts()) out.push_back(count);
  }
  out.push_back(area(s.vocabulary, s.layer.hidden));
  return out;
}

std::vector<std::unique_ptr<TransformerLayer>> make_layers(const LtHandle& handle, const ModelShape& s,
                                                           ParameterArena& arena, std::uint64_t seed,
                                                           cudaStream_t stream) {
  std::vector<std::unique_ptr<TransformerLayer>> out;
  for (int i = 0; i < s.layers; ++i) {
    out.push_back(std::make_unique<TransformerLayer>(handle, s.layer, arena, seed + 100 * (i + 1), stream));
  }
  return out;
}

/// Every id below `vocabulary`, in an order that has no pattern.
std::vector<int> scattered_ids(int count, int vocabulary, std::uint64_t seed) {
  std::vector<int> out;
  for (int i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    out.push_back(static_cast<int>((seed >> 33) % static_cast<std::uint64_t>(vocabulary)));
  }
  return out;
}

}  // namespace

TransformerModel::TransformerModel(const LtHandle& handle, const ModelShape& s, std::uint64_t seed, cudaStream_t stream)
    : shape_(s),
      arena_(parameter_counts(s), stream),
      embedding_(arena_.take(area(s.vocabulary, s.layer.hidden))),
      norm_(arena_.take(area(1, s.layer.hidden))),
      layers_(make_layers(handle, s, arena_, seed, stream)),
      head_(handle, s.layer.tokens(), s.vocabulary, s.layer.hidden, arena_, seed + 1, stream),
      weight_fp32_(arena_.count()),
      first_moment_(arena_.count()),
      second_moment_(arena_.count()),
      loss_(area(s.layer.tokens(), 1)),
      inverse_rms_(area(s.layer.tokens(), 1)),
      norm_gradient_(area(1, s.layer.hidden)),
      embedded_(area(s.layer.tokens(), s.layer.hidden)),
      normed_(embedded_.count()),
      logits_(area(s.layer.tokens(), s.vocabulary)),
      dnormed_(embedded_.count()),
      dlast_(embedded_.count()),
      tokens_(scattered_ids(s.layer.tokens(), s.vocabulary, seed)),
      targets_(scattered_ids(s.layer.tokens(), s.vocabulary, seed + 1)) {
  fill(embedding_.weight, DataType::bf16, area(s.vocabulary, s.layer.hidden), Contents::random, seed + 2, stream);
  fill(norm_.weight, DataType::bf16, area(1, s.layer.hidden), Contents::random, seed + 3, stream, 0.1f, 1);
  enqueue_widen(arena_.weights(), weight_fp32_.data(), static_cast<std::int64_t>(arena_.count()), stream);
  for (const auto* moment : {&first_moment_, &second_moment_}) {
    CHECK_CUDA(cudaMemsetAsync(moment->data(), 0, moment->bytes(), stream));
  }
}

/// Returns the last layer's output; the logits become their gradient.
const Bf16* TransformerModel::forward(cudaStream_t stream) const {
  const LayerShape& s = shape_.layer;
  enqueue_embedding(embedding_.weight, tokens_.data(), embedded_.data(), s.tokens(), s.hidden, stream);
  const Bf16* x = embedded_.data();
  for (const auto& layer : layers_) x = layer->forward(x, stream);
  enqueue_rms_norm(x, norm_.weight, normed_.data(), inverse_rms_.data(), s.tokens(), s.hidden, stream);
  head_.forward(normed_.data(), logits_.data(), stream);
  enqueue_cross_entropy(logits_.data(), targets_.data(), loss_.data(), s.tokens(), shape_.vocabulary, stream);
  return x;
}

void TransformerModel::backward(const Bf16* last, cudaStream_t stream) const {
  const LayerShape& s = shape_.layer;
  CHECK_CUDA(cudaMemsetAsync(norm_gradient_.data(), 0, norm_gradient_.bytes(), stream));
  CHECK_CUDA(cudaMemsetAsync(embedding_.gradient, 0, area(shape_.vocabulary, s.hidden) * sizeof(Bf16), stream));
  head_.backward(normed_.data(), logits_.data(), dnormed_.data(), stream);
  enqueue_rms_norm_backward(last, norm_.weight, inverse_rms_.data(), dnormed_.data(), dlast_.data(),
                            norm_gradient_.data(), s.tokens(), s.hidden, stream);
  enqueue_round(norm_gradient_.data(), norm_.gradient, s.hidden, stream);
  const Bf16* dx = dlast_.data();
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Bf16* x = i == 0 ? embedded_.data() : layers_[i - 1]->output();
    dx = layers_[i]->backward(x, dx, stream);
  }
  enqueue_embedding_backward(dx, tokens_.data(), embedding_.gradient, s.tokens(), s.hidden, stream);
}

void TransformerModel::step(const AdamStep& adam, cudaStream_t stream) const {
  backward(forward(stream), stream);
  enqueue_adam({weight_fp32_.data(), first_moment_.data(), second_moment_.data(), arena_.gradients(), arena_.weights()},
               static_cast<std::int64_t>(arena_.count()), adam, stream);
}

double TransformerModel::loss() const {
  const Numbers losses = numbers(loss_);
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

double TransformerModel::flops() const {
  double flops = 3 * head_.forward_flops();
  for (const auto& layer : layers_) flops += layer->forward_flops() + layer->backward_flops();
  return flops;
}

double TransformerModel::parameters() const {
  double sum = 0;
  for (const std::size_t count : parameter_counts(shape_)) sum += static_cast<double>(count);
  return sum;
}

int TransformerModel::operations() const {
  constexpr int outside_layers = 12;
  return outside_layers +
         shape_.layers * (TransformerLayer::forward_operations + TransformerLayer::backward_operations);
}

void check_transformer_model(const LtHandle& handle, cudaStream_t stream) {
  const ModelShape shape{"check", 2, 512, {1, 128, 128, 192, 2, 1, 64, true}};
  const TransformerModel model(handle, shape, 5, stream);
  double first = 0, last = 0;
  for (int number = 1; number <= 20; ++number) {
    model.step({number, 1e-3f}, stream);
    CHECK_CUDA(cudaStreamSynchronize(stream));
    last = model.loss();
    if (number == 1) first = last;
  }
  // Some 6.7 at first, close to the logarithm of the vocabulary; 128 tokens are soon known by heart.
  if (last < 0.5 * first) return;
  throw SampleFailed("model check: the loss went from " + std::to_string(first) + " to " + std::to_string(last));
}

}  // namespace clusterwright::probes
