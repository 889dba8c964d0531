// SPDX-License-Identifier: Apache-2.0
#include "models/job/transformer.hpp"

#include <filesystem>
#include <string>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const std::filesystem::path transformers = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "transformers";

Transformer shipped_transformer(const std::string& name) {
  return decode_record<Transformer>(read_json_file(transformers / (name + ".json")));
}

/// Two layers of width 8 that can be counted by hand.
Transformer tiny() {
  Transformer m;
  m.layers = 2;
  m.hidden = 8;
  m.heads = 4;
  m.kv_heads = 2;
  m.ffn = 16;
  m.vocabulary = 100;
  m.max_sequence = 32;
  return m;
}

}  // namespace

TEST_CASE("the parameters of a tiny model, counted by hand", "[models][transformer]") {
  const Transformer m = tiny();
  CHECK(m.width_of_head() == 2);
  CHECK(m.query_width() == 8);
  CHECK(m.key_value_width() == 4);
  // query 8x8, key 8x4, value 8x4, output 8x8 = 192; gate, up, down 3 x 8x16 = 384; two norms of 8
  CHECK(layer_parameters(m) == 192 + 384 + 16);
  CHECK(embedding_parameters(m) == 100 * 8);
  CHECK(head_parameters(m) == 100 * 8 + 8);
  CHECK(total_parameters(m) == 2 * 592 + 800 + 808);
}

TEST_CASE("biases, plain MLP, layer norm, learned positions and tied head add what they should",
          "[models][transformer]") {
  Transformer m = tiny();
  m.gated_mlp = false;
  m.biases = true;
  m.normalisation = Normalisation::layer;
  m.positions = PositionEncoding::learned;
  m.tied_embeddings = true;
  // matrices 192 + 2 x 8x16; biases query 8, key 4, value 4, output 8, up 16, down 8; two norms of 2 x 8
  CHECK(layer_parameters(m) == 192 + 256 + 48 + 32);
  CHECK(embedding_parameters(m) == (100 + 32) * 8);
  CHECK(head_parameters(m) == 16);  // the final norm
}

TEST_CASE("the training FLOPs of a tiny model, counted by hand", "[models][transformer]") {
  Transformer m = tiny();
  // 6 x (2 layers x 576 + head 800) = 11,712; attention 6 x 2 layers x 8 x 10 = 960
  CHECK(training_flops_per_token(m, 10).in(flop) == Approx(11712 + 960));
  m.tied_embeddings = true;  // the head multiplies all the same
  CHECK(training_flops_per_token(m, 10).in(flop) == Approx(11712 + 960));
  m.biases = true;  // additions do not count
  CHECK(training_flops_per_token(m, 10).in(flop) == Approx(11712 + 960));
}

TEST_CASE("packed samples and frozen weights take fewer FLOPs", "[models][transformer]") {
  const Transformer m = tiny();
  // Two samples of 5 tokens to a sequence of 10: half of the scores.
  CHECK(training_flops_per_token(m, TrainingWork{10, 5}).in(flop) == Approx(11712 + 480));
  // Frozen weights 4 x 1,952, adapters of rank 2 in two layers 6 x 2 each.
  const double adapters = 12 * adapter_parameters(m, 2);
  CHECK(training_flops_per_token(m, TrainingWork{10, 0, 2}).in(flop) == Approx(7808 + adapters + 960));
}

TEST_CASE("Llama 3.1 405B has 405.8 billion parameters", "[models][transformer]") {
  const Transformer m = shipped_transformer("llama3-405b");
  // per layer: attention 2 x 16384^2 + 2 x 16384 x 1024 = 570.4e6, MLP 3 x 16384 x 53248 = 2617.2e6, norms 32768
  //   126 x 3187.7e6 = 401.65e9; token table and head 2 x 128256 x 16384 = 4.20e9; sum 405.85e9
  CHECK(total_parameters(m) == Approx(405.8e9).epsilon(0.003));
  // 6 x (126 x 3187.67e6 + 2.101e9) + 6 x 126 x 16384 x 8192 = 2.4225e12 + 0.1015e12
  CHECK(training_flops_per_token(m, 8192).in(flop) == Approx(2.524e12).epsilon(0.001));
}

TEST_CASE("GPT-3 has 174.6 billion parameters", "[models][transformer]") {
  const Transformer m = shipped_transformer("gpt3-175b");
  // 96 x (12 x 12288^2 + 13 x 12288) + (51200 + 2048) x 12288 + 2 x 12288 = 173.96e9 + 0.65e9
  CHECK(total_parameters(m) == Approx(174.6e9).epsilon(0.005));
  // Narayanan et al. 2021, equation (3), without its recomputation (72 instead of 96) and with half the attention:
  // 72 B s l h^2 (1 + s/12h + V/12lh) per token
  const double h = 12288, l = 96, s = 2048, v = 51200;
  const double per_token = 72 * l * h * h * (1 + s / (12 * h) + v / (12 * l * h));
  CHECK(training_flops_per_token(m, 2048).in(flop) == Approx(per_token).epsilon(1e-12));
}

TEST_CASE("the smaller Llama 3 models", "[models][transformer]") {
  CHECK(total_parameters(shipped_transformer("llama3-70b")) == Approx(70.55e9).epsilon(0.001));
  CHECK(total_parameters(shipped_transformer("llama3-8b")) == Approx(8.03e9).epsilon(0.001));
}

TEST_CASE("every shipped transformer can be read, and says where it comes from", "[models][transformer]") {
  for (const auto& entry : std::filesystem::directory_iterator(transformers)) {
    INFO(entry.path().string());
    const Transformer m = decode_record<Transformer>(read_json_file(entry.path()));
    CHECK_FALSE(m.source.empty());
    CHECK(m.heads % m.key_value_heads() == 0);
    CHECK(total_parameters(m) > 1e6);
  }
}

TEST_CASE("longer sequences and more layers never cost less", "[models][transformer]") {
  Transformer m = tiny();
  const Flops before = training_flops_per_token(m, 1000);
  CHECK(training_flops_per_token(m, 1001) > before);
  m.layers = 3;
  CHECK(training_flops_per_token(m, 1000) > before);
}
