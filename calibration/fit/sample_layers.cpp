#include "calibration/fit/sample_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibration/sample_files/sample_statistics.hpp"
#include "models/kernels/attention_time.hpp"
#include "models/kernels/gemm_time.hpp"
#include "models/kernels/streaming_time.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

namespace {

constexpr Bytes narrow = 2 * byte;  // activations, weights and gradients
constexpr double bytes_of_update =
    28;                         // per parameter: fp32 weight and moments read and written, bf16 gradient and copy
constexpr double limit = 0.05;  // of the median: pieces that add up

/// Adds up the launches of one rank's step, one after the other.
class LaunchSum {
 public:
  LaunchSum(const ProbeWhat& what, const AcceleratorPart& part, const ParameterSet& set)
      : what_(what), part_(part), set_(set), tokens_(what.batch * what.sequence) {}

  void layer(bool backward) {
    const std::int64_t width = head_width(), attended = what_.heads * width;
    const std::int64_t fused = (what_.heads + 2 * what_.kv_heads) * width, up = (what_.gated ? 2 : 1) * what_.ffn;
    const double hidden = values(what_.hidden), rotated = values((what_.heads + what_.kv_heads) * width);
    norm_and_residual(hidden, backward);
    linear(fused, what_.hidden, backward);
    stream(2 * rotated);
    attention(true);
    linear(what_.hidden, attended, backward);
    norm_and_residual(hidden, backward);
    linear(up, what_.hidden, backward);
    stream(values(up + what_.ffn));
    linear(what_.hidden, what_.ffn, backward);
    if (!backward) return;
    stream(2 * rotated);
    attention(false);
    stream(values(2 * up + what_.ffn));
  }

  /// Embedding, final norm, head, loss, update.
  void around_layers() {
    const double hidden = values(what_.hidden), logits = values(what_.vocabulary);
    stream(2 * hidden);
    stream(2 * hidden);
    linear(what_.vocabulary, what_.hidden, true);
    stream(2 * logits);
    stream(3 * hidden);
    stream(values_of(static_cast<double>(what_.vocabulary * what_.hidden)) + 2 * hidden);
    stream(bytes_of_update * static_cast<double>(what_.parameters));
  }

  Seconds time() const { return time_; }

 private:
  std::int64_t head_width() const { return what_.head_width; }
  double values_of(double count) const { return count * narrow.in(byte); }
  double values(std::int64_t columns) const { return values_of(static_cast<double>(tokens_ * columns)); }

  void add(Seconds time) { time_ += time + set_.step.kernel_gap.value; }

  void multiply(std::int64_t m, std::int64_t n, std::int64_t k) {
    const GemmDevice device{peak(part_, NumberFormat::bf16), part_.memory_bandwidth.value,
                            part_.multiprocessors ? part_.multiprocessors->value : 0, power_density(part_)};
    // The gap stands for what a call costs beyond its kernel.
    add(gemm_cost({m, n, k}, device, set_.gemm.at("bf16"), narrow, narrow, 1).time);
  }

  /// y = x W^T, and both gradients.
  void linear(std::int64_t out, std::int64_t in, bool backward) {
    multiply(tokens_, out, in);
    if (!backward) return;
    multiply(tokens_, in, out);
    multiply(out, in, tokens_);
  }

  void stream(double bytes) {
    const MemoryParameters& memory = set_.memory;
    add(streaming_time(bytes * byte, usual_writes, part_.memory_bandwidth.value, memory));
  }

  void norm_and_residual(double hidden, bool backward) {
    stream(2 * hidden);
    stream(3 * hidden);
    if (!backward) return;
    stream(3 * hidden);
    stream(3 * hidden);
  }

  void attention(bool forward) {
    AttentionShape shape;
    shape.sequences = static_cast<double>(what_.batch);
    shape.queries = shape.keys = static_cast<double>(what_.sequence);
    shape.share = what_.causal ? 0.5 : 1;
    shape.heads = static_cast<double>(what_.heads);
    shape.head_width = static_cast<double>(head_width());
    shape.forward = forward;
    const BytesPerSecond traffic = streaming_rate(usual_writes, part_.memory_bandwidth.value, set_.memory);
    add(attention_cost(shape, set_.attention.at(what_.attention), peak(part_, NumberFormat::bf16), traffic).time());
  }

  const ProbeWhat& what_;
  const AcceleratorPart& part_;
  const ParameterSet& set_;
  std::int64_t tokens_;
  Seconds time_;
};

bool can_be_predicted(const ProbeSample& sample, const ParameterSet& set) {
  return !sample.repetitions.empty() && sample.what.dtype == "bf16" && set.gemm.contains("bf16") &&
         set.attention.contains(sample.what.attention);
}

std::string words_of(const ProbeWhat& what) {
  std::string text = fmt::format("{} {}, {} x {} tokens", what.model, what.pass, what.batch, what.sequence);
  if (what.tensor_split > 1) text += fmt::format(", split {}", what.tensor_split);
  if (what.layers > 0) text += fmt::format(", {} layers{}", what.layers, what.graph ? ", a graph" : "");
  return text;
}

}  // namespace

Seconds predicted_layers(const ProbeSample& sample, const AcceleratorPart& part, const ParameterSet& set) {
  LaunchSum sum(sample.what, part, set);
  if (sample.probe == "layer") {
    sum.layer(sample.what.pass != "forward");
    return sum.time();
  }
  for (std::int64_t i = 0; i < sample.what.layers; ++i) sum.layer(true);
  sum.around_layers();
  return sum.time();
}

std::vector<SectionFit> check_layers(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                     const ParameterSet& set) {
  std::vector<SectionFit> out;
  if (peak(part, NumberFormat::bf16) <= FlopsPerSecond{}) return out;
  for (const char* probe : {"layer", "model"}) {
    std::vector<SampleResidual> residuals;
    for (const ProbeSamples& document : all)
      for (const ProbeSample& sample : document.samples) {
        if (sample.probe != probe || !can_be_predicted(sample, set)) continue;
        const Seconds measured = statistics_of(sample.repetitions).median;
        const double error = std::log(predicted_layers(sample, part, set) / measured);
        const std::string what = words_of(sample.what);
        residuals.push_back({probe, what, what, true, measured, error, error, 0});
      }
    if (!residuals.empty()) out.push_back(checked({probe, 1, 1, limit, "", ""}, std::move(residuals)));
  }
  return out;
}

}  // namespace clusterwright
