// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "models/job/transformer.hpp"
#include "sim/diagnostic.hpp"
#include "sim/json_value.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// @source technical report of DeepSeek-V3 (2024), section 4.2: 671 billion parameters, 37 billion active
Transformer deepseek_v3() {
  Transformer m;
  m.layers = 61;
  m.hidden = 7168;
  m.heads = 128;
  m.ffn = 18432;
  m.vocabulary = 129280;
  m.max_sequence = 4096;
  m.latent = LatentAttention{1536, 512, 128, 64, 128};
  m.experts = ExpertMixture{256, 8, 2048, 1, {}, 3, 1, 8, 4};
  return m;
}

/// @source Mixtral of Experts (2024): 47 billion parameters, 13 billion active
Transformer mixtral_8x7b() {
  Transformer m;
  m.layers = 32;
  m.hidden = 4096;
  m.heads = 32;
  m.kv_heads = 8;
  m.ffn = 14336;
  m.vocabulary = 32000;
  m.max_sequence = 32768;
  m.experts = ExpertMixture{8, 2, 14336, 0, {}, 0, 1, {}, {}};
  return m;
}

std::string codes(const Transformer& model) {
  try {
    check_transformer(model, JsonValue::object());
  } catch (const ConfigError& error) {
    std::string out;
    for (const Diagnostic& d : error.diagnostics()) out += (out.empty() ? "" : " ") + d.code;
    return out;
  }
  return {};
}

}  // namespace

TEST_CASE("published mixtures of experts have the parameters that their authors count", "[models][transformer]") {
  CHECK(total_parameters(deepseek_v3()) / 1e9 == Approx(671.0).epsilon(0.001));
  CHECK(active_parameters(deepseek_v3()) / 1e9 == Approx(37.5).epsilon(0.01));  // the token table included
  CHECK(total_parameters(mixtral_8x7b()) / 1e9 == Approx(46.7).epsilon(0.001));
  CHECK(active_parameters(mixtral_8x7b()) / 1e9 == Approx(12.9).epsilon(0.005));
}

TEST_CASE("a further predicted token adds a layer, a projection and two norms", "[models][transformer]") {
  const Transformer plain = deepseek_v3();
  Transformer further = plain;
  further.predicted_tokens = 1;
  const double layer = layer_parameters(plain, LayerKind::experts);
  CHECK(total_parameters(further) - total_parameters(plain) ==
        Approx(layer + 2 * 7168.0 * 7168 + 2 * 7168).epsilon(1e-9));
  // The report counts 14 billion for the whole module, embedding and head shared.
  CHECK((total_parameters(further) - total_parameters(plain)) / 1e9 == Approx(11.6).epsilon(0.02));
  CHECK(training_flops_per_token(further, 4096) > training_flops_per_token(plain, 4096));
}

TEST_CASE("kinds of layers are counted as they lie", "[models][transformer]") {
  Transformer m = deepseek_v3();
  for (const std::int64_t every : {1, 2, 3})
    for (const std::int64_t dense : {0, 1, 3, 5}) {
      m.experts->every = every;
      m.experts->dense_layers = dense;
      for (const std::int64_t first : {0, 2, 7})
        for (const std::int64_t count : {0, 1, 10, 50}) {
          std::int64_t mixed = 0;
          for (std::int64_t i = first; i < first + count; ++i) mixed += m.kind_of(i) == LayerKind::experts;
          CHECK(m.layers_of(LayerKind::experts, first, count) == mixed);
          CHECK(m.layers_of(LayerKind::dense, first, count) == count - mixed);
        }
    }
}

TEST_CASE("attention in chunks sees half of each chunk", "[models][transformer]") {
  Transformer m = mixtral_8x7b();
  CHECK(m.score_share(8192) == Approx(0.5));
  m.attention_chunk = 2048;
  CHECK(m.score_share(8192) == Approx(2048.0 / 8192 / 2));
  m.full_attention_every = 4;
  CHECK(m.score_share(8192) == Approx(0.25 * 0.5 + 0.75 * 0.125));
  CHECK(m.score_share(1024) == Approx(0.5));
}

TEST_CASE("a window ends a mask at both sides, a block and a sample only at one", "[models][transformer]") {
  Transformer m = mixtral_8x7b();
  CHECK(m.mask_edges(8192) == 1);
  m.attention_chunk = 2048;
  CHECK(m.mask_edges(8192) == 1);
  m.attention_chunk.reset();
  m.sliding_window = 1024;
  CHECK(m.mask_edges(8192) == 2);
  CHECK(m.mask_edges(1024) == 1);        // as long as the sequence
  CHECK(m.mask_edges(8192, 1000) == 1);  // and as the samples
  m.full_attention_every = 4;
  CHECK(m.mask_edges(8192) == Approx(1.75));
}

TEST_CASE("a parallel block has one norm, and heads may have norms of their own", "[models][transformer]") {
  Transformer m = mixtral_8x7b();
  m.experts.reset();
  const double plain = layer_parameters(m);
  m.parallel_block = true;
  CHECK(plain - layer_parameters(m) == static_cast<double>(m.hidden));
  m.query_key_norm = true;
  CHECK(plain - layer_parameters(m) == static_cast<double>(m.hidden - 2 * m.width_of_head()));
}

TEST_CASE("mixtures that contradict themselves are refused", "[models][transformer]") {
  CHECK(codes(deepseek_v3()).empty());
  Transformer m = deepseek_v3();
  m.experts->per_token = 300;
  CHECK(codes(m) == "E0310 E0310");  // of all, and of four groups
  m = deepseek_v3();
  m.experts->groups = 7;
  CHECK(codes(m) == "E0310");
  m = deepseek_v3();
  m.experts->groups_per_token = 9;
  CHECK(codes(m) == "E0310");
  m = deepseek_v3();
  m.experts->dense_layers = 61;
  CHECK(codes(m) == "E0310");
  m = deepseek_v3();
  m.kv_heads = 8;
  CHECK(codes(m) == "E0310");
  m = mixtral_8x7b();
  m.sliding_window = 4096;
  m.attention_chunk = 4096;
  CHECK(codes(m) == "E0310");
}
