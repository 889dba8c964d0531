#include "calibration/host/loop/host_model.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "calibration/host/loop/parameter_layout.hpp"

namespace clusterwright {

namespace {

constexpr Bytes scalar = 4 * byte;

/// y = x W forward; dx = dy W^T and dW = x^T dy backward.
void add_linear(std::int64_t tokens, std::int64_t in, std::int64_t out, std::int64_t count, HostStepWork& work) {
  work.gemms.push_back({tokens, out, in, count, HostPass::forward, StepPart::gemm_forward});
  work.gemms.push_back({tokens, in, out, count, HostPass::backward, StepPart::gemm_backward});
  work.gemms.push_back({in, out, tokens, count, HostPass::backward, StepPart::gemm_backward});
}

void add_attention(const HostModel& model, HostStepWork& work) {
  const std::int64_t length = model.sequence, size = model.head_size(), square = length * length;
  const std::int64_t count = model.layers * model.sequences * model.heads;
  const auto gemm = [&](std::int64_t n, std::int64_t k, std::int64_t each, HostPass pass) {
    work.gemms.push_back({length, n, k, each * count, pass, StepPart::attention});
  };
  gemm(length, size, 1, HostPass::forward);   // scores
  gemm(size, length, 1, HostPass::forward);   // values
  gemm(length, size, 1, HostPass::backward);  // of probabilities
  gemm(size, length, 3, HostPass::backward);  // of queries, keys, values
  const std::int64_t below = length * (length + 1) / 2;
  const auto kernel = [&](double touched, HostPass pass) {
    work.kernels.push_back({"softmax", below, touched * scalar, count, pass, StepPart::attention});
  };
  kernel(static_cast<double>(below + square), HostPass::forward);  // what the mask hides is written, not read
  kernel(static_cast<double>(2 * below + square), HostPass::backward);
}

void add_elementwise(const HostModel& model, HostStepWork& work) {
  const std::int64_t narrow = model.tokens() * model.hidden, wide = model.tokens() * model.ffn;
  const std::int64_t logits = model.tokens() * model.vocabulary, norms = 2 * model.layers + 1;
  const auto add = [&](const char* name, std::int64_t elements, std::int64_t touched, std::int64_t count,
                       HostPass pass) {
    work.kernels.push_back({name, elements, static_cast<double>(touched) * scalar, count, pass, StepPart::elementwise});
  };
  add("embedding", narrow, 2 * narrow, 1, HostPass::forward);
  add("rms_norm", narrow, 2 * narrow, norms, HostPass::forward);
  add("residual", narrow, 2 * narrow, 2 * model.layers, HostPass::forward);
  add("gelu", wide, 2 * wide, model.layers, HostPass::forward);
  add("cross_entropy", logits, 2 * logits, 1, HostPass::forward);  // leaves the gradient where the logits were
  add("rms_norm", narrow, 4 * narrow, norms, HostPass::backward);
  add("gelu", wide, 3 * wide, model.layers, HostPass::backward);
  add("embedding", narrow, model.vocabulary * model.hidden + 3 * narrow, 1, HostPass::backward);
}

}  // namespace

void HostModel::check() const {
  for (const auto& [name, size] :
       {std::pair("layers", layers), std::pair("hidden", hidden), std::pair("heads", heads), std::pair("ffn", ffn),
        std::pair("vocabulary", vocabulary), std::pair("sequence", sequence), std::pair("sequences", sequences)})
    if (size < 1) throw std::invalid_argument(fmt::format("{} must be at least 1 (got {})", name, size));
  if (hidden % heads != 0)
    throw std::invalid_argument(fmt::format("heads must divide hidden (got heads {}, hidden {})", heads, hidden));
}

Flops HostGemm::flops() const {
  const double each = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return static_cast<double>(count) * each * flop;
}

HostStepWork work_of(const HostModel& model) {
  model.check();
  HostStepWork out;
  const std::int64_t tokens = model.tokens(), hidden = model.hidden;
  add_linear(tokens, hidden, 3 * hidden, model.layers, out);
  add_linear(tokens, hidden, hidden, model.layers, out);
  add_linear(tokens, hidden, model.ffn, model.layers, out);
  add_linear(tokens, model.ffn, hidden, model.layers, out);
  add_linear(tokens, hidden, model.vocabulary, 1, out);
  add_attention(model, out);
  add_elementwise(model, out);
  out.parameters = ParameterLayout(model).size;
  out.gradient_message = static_cast<double>(out.parameters) * scalar;
  // Reads parameter, gradient and two moments; writes all but the gradient.
  out.kernels.push_back({"adam", out.parameters, 7.0 * out.gradient_message, 1, HostPass::update, StepPart::optimizer});
  for (const HostGemm& gemm : out.gemms) out.flops += gemm.flops();
  return out;
}

}  // namespace clusterwright
