// SPDX-License-Identifier: Apache-2.0
#include "models/job/hf_mixture_families.hpp"

#include "models/job/hf_families.hpp"
#include "models/job/hf_layers.hpp"

namespace clusterwright::hf {

namespace {

HfFamily mixtral() {
  HfFamily f = mistral();
  f.model_type = "mixtral";
  f.sliding_window = maybe("sliding_window");
  f.experts = {.experts = usually("num_local_experts", 8),
               .per_token = usually("num_experts_per_tok", 2),
               .ffn = need("intermediate_size")};
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

HfFamily deepseek_v3(std::string_view model_type) {
  HfFamily f = deepseek(model_type);
  f.max_sequence = usually("max_position_embeddings", 4096);
  f.experts = {.experts = usually("n_routed_experts|num_experts|num_local_experts", 256),
               .per_token = usually("num_experts_per_tok", 8),
               .ffn = usually("moe_intermediate_size", 2048),
               .shared = usually("n_shared_experts", 1),
               .dense_layers = usually("first_k_dense_replace", 3),
               .groups = usually("n_group", 8),
               .groups_per_token = usually("topk_group", 4)};
  f.unsaid = "the router's bias for load balance";
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
  f.unsaid = "the router's bias for load balance";
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
  f.unsaid = "the norms after attention and MLP";
  return f;
}

}  // namespace

std::vector<HfFamily> mixture_families() {
  return {mixtral(),  qwen2_moe(),   qwen3_moe(), deepseek_v2(), deepseek_v3("deepseek_v3"), deepseek_v3("kimi_k2"),
          glm4_moe(), llama4_text(), gpt_oss(),   grok1()};
}

}  // namespace clusterwright::hf
