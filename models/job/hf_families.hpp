// SPDX-License-Identifier: Apache-2.0
/// Families of models that a Hugging Face config.json may describe: the keys of each, and the values that the
/// transformers library takes for missing ones.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/job/transformer.hpp"

namespace clusterwright {

/// Number of config.json. Keys divided by '|' are names that the library takes as equal.
struct HfNumber {
  static constexpr std::int64_t absent = -1, required = -2;

  std::string_view keys = {};      ///< empty: the family has no such key and always the fallback
  std::int64_t fallback = absent;  ///< value if the key is missing
};

struct HfFlag {
  std::string_view key = {};  ///< empty: always the fallback
  bool fallback = false;
  bool inverted = false;  ///< the key means the opposite: "no_bias"
};

/// Members are named as in ExpertMixture.
struct HfMixture {
  HfNumber experts = {}, per_token = {}, ffn = {}, shared = {}, shared_ffn = {}, dense_layers = {}, every = {},
           groups = {}, groups_per_token = {};
};

/// Members are named as in LatentAttention.
struct HfLatent {
  HfNumber query_rank = {}, key_value_rank = {}, plain_width = {}, rotary_width = {}, value_width = {};
};

class HfReader;

/// Members are named as in Transformer.
struct HfFamily {
  std::string_view model_type = {};
  HfNumber layers = {}, hidden = {}, heads = {}, kv_heads = {}, head_width = {}, ffn = {};
  HfNumber ffn_ratio = {};  ///< ffn / hidden, where ffn is not given
  HfNumber vocabulary = {}, max_sequence = {}, sliding_window = {}, attention_chunk = {}, full_attention_every = {},
           predicted_tokens = {};
  HfFlag windows = {.fallback = true};  ///< false: the model has a window and does not use it
  HfFlag gated_mlp = {.fallback = true};
  HfFlag tied_embeddings = {}, biases = {}, attention_biases = {}, query_key_norm = {}, parallel_block = {};
  Normalisation normalisation = Normalisation::rms;
  PositionEncoding positions = PositionEncoding::rotary;
  std::optional<HfMixture> experts = {};
  std::optional<HfLatent> latent = {};
  void (*adjust)(HfReader&) = nullptr;  ///< changes that no table expresses
  std::string_view unsaid = {};         ///< features that Transformer cannot describe
};

std::span<const HfFamily> hf_families();
std::vector<std::string> hf_family_names();
const HfFamily* find_hf_family(std::string_view model_type);  ///< nullptr: not known

}  // namespace clusterwright

namespace clusterwright::hf {

// Words of the tables of families.

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

inline constexpr HfFlag on = {.fallback = true};

/// Families that others vary.
HfFamily llama();
HfFamily mistral();
HfFamily qwen2();
HfFamily qwen3();

}  // namespace clusterwright::hf
