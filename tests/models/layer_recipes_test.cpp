// SPDX-License-Identifier: Apache-2.0
// Bytes and FLOPs of a small dense layer and of the ends of its step, counted by hand.

#include "models/lowering/layer_recipes.hpp"

#include "models/lowering/lowering.hpp"
#include "support/catch.hpp"
#include "support/counting_machine.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

using Counts = std::map<std::string, std::int64_t>;

constexpr std::int64_t tokens = 64, hidden = 128, ffn = 512, vocabulary = 256, layers = 2;
constexpr std::int64_t stream = tokens * hidden * 2;  ///< bytes of one hidden-wide tensor in 16 bit
constexpr std::int64_t mlp_wide = tokens * ffn * 2;   ///< of one as wide as the MLP

/// One sequence of 64 tokens, 2 heads of 64, a gated MLP.
Scenario small_job() {
  SmallCase c;
  c.per_node = 1;
  c.layers = layers;
  c.hidden = hidden;
  c.heads = 2;
  c.sequence = tokens;
  c.vocabulary = vocabulary;
  c.sharding = Sharding::none;
  Scenario s = small_scenario(c);
  s.cluster.accelerator = counting_part("bf16");
  s.parameters = counting_parameters("bf16", "fused");
  s.stack = counting_stack("fused");
  s.steps = {};
  return s;
}

Plan one_rank() {
  Plan plan;
  plan.sharding = Sharding::none;
  return plan;
}

Counts layer(const Scenario& s, bool backward) {
  return counts_of(lower_layer(s, one_rank(), LayerKind::dense, backward));
}

/// FLOPs of a multiply of all tokens by a matrix.
constexpr std::int64_t multiply(std::int64_t in, std::int64_t out) {
  return 2 * tokens * in * out;
}

/// Scores of two heads under the causal mask, times the width of a head.
constexpr std::int64_t scores = 2 * tokens * tokens / 2 * 64;

}  // namespace

TEST_CASE("the forward pass of a dense layer moves and multiplies what a count by hand says", "[models][recipes]") {
  CHECK(layer(small_job(), false) == Counts{
                                         {"norm", 2 * stream},  // read, written
                                         {"qkv", multiply(hidden, 3 * hidden)},
                                         {"rotary", 2 * 3 * stream},  // queries, keys, values into their layout
                                         {"attention", 4 * scores},   // two multiplies of 2 FLOPs
                                         {"projection", multiply(hidden, hidden)},
                                         {"residual and norm", 5 * stream},  // sum: 2 read, 1 written; norm: 1 and 1
                                         {"mlp up", multiply(hidden, 2 * ffn)},
                                         {"activation", 3 * mlp_wide},  // gate and up read, product written
                                         {"mlp down", multiply(ffn, hidden)},
                                         {"residual", 3 * stream},
                                     });
}

TEST_CASE("the backward pass of a dense layer has both gradients of each multiply and 1.5 times the bytes",
          "[models][recipes]") {
  Counts counts = layer(small_job(), true);
  for (const auto& [name, count] : layer(small_job(), false)) counts[name] -= count;
  std::erase_if(counts, [](const auto& one) { return one.second == 0; });
  CHECK(counts == Counts{
                      {"residual bwd", 2 * stream},
                      {"mlp down dgrad", multiply(hidden, ffn)},
                      {"mlp down wgrad", multiply(ffn, hidden)},
                      {"activation bwd", 3 * mlp_wide * 3 / 2},
                      {"mlp up dgrad", multiply(2 * ffn, hidden)},
                      {"mlp up wgrad", multiply(hidden, 2 * ffn)},
                      {"norm bwd", 5 * stream * 3 / 2 + 2 * stream * 3 / 2},  // beside the residual sum, and the first
                      {"projection dgrad", multiply(hidden, hidden)},
                      {"projection wgrad", multiply(hidden, hidden)},
                      {"attention bwd", 10 * scores},  // five multiplies
                      {"rotary bwd", 6 * stream * 3 / 2},
                      {"qkv dgrad", multiply(3 * hidden, hidden)},
                      {"qkv wgrad", multiply(hidden, 3 * hidden)},
                  });
}

TEST_CASE("a stack that adds gradients behind their GEMMs moves bytes of every weight once more", "[models][recipes]") {
  Scenario s = small_job();
  const Counts without = layer(s, true);
  s.stack.kernels.gradient_sum = {18, "a copy in 32 bit, then a sum"};
  Counts counts = layer(s, true);
  for (const auto& [name, count] : without) {
    CHECK(counts.at(name) == count);
    counts.erase(name);
  }
  CHECK(counts == Counts{
                      {"qkv gradient sum", 18 * hidden * 3 * hidden},
                      {"projection gradient sum", 18 * hidden * hidden},
                      {"mlp up gradient sum", 18 * hidden * 2 * ffn},
                      {"mlp down gradient sum", 18 * ffn * hidden},
                  });
  const Counts ends = counts_of(lower_training_step(s, one_rank(), Folding::folded));
  CHECK(ends.at("logits gradient sum") == 18 * hidden * vocabulary);
}

