// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/job/hf_config.hpp"
#include "models/job/hf_families.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"
#include "support/hf_configs.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using clusterwright::testing::check_refused;
using clusterwright::testing::has;
using clusterwright::testing::hf_config;
using clusterwright::testing::Outcome;
using clusterwright::testing::ProgramRoom;

namespace {

JsonValue config_document(const std::string& text) {
  return read_json(std::make_shared<const SourceText>("config.json", text));
}

HfImport imported(const std::string& text) {
  return import_hf_config(config_document(text));
}

Transformer model(const std::string& text) {
  return imported(text).transformer;
}

/// `changes` replaces members of a small Llama, or adds to them; null removes nothing, as in a file.
std::string small_config(const std::string& changes, const std::string& type = "llama") {
  JsonValue base = config_document(R"({"hidden_size": 64, "intermediate_size": 256, "num_hidden_layers": 8,
      "num_attention_heads": 8, "vocab_size": 1000})");
  base.set("model_type", type);
  const JsonValue changed = config_document("{" + changes + "}");
  for (const auto& [key, value] : changed.members()) base.set(key, value);
  return write_json(base);
}

void check_import_refused(const std::string& text, const std::string& code, const std::string& words) {
  try {
    imported(text);
    FAIL("was accepted: " << text);
  } catch (const ConfigError& error) {
    INFO(error.what());
    CHECK(error.diagnostics().front().code == code);
    CHECK(std::string(error.what()).find(words) != std::string::npos);
    CHECK(error.diagnostics().front().places.front().source);  // shown where it stands
  }
}

double without_prediction(Transformer m) {
  m.predicted_tokens = 0;
  return total_parameters(m);
}

}  // namespace

TEST_CASE("parameters of imported models are those that were published", "[tools][import][hf]") {
  struct Published {
    const char* name;
    double parameters;
    double tolerance = 0.005;
  };
  // From model cards, technical reports and the indices of published weights. Those of Falcon hold the tied head twice:
  // the library, which ties it, has that much less. A wider tolerance: published in few digits, by unknown rules.
  const Published published[] = {{"llama3-8b", 8.030e9},
                                 {"llama3-70b", 70.55e9},
                                 {"llama3-405b", 405.85e9},
                                 {"mistral-7b", 7.242e9},
                                 {"mixtral-8x7b", 46.70e9},
                                 {"qwen2.5-7b", 7.616e9},
                                 {"qwen1.5-moe-a2.7b", 14.3e9},
                                 {"qwen3-8b", 8.19e9},
                                 {"qwen3-30b-a3b", 30.53e9},
                                 {"qwen3-235b-a22b", 235.1e9},
                                 {"deepseek-v2", 236e9},
                                 {"deepseek-v3", 671.0e9},
                                 {"kimi-k2", 1040e9, 0.015},
                                 {"gpt-oss-20b", 20.9e9},
                                 {"gpt-oss-120b", 116.8e9},
                                 {"gemma-7b", 8.538e9},
                                 {"gemma2-9b", 9.24e9},
                                 {"gemma3-4b", 3.88e9},
                                 {"phi3-mini", 3.82e9},
                                 {"gpt2", 124.4e6},
                                 {"gpt-neox-20b", 20.55e9},
                                 {"opt-6.7b", 6.66e9},
                                 {"bloom", 176.25e9},
                                 {"falcon-7b", 7.217e9 - 4544.0 * 65024},
                                 {"falcon-40b", 41.8e9 - 8192.0 * 65024},
                                 {"llama4-scout", 107.8e9},
                                 {"starcoder2-3b", 3.03e9},
                                 {"mpt-7b", 6.7e9, 0.01},
                                 {"olmo2-7b", 7.30e9},
                                 {"command-r", 35e9},
                                 {"glm-4.5-air", 106e9, 0.01},
                                 {"grok-1", 314e9, 0.01}};
  for (const Published& p : published) {
    const double count = without_prediction(model(hf_config(p.name)));
    INFO(p.name << ": " << count << " against " << p.parameters);
    CHECK(std::abs(count / p.parameters - 1) < p.tolerance);
  }
}

