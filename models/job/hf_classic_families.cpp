// SPDX-License-Identifier: Apache-2.0
#include "models/job/hf_classic_families.hpp"

#include "models/job/hf_layers.hpp"
#include "models/job/hf_rules.hpp"

namespace clusterwright::hf {

namespace {

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

}  // namespace

std::vector<HfFamily> classic_families() {
  return {gpt2(), gpt_neox(), opt(), bloom(), falcon(), starcoder2(), mpt()};
}

}  // namespace clusterwright::hf
