// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/host_prediction.hpp"

#include "calibration/host/loop/host_model.hpp"
#include "models/lowering/lowering.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/counting_machine.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

using StepCounts = std::map<std::string, std::int64_t>;

constexpr std::int64_t layers = 2, loop_hidden = 64, loop_ffn = 128, loop_vocabulary = 256, length = 64, sequences = 2;
constexpr std::int64_t loop_tokens = length * sequences;
constexpr Seconds picosecond = 1e-12 * second;
const HostModel loop_model{.layers = layers,
                           .hidden = loop_hidden,
                           .heads = 1,
                           .ffn = loop_ffn,
                           .vocabulary = loop_vocabulary,
                           .sequence = length,
                           .sequences = sequences};
/// embedding and head, final norm, and of a layer qkv, projection, two MLP matrices and two norms
constexpr std::int64_t trained =
    2 * loop_vocabulary * loop_hidden + loop_hidden +
    layers * (3 * loop_hidden * loop_hidden + loop_hidden * loop_hidden + 2 * loop_hidden * loop_ffn + 2 * loop_hidden);

/// A byte or a FLOP takes a picosecond; loopback of 2 GB/s with 10 us to start.
HostTimes simple_times() {
  HostTimes out;
  out.part = counting_part("fp32");
  out.parameters = counting_parameters("fp32", "none");
  out.loopback = {10 * microsecond, 2 * gigabyte / second};
  KernelCurves& kernels = out.parameters.kernels.emplace();
  const auto sample = [&](StreamingKernel kernel, KernelPass pass) {
    kernels[{kernel, pass}].points = {{1 * kilobyte, 1 * nanosecond}, {1 * gigabyte, 1 * millisecond}};
  };
  for (const StreamingKernel kernel :
       {StreamingKernel::embedding, StreamingKernel::norm, StreamingKernel::activation, StreamingKernel::softmax})
    for (const KernelPass pass : {KernelPass::forward, KernelPass::backward}) sample(kernel, pass);
  sample(StreamingKernel::residual, KernelPass::forward);
  sample(StreamingKernel::loss, KernelPass::forward);
  sample(StreamingKernel::optimizer, KernelPass::update);
  return out;
}

StepCounts counted_step() {
  const Scenario s = host_scenario(loop_model, 1, simple_times());
  return counts_of(lower_training_step(s, host_plan(loop_model, 1), Folding::folded));
}

/// Bytes of a tensor of all tokens in 32 bit.
constexpr std::int64_t loop_rows(std::int64_t width) {
  return loop_tokens * width * 4;
}
constexpr std::int64_t loop_gemm(std::int64_t in, std::int64_t out) {
  return 2 * loop_tokens * in * out;
}

}  // namespace

TEST_CASE("a curve of a kernel goes through its points, and on in proportion", "[calibration][loop]") {
  const KernelCurve curve{{{100 * byte, 1 * second}, {400 * byte, 16 * second}}};
  CHECK(curve.time(100 * byte).in(second) == Approx(1));
  CHECK(curve.time(200 * byte).in(second) == Approx(4));  // slope 2 in log and log
  CHECK(curve.time(400 * byte).in(second) == Approx(16));
  CHECK(curve.time(50 * byte).in(second) == Approx(0.5));
  CHECK(curve.time(800 * byte).in(second) == Approx(32));
}

TEST_CASE("the trainer is lowered to the kernels that it runs", "[calibration][loop]") {
  constexpr std::int64_t square = length * length * sequences;  // of one head
  constexpr std::int64_t norms = 2 * layers + 1;
  const StepCounts expected = {
      {"embedding", 2 * loop_rows(loop_hidden)},  // gather: a row read, one written
      {"norm", 2 * layers * 2 * loop_rows(loop_hidden)},
      {"final norm", 2 * loop_rows(loop_hidden)},
      {"qkv", layers * loop_gemm(loop_hidden, 3 * loop_hidden)},
      {"scores", layers * 2 * square * loop_hidden},  // the whole square: Q K^T
      {"softmax", layers * square * 4 * 3 / 2},       // causal_softmax: half read, all written
      {"values", layers * 2 * square * loop_hidden},
      {"residual copy", layers * 2 * 2 * loop_rows(loop_hidden)},  // in front of projection and down, which add to it
      {"projection", layers * loop_gemm(loop_hidden, loop_hidden)},
      {"mlp up", layers * loop_gemm(loop_hidden, loop_ffn)},
      {"activation", layers * 2 * loop_rows(loop_ffn)},
      {"mlp down", layers * loop_gemm(loop_ffn, loop_hidden)},
      {"logits", loop_gemm(loop_hidden, loop_vocabulary)},
      {"loss", 2 * loop_rows(loop_vocabulary)},  // cross_entropy: logits read, their gradient written over them
      {"logits dgrad", loop_gemm(loop_hidden, loop_vocabulary)},
      {"logits wgrad", loop_gemm(loop_hidden, loop_vocabulary)},
      {"mlp down dgrad", layers * loop_gemm(loop_hidden, loop_ffn)},
      {"mlp down wgrad", layers * loop_gemm(loop_hidden, loop_ffn)},
      {"activation bwd", layers * 3 * loop_rows(loop_ffn)},  // gelu_backward: x and dy read, dx written
      {"mlp up dgrad", layers * loop_gemm(loop_hidden, loop_ffn)},
      {"mlp up wgrad", layers * loop_gemm(loop_hidden, loop_ffn)},
      {"norm bwd", (norms - 1) * 4 * loop_rows(loop_hidden)},  // rms_norm_backward: x, dy and dx read, dx written
      {"final norm bwd", 4 * loop_rows(loop_hidden)},
      {"projection dgrad", layers * loop_gemm(loop_hidden, loop_hidden)},
      {"projection wgrad", layers * loop_gemm(loop_hidden, loop_hidden)},
      {"values bwd", layers * 2 * square * loop_hidden},
      {"scores bwd", layers * 2 * square * loop_hidden},
      {"softmax bwd", layers * square * 4 * 2},  // half of two read, all of one written
      {"queries bwd", layers * 2 * square * loop_hidden},
      {"keys bwd", layers * 2 * square * loop_hidden},
      {"qkv dgrad", layers * loop_gemm(loop_hidden, 3 * loop_hidden)},
      {"qkv wgrad", layers * loop_gemm(loop_hidden, 3 * loop_hidden)},
      // gather_backward: the table is cleared; a row is read and added to another.
      {"embedding bwd", loop_vocabulary * loop_hidden * 4 + 3 * loop_rows(loop_hidden)},
      {"optimizer", trained * 7 * 4},  // parameter, gradient, two moments read; all but the gradient written
  };
  CHECK(ParameterLayout(loop_model).size == trained);
  CHECK(counted_step() == expected);
}