TEST_CASE("active parameters and further predicted tokens are told apart", "[tools][import][hf]") {
  // 37.55e9 active per token, as the report rounds to 37e9; with the head of multi-token prediction one layer more.
  const Transformer v3 = model(hf_config("deepseek-v3"));
  CHECK(v3.predicted_tokens == 1);
  CHECK(parameter_text(v3).starts_with("671.0 billion parameters, 37.55 billion of them active; 682."));
  CHECK(parameter_text(model(hf_config("llama3-8b"))) == "8.030 billion parameters, all active");
  CHECK(parameter_text(model(hf_config("gpt2"))) == "0.1244 billion parameters, all active");
}

TEST_CASE("every family that is known has been tried on a published model", "[tools][import][hf]") {
  const JsonValue all = config_document(clusterwright::testing::hf_configs);
  for (const std::string& family : hf_family_names()) {
    INFO(family);
    CHECK(std::any_of(all.members().begin(), all.members().end(),
                      [&](const auto& member) { return imported(hf_config(member.first)).family == family; }));
  }
}

TEST_CASE("what a family does differently is kept", "[tools][import][hf]") {
  const Transformer scout = model(hf_config("llama4-scout"));
  CHECK(scout.attention_chunk == 8192);
  CHECK(scout.full_attention_every == 4);
  CHECK(scout.experts->shared == 1);
  CHECK(scout.ffn == 16384);
  const Transformer falcon = model(hf_config("falcon-7b"));
  CHECK(falcon.parallel_block);
  CHECK(falcon.kv_heads == 1);
  CHECK(falcon.tied_embeddings);
  const Transformer oss = model(hf_config("gpt-oss-20b"));
  CHECK(oss.full_attention_every == 2);
  CHECK(oss.biases);
  CHECK_FALSE(oss.attention_biases);
  CHECK_FALSE(model(hf_config("qwen2.5-7b")).sliding_window);
  CHECK(model(hf_config("qwen2.5-7b")).attention_biases);
  CHECK(model(hf_config("mistral-7b")).sliding_window == 4096);
  CHECK(model(hf_config("gemma3-4b")).full_attention_every == 6);
  CHECK(model(hf_config("deepseek-v3")).experts->groups_per_token == 4);
  CHECK_FALSE(model(hf_config("kimi-k2")).experts->groups);
  CHECK(model(hf_config("bloom")).positions == PositionEncoding::alibi);
}

TEST_CASE("lists of layers override the family's pattern", "[tools][import][hf]") {
  const std::string window = R"("sliding_window": 128, "layer_types": )";
  const auto layers = [&](const std::string& types) { return model(small_config(window + types, "mistral")); };
  const std::string s = R"("sliding_attention")", f = R"("full_attention")";
  const auto list = [](const std::vector<std::string>& types) { return fmt::format("[{}]", fmt::join(types, ",")); };
  CHECK(layers(list({s, f, s, f, s, f, s, f})).full_attention_every == 2);
  CHECK_FALSE(layers(list({s, s, s, s, s, s, s, s})).full_attention_every);
  CHECK_FALSE(layers(list({f, f, f, f, f, f, f, f})).sliding_window);
  const HfImport uneven = imported(small_config(window + list({f, s, s, s, s, s, s, f}), "mistral"));
  CHECK(uneven.transformer.full_attention_every == 4);
  CHECK(uneven.notes.back().find("2 of 8 layers") != std::string::npos);
  check_import_refused(small_config(window + list({f, s}), "mistral"), "E0343", "lists 2 layers of 8");
  check_import_refused(small_config(window + list({"\"linear_attention\"", s, s, s, s, s, s, f}), "mistral"), "E0313",
                       "layer_types/0");
}

