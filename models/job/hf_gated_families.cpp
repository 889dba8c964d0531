// SPDX-License-Identifier: Apache-2.0
#include "models/job/hf_gated_families.hpp"

#include "models/job/hf_layers.hpp"
#include "models/job/hf_rules.hpp"

// Sizes that make a model what it is are needed even where the library would make some up; the rest may be missing.

namespace clusterwright::hf {

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

}  // namespace

std::vector<HfFamily> gated_families() {
  return {llama(), mistral(), qwen2(), qwen3(), gemma(), gemma2(), gemma3_text(), phi3(), olmo2(), cohere()};
}

}  // namespace clusterwright::hf