TEST_CASE("one process does its work and nothing else", "[calibration][loop]") {
  const HostStepPrediction step = predict_host_step(loop_model, 1, simple_times());
  const auto picoseconds = [](const StepCounts& counts, auto wanted) {
    std::int64_t sum = 0;
    for (const auto& [name, count] : counts)
      if (wanted(name)) sum += count;
    return static_cast<double>(sum);
  };
  const auto is_gradient = [](const std::string& name) { return name.ends_with("dgrad") || name.ends_with("wgrad"); };
  const StepCounts counts = counted_step();
  CHECK(step.step / picosecond == Approx(picoseconds(counts, [](auto&) { return true; })));
  CHECK(step.parts.at("gemm_backward") / picosecond == Approx(picoseconds(counts, is_gradient)));
  CHECK(step.parts.at("gemm_backward") / step.parts.at("gemm_forward") == Approx(2));
  CHECK(step.parts.at("optimizer") / picosecond == Approx(28.0 * trained));
  CHECK(step.parts.at("all_reduce") == Seconds{});
  Seconds parts;
  for (const auto& [name, time] : step.parts) parts += time;
  CHECK(parts / step.step == Approx(1).epsilon(1e-9));
  CHECK(step.low < step.step);
  CHECK(step.high > step.step);
}

TEST_CASE("a call of a processor costs its start, once for each multiply of attention", "[calibration][loop]") {
  HostTimes times = simple_times();
  const HostStepPrediction plain = predict_host_step(loop_model, 1, times);
  times.parameters.gemm.at("fp32").fixed.value = 1 * microsecond;
  const HostStepPrediction step = predict_host_step(loop_model, 1, times);
  // Linear layers: 3 passes of 4 in each layer and of the head. Attention: 6 multiplies for each sequence and layer.
  CHECK((step.step - plain.step).in(microsecond) == Approx(3 * (4 * layers + 1) + 6 * layers * sequences));
}

TEST_CASE("two processes add the ring's rounds between backward pass and update", "[calibration][loop]") {
  const HostTimes times = simple_times();
  const HostStepPrediction one = predict_host_step(loop_model, 1, times), two = predict_host_step(loop_model, 2, times);
  // Two rounds of half a message at half of 2 GB/s, 10 us each to start, and one half added: it and the sum at 1 TB/s.
  const Bytes message = 4.0 * trained * byte;
  const Seconds ring = message / (1 * gigabyte / second) + 20 * microsecond + message / (1 * terabyte / second);
  CHECK((two.step - one.step) / ring == Approx(1).epsilon(1e-6));
  CHECK(two.parts.at("all_reduce") / ring == Approx(1).epsilon(1e-6));
  CHECK(two.parts.at("gemm_backward") == one.parts.at("gemm_backward"));
  CHECK_THROWS_AS(predict_host_step(loop_model, 0, times), std::invalid_argument);
}

TEST_CASE("a kernel that nobody sampled is an error, not a zero", "[calibration][loop]") {
  HostTimes times = simple_times();
  times.parameters.kernels->erase({StreamingKernel::activation, KernelPass::backward});
  CHECK_THROWS_AS(predict_host_step(loop_model, 1, times), ConfigError);
  CHECK_THROWS_AS(host_times({}), ConfigError);
}

TEST_CASE("the band is that of multiplies of the step's size", "[calibration][loop]") {
  HostTimes times = simple_times();
  for (int i = 0; i < 10; ++i) {
    SampleResidual one;
    one.measured = (i < 5 ? 1 : 100) * millisecond;
    one.error = i < 5 ? 0.5 : 0.02;
    times.multiplies.push_back(one);
  }
  CHECK(times.multiply_band(50 * millisecond) == Approx(0.02));
  CHECK(times.multiply_band(1 * microsecond) == Approx(0.5));
  CHECK(times.multiply_band(1 * second) == Approx(0.5));  // none is like that: all speak
}