TEST_CASE("layers with experts are read from lists", "[tools][import][hf]") {
  const std::string experts = R"("num_local_experts": 4, )";
  CHECK(model(small_config(experts + R"("moe_layers": [1, 3, 5, 7])", "llama4_text")).experts->every == 2);
  CHECK_FALSE(
      model(small_config(experts + R"("moe_layers": [], "interleave_moe_layer_step": 0)", "llama4_text")).experts);
  check_import_refused(small_config(experts + R"("moe_layers": [0, 3])", "llama4_text"), "E0313", "moe_layers");
  check_import_refused(small_config(experts + R"("moe_layers": [8])", "llama4_text"), "E0343", "less than 8");
  CHECK(model(small_config(R"("mlp_only_layers": [0, 1])", "qwen3_moe")).experts->dense_layers == 2);
  check_import_refused(small_config(R"("mlp_only_layers": [3])", "qwen3_moe"), "E0313", "leading");
  CHECK_FALSE(model(small_config(R"("num_experts": 0)", "qwen3_moe")).experts);
}

TEST_CASE("what is missing takes the library's default and is told", "[tools][import][hf]") {
  const HfImport mistral = imported(small_config("", "mistral"));
  CHECK(mistral.transformer.kv_heads == 8);
  CHECK(fmt::format("{}", fmt::join(mistral.assumed, ", ")) ==
        "num_key_value_heads 8, max_position_embeddings 131072, sliding_window 4096");
  CHECK_FALSE(model(small_config(R"("num_key_value_heads": null)", "mistral")).kv_heads);
  check_import_refused(R"({"model_type": "llama", "hidden_size": 64})", "E0104", "num_hidden_layers");
}

TEST_CASE("numbers that are wrong or contradict each other are refused at their place", "[tools][import][hf]") {
  check_import_refused(small_config(R"("num_attention_heads": 7)"), "E0343", "/num_attention_heads");
  CHECK(model(small_config(R"("num_attention_heads": 7, "head_dim": 8)")).head_width == 8);
  check_import_refused(small_config(R"("num_key_value_heads": 3)"), "E0343", "/num_key_value_heads");
  check_import_refused(small_config(R"("num_local_experts": 4, "num_experts_per_tok": 5)", "mixtral"), "E0343",
                       "/num_experts_per_tok");
  check_import_refused(small_config(R"("first_k_dense_replace": 8)", "deepseek_v3"), "E0343", "/first_k_dense_replace");
  check_import_refused(small_config(R"("vocab_size": null)"), "E0201", "/vocab_size");
  check_import_refused(small_config(R"("vocab_size": -5)"), "E0202", "/vocab_size");
  check_import_refused(small_config(R"("hidden_size": 1e300)"), "E0202", "/hidden_size");
  check_import_refused(small_config(R"("num_hidden_layers": 12345678901)"), "E0202", "/num_hidden_layers");
  check_import_refused(small_config(R"("tie_word_embeddings": 1)"), "E0201", "/tie_word_embeddings");
  check_import_refused(small_config(R"("moe_layer_freq": 2)", "deepseek_v3"), "E0313", "/moe_layer_freq");
  check_import_refused(small_config(R"("word_embed_proj_dim": 32, "ffn_dim": 256)", "opt"), "E0313",
                       "/word_embed_proj_dim");
  check_import_refused(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 0,
      "intermediate_size": 8, "num_hidden_layers": 2}})",
                       "E0202", "/text_config/hidden_size");
}

TEST_CASE("a family that is not known is refused with those that are", "[tools][import][hf]") {
  check_import_refused(small_config("", "mixtrall"), "E0342", "did you mean \"mixtral\"?");
  check_import_refused(small_config("", "mamba"), "E0342", "deepseek_v3, kimi_k2");
  check_import_refused(R"({"model_type": 3})", "E0201", "/model_type");
  check_import_refused(R"({"model_type": "llava", "text_config": {"hidden_size": 8}})", "E0104", "model_type");
}

