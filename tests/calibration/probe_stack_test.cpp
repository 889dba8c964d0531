// SPDX-License-Identifier: Apache-2.0
// The layer and the model of the GPU probe, kernel by kernel as calibration/probes launches them, against what the
// product's lowering of their stack counts.

#include "calibration/fit/probe_stack.hpp"

#include "models/lowering/lowering.hpp"
#include "support/catch.hpp"
#include "support/counting_machine.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

using Counts = std::map<std::string, std::int64_t>;

constexpr std::int64_t tokens = 2 * 64, hidden = 256, ffn = 512, vocabulary = 320;
constexpr std::int64_t queries = 4 * 64, keys = 2 * 64;  ///< widths: 4 query heads, 2 key heads of 64

template <class Probed>
Probed small(bool gated) {
  Probed what;
  what.batch = 2, what.sequence = 64, what.hidden = hidden, what.ffn = ffn;
  what.heads = 4, what.kv_heads = 2, what.head_width = 64;
  what.gated = gated, what.causal = true, what.attention = "own_wmma", what.dtype = "bf16";
  return what;
}

Counts layer(bool gated, bool backward) {
  const ProbeWhat what = small<ProbedLayer>(gated);
  const Scenario s = probe_scenario(what, counting_part("bf16"), counting_parameters("bf16", "own_wmma"));
  return counts_of(lower_layer(s, probe_plan(what), LayerKind::dense, backward));
}

/// Bytes of a tensor of all tokens in 16 bit.
constexpr std::int64_t rows(std::int64_t width) {
  return tokens * width * 2;
}
constexpr std::int64_t multiply(std::int64_t in, std::int64_t out) {
  return 2 * tokens * in * out;
}

}  // namespace

TEST_CASE("the probe's layer is lowered to the kernels that TransformerLayer launches", "[calibration][probe_stack]") {
  const std::int64_t qkv = queries + 2 * keys, scores = 2 * 64 * 64 / 2 * queries;  // two sequences, half masked
  const Counts forward = {
      {"norm", 2 * rows(hidden) + 2 * rows(hidden)},  // enqueue_rms_norm twice: x read, y written
      {"qkv", multiply(hidden, qkv)},
      {"rotary", 2 * rows(queries + keys)},  // enqueue_rotary: in place, values stay
      {"attention", 4 * scores},
      {"projection", multiply(queries, hidden)},
      {"residual", 3 * rows(hidden) + 3 * rows(hidden)},  // enqueue_add twice: two read, one written
      {"mlp up", multiply(hidden, 2 * ffn)},
      {"activation", 3 * rows(ffn)},  // enqueue_swiglu: gate and up read, one written
      {"mlp down", multiply(ffn, hidden)},
  };
  CHECK(layer(true, false) == forward);
  Counts both = forward;
  both.insert({
      {"mlp down dgrad", multiply(hidden, ffn)},
      {"mlp down wgrad", multiply(ffn, hidden)},
      {"activation bwd", 5 * rows(ffn)},  // enqueue_swiglu_backward: gate, up, dout read; both gradients written
      {"mlp up dgrad", multiply(2 * ffn, hidden)},
      {"mlp up wgrad", multiply(hidden, 2 * ffn)},
      {"norm bwd", 3 * rows(hidden) + 3 * rows(hidden)},      // enqueue_rms_norm_backward: x, dy read, dx written
      {"residual bwd", 3 * rows(hidden) + 3 * rows(hidden)},  // enqueue_add twice
      {"projection dgrad", multiply(hidden, queries)},
      {"projection wgrad", multiply(queries, hidden)},
      {"attention bwd", 10 * scores},
      {"rotary bwd", 2 * rows(queries + keys)},
      {"qkv dgrad", multiply(qkv, hidden)},
      {"qkv wgrad", multiply(hidden, qkv)},
  });
  CHECK(layer(true, true) == both);
}

TEST_CASE("a layer of the probe without a gate runs GELU", "[calibration][probe_stack]") {
  const Counts counts = layer(false, true);
  CHECK(counts.at("mlp up") == multiply(hidden, ffn));
  CHECK(counts.at("activation") == 2 * rows(ffn));      // enqueue_gelu
  CHECK(counts.at("activation bwd") == 3 * rows(ffn));  // enqueue_gelu_backward
}

TEST_CASE("the probe's model is its layers, and the kernels that TransformerModel launches around them",
          "[calibration][probe_stack]") {
  ProbedModel what = small<ProbedModel>(true);
  what.layers = 3, what.vocabulary = vocabulary;
  // embedding and head 320 x 256; a layer: qkv 256 x 512, projection 256 x 256, MLP 3 x 256 x 512, norms 2 x 256
  constexpr std::int64_t parameters = 2 * 320 * 256 + 256 + 3 * (256 * 512 + 256 * 256 + 3 * 256 * 512 + 2 * 256);
  const Scenario s = probe_scenario(what, counting_part("bf16"), counting_parameters("bf16", what.attention));
  const Counts counts = counts_of(lower_training_step(s, probe_plan(what), Folding::folded));
  Counts expected = {
      {"embedding", 2 * rows(hidden)},
      {"final norm", 2 * rows(hidden)},
      {"logits", multiply(hidden, vocabulary)},
      {"loss", 2 * rows(vocabulary)},  // enqueue_cross_entropy: the second read comes from cache
      {"logits dgrad", multiply(vocabulary, hidden)},
      {"logits wgrad", multiply(hidden, vocabulary)},
      {"final norm bwd", 3 * rows(hidden)},
      // The table's gradient is cleared; a row is read and added to another.
      {"embedding bwd", vocabulary * hidden * 2 + 3 * rows(hidden)},
      {"optimizer", 28 * parameters},  // adam_bytes_per_parameter
  };
  for (const auto& [name, count] : layer(true, true)) expected[name] += 3 * count;
  CHECK(counts == expected);
}