TEST_CASE("the ends of a step move and multiply what a count by hand says", "[models][recipes]") {
  const Scenario s = small_job();
  const Counts counts = counts_of(lower_training_step(s, one_rank(), Folding::folded));
  const std::int64_t logits = tokens * vocabulary;
  CHECK(counts.at("embedding") == 2 * stream);
  CHECK(counts.at("embedding output") == 2 * stream);
  CHECK(counts.at("final norm") == 2 * stream);
  CHECK(counts.at("logits") == multiply(hidden, vocabulary));
  CHECK(counts.at("loss") == 13 * logits);
  CHECK(counts.at("loss bwd") == 13 * logits);
  CHECK(counts.at("logits dgrad") == multiply(vocabulary, hidden));
  CHECK(counts.at("logits wgrad") == multiply(hidden, vocabulary));
  CHECK(counts.at("final norm bwd") == 3 * stream);
  CHECK(counts.at("embedding gradient input") == stream);
  CHECK(counts.at("embedding bwd") == tokens * hidden * (2 + 8));  // a row in 16 bit, added to one in 32 bit
  // Adam moves 30 bytes of a parameter; the norm reads 4 of its gradient, clearing writes 4.
  CHECK(counts.at("optimizer") == static_cast<std::int64_t>(total_parameters(s.transformer)) * (30 + 4 + 4));
  for (const auto& [name, count] : layer(s, true)) CHECK(counts.at(name) == layers * count);
}

TEST_CASE("a stack says which kernels fuse the residual sum, the rotation and attention", "[models][recipes]") {
  Scenario s = small_job();
  s.stack.kernels.rotary = RotaryKernel::in_place;
  s.stack.kernels.residual = ResidualSum::own_kernel;
  Counts counts = layer(s, true);
  CHECK(counts.at("rotary") == 2 * 2 * stream);  // queries and keys, there and back
  CHECK(counts.at("rotary bwd") == 2 * 2 * stream);
  CHECK(counts.at("norm") == 2 * 2 * stream);  // both norms
  CHECK(counts.at("residual") == 2 * 3 * stream);
  CHECK(counts.at("norm bwd") == 2 * 3 * stream);
  CHECK(counts.at("residual bwd") == 2 * 3 * stream);

  s.stack.kernels.residual = ResidualSum::in_multiply;
  s.transformer.positions = PositionEncoding::none;
  s.stack.kernels.fused_attention = false;
  counts = layer(s, true);
  CHECK_FALSE(counts.contains("rotary"));
  CHECK(counts.at("residual copy") == 2 * 2 * stream);
  CHECK_FALSE(counts.contains("residual"));
  CHECK(counts.at("norm bwd") == 2 * 4 * stream);  // what came by the residual is read too
  CHECK(counts.at("scores") == 2 * scores * 2);    // the whole square
  CHECK(counts.at("values") == 2 * scores * 2);
  CHECK(counts.at("softmax") == 2 * tokens * tokens * 3 / 2 * 2);  // half read, all written, two heads in 16 bit
  CHECK(counts.at("softmax bwd") == 2 * tokens * tokens * 2 * 2);
  for (const char* name : {"values bwd", "scores bwd", "queries bwd", "keys bwd"})
    CHECK(counts.at(name) == 2 * scores * 2);
}

TEST_CASE("kernels that somebody sampled stand for the formula, and one that nobody sampled is an error",
          "[models][recipes]") {
  Scenario s = small_job();
  KernelCurves& curves = s.parameters.kernels.emplace();
  for (const StreamingKernel kernel :
       {StreamingKernel::norm, StreamingKernel::residual, StreamingKernel::rotary, StreamingKernel::activation,
        StreamingKernel::embedding, StreamingKernel::loss, StreamingKernel::other})
    for (const KernelPass pass : {KernelPass::forward, KernelPass::backward})
      curves[{kernel, pass}].points = {{1 * kilobyte, 2 * nanosecond}, {1 * gigabyte, 2 * millisecond}};
  CHECK(layer(s, false).at("norm") == Approx(2 * 2 * stream));  // half a terabyte per second
  curves.erase({StreamingKernel::activation, KernelPass::backward});
  CHECK_THROWS_AS(layer(s, false), ConfigError);
}