TEST_CASE("names come without folders, and quantisation is told", "[tools][import][hf]") {
  CHECK(model(small_config(R"("_name_or_path": "meta-llama/Llama-3/")")).name == "Llama-3");
  CHECK(model(small_config("")).name == "llama");
  CHECK(import_hf_config(config_document(small_config("")), "mine").transformer.name == "mine");
  CHECK(imported(hf_config("deepseek-v3")).notes.back().starts_with("quantization_config"));
}

TEST_CASE("an imported document is a transformer in our form", "[tools][import][hf]") {
  for (const char* name : {"deepseek-v3", "llama4-scout", "gpt-oss-120b", "gpt2"}) {
    const HfImport import = imported(hf_config(name));
    const auto text = std::make_shared<const SourceText>("transformer.json", write_json(import.document));
    CHECK(total_parameters(decode_record<Transformer>(read_json(text))) == total_parameters(import.transformer));
    CHECK_FALSE(is_hf_config(import.document));
  }
}

TEST_CASE("shipped transformers are what their config.json says", "[tools][import][hf]") {
  for (const char* name : {"deepseek-v3", "mixtral-8x7b", "qwen3-235b-a22b", "qwen3-30b-a3b", "llama4-scout",
                           "gpt-oss-120b", "kimi-k2", "llama3-405b"}) {
    INFO(name);
    const std::string path = std::string(CLUSTERWRIGHT_CONFIGS) + "/transformers/" + name + ".json";
    const auto shipped = decode_record<Transformer>(read_json_file(path));
    CHECK(total_parameters(shipped) == total_parameters(model(hf_config(name))));
    CHECK(active_parameters(shipped) == active_parameters(model(hf_config(name))));
  }
}

TEST_CASE("the program imports a config.json, and scenarios name one", "[tools][import][hf][cli]") {
  const ProgramRoom room;
  room.write("config.json", hf_config("llama3-8b"));
  const Outcome made = room.run("import hf-config config.json --name mine -o own.json");
  CHECK(made.code == 0);
  CHECK(has(made.err, "mine (llama): 8.030 billion parameters, all active"));
  const std::string cluster = std::string(CLUSTERWRIGHT_CONFIGS) + "/clusters/h100-single-node.json";
  const auto scenario = [&](const char* transformer) {
    return fmt::format(R"({{"cluster": "{}", "transformer": "{}", "job": {{"task": "pretrain", "sequence": 4096,
        "global_batch": 8, "micro_batch": 1, "precision": "bf16", "sharding": "zero3", "stack": "megatron-2024",
        "parallel": {{"tensor": 1, "pipeline": 1, "data": "auto"}}}}}})",
                       cluster, transformer);
  };
  room.write("theirs-run.json", scenario("config.json"));
  room.write("own-run.json", scenario("own.json"));
  const Outcome theirs = room.run("run theirs-run.json --format json --set transformer.layers=8");
  const Outcome own = room.run("run own-run.json --format json --set transformer.layers=8");
  REQUIRE(theirs.code == 0);
  CHECK(theirs.json().at("step_time_s").as_number() == own.json().at("step_time_s").as_number());
  CHECK(has(room.run("check config.json theirs-run.json own.json").out, "config.json: ok (transformer)"));
  CHECK(has(room.run("show config.json").out, "8,030,261,248"));
}

TEST_CASE("errors of a config.json that a scenario names stand in the config.json", "[tools][import][hf][cli]") {
  const ProgramRoom room;
  room.write("config.json", small_config(R"("num_attention_heads": 7)"));
  check_refused(room, "check config.json", "E0343", "config.json:");
  check_refused(room, "import hf-config config.json", "E0343", "(/num_attention_heads)");
  check_refused(room, "import hf-config missing.json", "E0401", "missing.json");
}
