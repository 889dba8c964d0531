// SPDX-License-Identifier: Apache-2.0
#include "models/job/hf_families.hpp"

#include <algorithm>

#include "models/job/hf_layers.hpp"
#include "models/job/hf_mixture_families.hpp"

namespace clusterwright::hf {

// Sizes that define a model are required even where the library has defaults; other fields may be missing.

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

HfFamily qwen3() {
  HfFamily f = qwen2();
  f.model_type = "qwen3";
  f.head_width = usually("head_dim", 128);
  f.attention_biases = {"attention_bias"};
  f.query_key_norm = on;
  return f;
}

namespace {

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
  f.unsaid = "the norms after attention and MLP";
  return f;
}

HfFamily gemma3_text() {
  HfFamily f = gemma2();
  f.model_type = "gemma3_text";
  f.heads = usually("num_attention_heads", 8);  // files with a vision part leave out what the library has by itself
  f.vocabulary = usually("vocab_size", 262208);
  f.max_sequence = usually("max_position_embeddings", 131072);
  f.full_attention_every = usually("sliding_window_pattern|_sliding_window_pattern", 6);
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
      "norms after attention and MLP instead of before them, and one gain per head in the norms of queries and keys";
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

std::vector<HfFamily> gated_families() {
  return {llama(), mistral(), qwen2(), qwen3(), gemma(), gemma2(), gemma3_text(), phi3(), olmo2(), cohere()};
}

/// Family of the time of GPT-2: two matrices in the MLP, layer norms, biases, one table of tokens.
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
  f.unsaid = "the separate norm of the MLP beside attention";
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
  f.unsaid = "the norm after the token table";
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

std::vector<HfFamily> classic_families() {
  return {gpt2(), gpt_neox(), opt(), bloom(), falcon(), starcoder2(), mpt()};
}

}  // namespace

}  // namespace clusterwright::hf

namespace clusterwright {

std::span<const HfFamily> hf_families() {
  static const std::vector<HfFamily> families = [] {
    std::vector<HfFamily> all;
    for (const auto& some : {hf::gated_families(), hf::mixture_families(), hf::classic_families()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
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
