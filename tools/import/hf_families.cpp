#include "tools/import/hf_families.hpp"

#include <algorithm>

#include "tools/import/hf_layers.hpp"

namespace clusterwright {

namespace {

constexpr HfNumber need(std::string_view keys) {
  return {keys, HfNumber::required};
}

constexpr HfNumber maybe(std::string_view keys) {
  return {keys, HfNumber::absent};
}

constexpr HfNumber usually(std::string_view keys, std::int64_t fallback) {
  return {keys, fallback};
}

constexpr HfNumber always(std::int64_t value) {
  return {"", value};
}

constexpr HfFlag on = {.fallback = true};

// Sizes that make a model what it is are needed even where the library would make some up; the rest may be missing.

HfFamily llama() {
  return {.model_type = "llama",
          .layers = need("num_hidden_layers"),
          .hidden = need("hidden_size"),
          .heads = need("num_attention_heads"),
          .kv_heads = maybe("num_key_value_heads"),
          .head_width = maybe("head_dim"),
          .ffn = need("intermediate_size"),
          .vocabulary = need("vocab_size"),
          .max_sequence = usually("max_position_embeddings", 2048),
          .tied_embeddings = {"tie_word_embeddings"},
          .biases = {"mlp_bias"},  // always with attention_bias in what has been published
          .attention_biases = {"attention_bias"}};
}

HfFamily mistral() {
  HfFamily f = llama();
  f.model_type = "mistral";
  f.kv_heads = usually("num_key_value_heads", 8);
  f.max_sequence = usually("max_position_embeddings", 131072);
  f.sliding_window = usually("sliding_window", 4096);
  f.biases = f.attention_biases = {};
  return f;
}

HfFamily mixtral() {
  HfFamily f = mistral();
  f.model_type = "mixtral";
  f.sliding_window = maybe("sliding_window");
  f.experts = {.experts = usually("num_local_experts", 8),
               .per_token = usually("num_experts_per_tok", 2),
               .ffn = need("intermediate_size")};
  return f;
}

HfFamily qwen2() {
  HfFamily f = llama();
  f.model_type = "qwen2";
  f.kv_heads = usually("num_key_value_heads", 32);
  f.max_sequence = usually("max_position_embeddings", 32768);
  f.sliding_window = usually("sliding_window", 4096);
  f.windows = {"use_sliding_window"};
  f.biases = {};
  f.attention_biases = on;
  f.adjust = adjust_qwen_windows;
  return f;
}

HfFamily qwen2_moe() {
  HfFamily f = qwen2();
  f.model_type = "qwen2_moe";
  f.kv_heads = usually("num_key_value_heads", 16);
  f.attention_biases = {"qkv_bias", true};
  f.experts = {.experts = usually("num_experts", 60),
               .per_token = usually("num_experts_per_tok", 4),
               .ffn = usually("moe_intermediate_size", 1408),
               .shared = always(1),
               .shared_ffn = usually("shared_expert_intermediate_size", 5632),
               .every = usually("decoder_sparse_step", 1)};
  f.adjust = adjust_qwen_layers;
  f.unsaid = "the gate in front of the shared expert";
  return f;
}

HfFamily qwen3() {
  HfFamily f = qwen2();
  f.model_type = "qwen3";
  f.head_width = usually("head_dim", 128);
  f.attention_biases = {"attention_bias"};
  f.query_key_norm = on;
  return f;
}

HfFamily qwen3_moe() {
  HfFamily f = qwen3();
  f.model_type = "qwen3_moe";
  f.kv_heads = usually("num_key_value_heads", 4);
  f.head_width = maybe("head_dim");
  f.experts = {.experts = usually("num_experts", 128),
               .per_token = usually("num_experts_per_tok", 8),
               .ffn = usually("moe_intermediate_size", 768),
               .every = usually("decoder_sparse_step", 1)};
  f.adjust = adjust_qwen_layers;
  return f;
}

HfFamily gemma() {
  HfFamily f = llama();
  f.model_type = "gemma";
  f.kv_heads = usually("num_key_value_heads", 16);
  f.head_width = usually("head_dim", 256);
  f.max_sequence = usually("max_position_embeddings", 8192);
  f.tied_embeddings = {"tie_word_embeddings", true};
  f.biases = {};
  return f;
}

HfFamily gemma2() {
  HfFamily f = gemma();
  f.model_type = "gemma2";
  f.kv_heads = usually("num_key_value_heads", 4);
  f.sliding_window = usually("sliding_window", 4096);
  f.full_attention_every = always(2);
  f.unsaid = "the norms behind attention and MLP";
  return f;
}

HfFamily gemma3_text() {
  HfFamily f = gemma2();
  f.model_type = "gemma3_text";
  f.heads = usually("num_attention_heads", 8);  // files with a vision part leave out what the library has by itself
  f.vocabulary = usually("vocab_size", 262208);
  f.max_sequence = usually("max_position_embeddings", 131072);
  f.full_attention_every = usually("sliding_window_pattern", 6);
  f.query_key_norm = on;
  return f;
}

HfFamily phi3() {
  HfFamily f = llama();
  f.model_type = "phi3";
  f.max_sequence = usually("max_position_embeddings", 4096);
  f.sliding_window = maybe("sliding_window");
  f.biases = f.attention_biases = {};
  return f;
}

HfFamily olmo2() {
  HfFamily f = llama();
  f.model_type = "olmo2";
  f.biases = {};
  f.query_key_norm = on;
  f.unsaid =
      "norms behind attention and MLP instead of in front, and a gain for every head in those of queries and keys";
  return f;
}

HfFamily cohere() {
  HfFamily f = llama();
  f.model_type = "cohere";
  f.max_sequence = usually("max_position_embeddings", 8192);
  f.tied_embeddings = {"tie_word_embeddings", true};
  f.biases = {};
  f.query_key_norm = {"use_qk_norm"};
  f.parallel_block = on;
  f.normalisation = Normalisation::layer;
  f.unsaid = "layer norms without a shift";
  return f;
}

HfFamily gpt_oss() {
  HfFamily f = llama();
  f.model_type = "gpt_oss";
  f.kv_heads = usually("num_key_value_heads", 8);
  f.head_width = usually("head_dim", 64);
  f.max_sequence = usually("max_position_embeddings", 131072);
  f.sliding_window = usually("sliding_window", 128);
  f.full_attention_every = always(2);
  f.biases = {"attention_bias", true};  // experts and router have theirs in any case
  f.attention_biases = {};
  f.experts = {.experts = usually("num_local_experts|num_experts", 128),
               .per_token = usually("num_experts_per_tok|experts_per_token", 4),
               .ffn = need("intermediate_size")};
  f.unsaid = "one attention sink per head";
  return f;
}

HfFamily deepseek(std::string_view model_type) {
  HfFamily f = llama();
  f.model_type = model_type;
  f.kv_heads = f.head_width = {};  // follow from latent attention
  f.biases = f.attention_biases = {};
  f.predicted_tokens = maybe("num_nextn_predict_layers");
  f.latent = {.query_rank = usually("q_lora_rank", 1536),
              .key_value_rank = usually("kv_lora_rank", 512),
              .plain_width = usually("qk_nope_head_dim", 128),
              .rotary_width = usually("qk_rope_head_dim", 64),
              .value_width = usually("v_head_dim", 128)};
  f.adjust = adjust_deepseek_layers;
  return f;
}

HfFamily deepseek_v2() {
  HfFamily f = deepseek("deepseek_v2");
  f.experts = {.experts = usually("n_routed_experts|num_experts", 64),
               .per_token = need("num_experts_per_tok"),  // the library has none
               .ffn = usually("moe_intermediate_size", 1407),
               .shared = usually("n_shared_experts", 2),
               .dense_layers = usually("first_k_dense_replace", 0),
               .groups = maybe("n_group"),
               .groups_per_token = maybe("topk_group")};
  return f;
}

HfFamily deepseek_v3(std::string_view model_type = "deepseek_v3") {
  HfFamily f = deepseek(model_type);
  f.max_sequence = usually("max_position_embeddings", 4096);
  f.experts = {.experts = usually("n_routed_experts|num_experts|num_local_experts", 256),
               .per_token = usually("num_experts_per_tok", 8),
               .ffn = usually("moe_intermediate_size", 2048),
               .shared = usually("n_shared_experts", 1),
               .dense_layers = usually("first_k_dense_replace", 3),
               .groups = usually("n_group", 8),
               .groups_per_token = usually("topk_group", 4)};
  f.unsaid = "the router's bias for balance";
  return f;
}

HfFamily glm4_moe() {
  HfFamily f = llama();
  f.model_type = "glm4_moe";
  f.kv_heads = usually("num_key_value_heads", 8);
  f.max_sequence = usually("max_position_embeddings", 131072);
  f.biases = {};
  f.query_key_norm = {"use_qk_norm"};
  f.predicted_tokens = maybe("num_nextn_predict_layers");
  f.experts = {.experts = usually("n_routed_experts|num_experts", 128),
               .per_token = usually("num_experts_per_tok", 8),
               .ffn = usually("moe_intermediate_size", 1408),
               .shared = usually("n_shared_experts", 1),
               .dense_layers = usually("first_k_dense_replace", 1),
               .groups = usually("n_group", 1),
               .groups_per_token = usually("topk_group", 1)};
  f.unsaid = "the router's bias for balance";
  return f;
}

HfFamily llama4_text() {
  HfFamily f = llama();
  f.model_type = "llama4_text";
  f.kv_heads = usually("num_key_value_heads", 8);
  f.head_width = usually("head_dim", 128);
  f.ffn = usually("intermediate_size_mlp", 16384);
  f.max_sequence = usually("max_position_embeddings", 131072);
  f.attention_chunk = usually("attention_chunk_size", 8192);
  f.full_attention_every = usually("no_rope_layer_interval", 4);
  f.biases = {};
  f.experts = {.experts = usually("num_local_experts", 16),
               .per_token = usually("num_experts_per_tok", 1),
               .ffn = need("intermediate_size"),
               .shared = always(1),
               .every = usually("interleave_moe_layer_step", 1)};
  f.adjust = adjust_llama4_layers;
  f.unsaid = "norms of queries and keys, which have no parameters";
  return f;
}

HfFamily grok1() {
  HfFamily f = llama();
  f.model_type = "grok-1";
  f.kv_heads = usually("num_key_value_heads", 32);
  f.max_sequence = usually("max_position_embeddings", 4096);
  f.tied_embeddings = {"tie_word_embeddings", true};
  f.biases = f.attention_biases = {};
  f.experts = {.experts = usually("num_experts|num_local_experts", 8),
               .per_token = usually("num_experts_per_tok", 2),
               .ffn = usually("intermediate_size", 32768)};
  f.unsaid = "the norms behind attention and MLP";
  return f;
}

/// Of GPT-2's time: two matrices in the MLP, layer norms, biases, one table of tokens.
HfFamily classic(std::string_view model_type) {
  return {.model_type = model_type,
          .layers = need("num_hidden_layers|n_layer"),
          .hidden = need("hidden_size|n_embed"),
          .heads = need("num_attention_heads|n_head"),
          .ffn_ratio = always(4),
          .vocabulary = need("vocab_size"),
          .max_sequence = usually("max_position_embeddings", 2048),
          .gated_mlp = {},
          .tied_embeddings = {"tie_word_embeddings", true},
          .biases = on,
          .normalisation = Normalisation::layer};
}

HfFamily gpt2() {
  HfFamily f = classic("gpt2");
  f.layers = need("n_layer|num_hidden_layers");
  f.hidden = need("n_embd|hidden_size");
  f.heads = need("n_head|num_attention_heads");
  f.ffn = maybe("n_inner");
  f.max_sequence = usually("n_positions|max_position_embeddings|n_ctx", 1024);
  f.positions = PositionEncoding::learned;
  return f;
}

HfFamily gpt_neox() {
  HfFamily f = classic("gpt_neox");
  f.ffn = need("intermediate_size");
  f.tied_embeddings = {"tie_word_embeddings"};
  f.biases = {"attention_bias", true};
  f.parallel_block = {"use_parallel_residual", true};
  f.unsaid = "a norm of its own for the MLP beside attention";
  return f;
}

HfFamily opt() {
  HfFamily f = classic("opt");
  f.ffn = need("ffn_dim");
  f.biases = {"enable_bias", true};
  f.positions = PositionEncoding::learned;
  f.adjust = adjust_opt_embedding;
  f.unsaid = "two unused rows of the position table";
  return f;
}

HfFamily bloom() {
  HfFamily f = classic("bloom");
  f.layers = need("n_layer|num_hidden_layers");
  f.hidden = need("n_embed|hidden_size");
  f.heads = need("n_head|num_attention_heads");
  f.max_sequence = usually("seq_length", 2048);
  f.positions = PositionEncoding::alibi;
  f.unsaid = "the norm behind the token table";
  return f;
}

HfFamily falcon() {
  HfFamily f = classic("falcon");
  f.kv_heads = maybe("num_kv_heads|n_head_kv");
  f.ffn = maybe("ffn_hidden_size");
  f.biases = {"bias"};
  f.parallel_block = {"parallel_attn", true};
  f.adjust = adjust_falcon;
  return f;
}

HfFamily starcoder2() {
  HfFamily f = classic("starcoder2");
  f.kv_heads = usually("num_key_value_heads", 2);
  f.ffn = need("intermediate_size");
  f.max_sequence = usually("max_position_embeddings", 4096);
  f.sliding_window = maybe("sliding_window");
  f.biases = {"use_bias", true};
  return f;
}

HfFamily mpt() {
  HfFamily f = classic("mpt");
  f.layers = need("n_layers|num_hidden_layers");
  f.hidden = need("d_model|hidden_size");
  f.heads = need("n_heads|num_attention_heads");
  f.ffn_ratio = usually("expansion_ratio", 4);
  f.max_sequence = usually("max_seq_len", 2048);
  f.biases = {"no_bias", true, true};
  f.positions = PositionEncoding::alibi;
  f.unsaid = "layer norms without a shift";
  return f;
}

}  // namespace

std::span<const HfFamily> hf_families() {
  static const std::vector<HfFamily> families = {llama(),
                                                 mistral(),
                                                 mixtral(),
                                                 qwen2(),
                                                 qwen2_moe(),
                                                 qwen3(),
                                                 qwen3_moe(),
                                                 gemma(),
                                                 gemma2(),
                                                 gemma3_text(),
                                                 phi3(),
                                                 gpt2(),
                                                 gpt_neox(),
                                                 opt(),
                                                 bloom(),
                                                 falcon(),
                                                 deepseek_v2(),
                                                 deepseek_v3(),
                                                 deepseek_v3("kimi_k2"),
                                                 llama4_text(),
                                                 gpt_oss(),
                                                 cohere(),
                                                 glm4_moe(),
                                                 grok1(),
                                                 olmo2(),
                                                 starcoder2(),
                                                 mpt()};
  return families;
}

std::vector<std::string> hf_family_names() {
  std::vector<std::string> names;
  for (const HfFamily& family : hf_families()) names.emplace_back(family.model_type);
  return names;
}

const HfFamily* find_hf_family(std::string_view model_type) {
  const auto families = hf_families();
  const auto at = std::find_if(families.begin(), families.end(),
                               [&](const HfFamily& family) { return family.model_type == model_type; });
  return at == families.end() ? nullptr : &*at;
}

}  // namespace clusterwright
