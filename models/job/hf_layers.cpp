// SPDX-License-Identifier: Apache-2.0
#include "models/job/hf_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/job/hf_reader.hpp"

namespace clusterwright {

namespace {

constexpr const char* not_modelled = "E0313";
constexpr const char* layer_contradiction = "E0343";

FieldSpec count_spec(double min, double max) {
  FieldSpec spec;
  spec.type = FieldType::integer;
  spec.min = min;
  spec.max = max;
  return spec;
}

void drop_windows(HfReader& r) {
  for (const char* key : {"sliding_window", "attention_chunk", "full_attention_every"}) r.drop(key);
}

/// Distance of marked layers, if each is the last of its run.
std::optional<std::int64_t> period(const std::vector<bool>& marked) {
  const auto first = std::find(marked.begin(), marked.end(), true) - marked.begin() + 1;
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (marked[i] != ((static_cast<std::int64_t>(i) + 1) % first == 0)) return {};
  return first;
}

/// Nearest even share of layers that are not evenly spread: costs follow their count, not their order.
void settle_full_layers(HfReader& r, const std::vector<bool>& full, std::string_view from) {
  r.forget(r.family().full_attention_every);
  const auto count = std::count(full.begin(), full.end(), true);
  if (static_cast<std::size_t>(count) == full.size()) return drop_windows(r);
  r.drop("full_attention_every");
  if (count == 0) return;
  auto every = period(full);
  if (!every) {
    every = std::llround(static_cast<double>(full.size()) / static_cast<double>(count));
    r.note(fmt::format("{} of {} layers attend to all tokens, at uneven distances: modelled as one layer in {}", count,
                       full.size(), *every));
  }
  r.set("full_attention_every", *every, from);
}

bool attends_to_all(HfReader& r, const JsonValue& type) {
  const std::string name = type.is(JsonKind::text) ? type.as_text() : "";
  if (name == "full_attention") return true;
  if (name != "sliding_attention" && name != "chunked_attention")
    r.error_at(not_modelled, "only full_attention, sliding_attention and chunked_attention are modelled", type);
  return false;
}

/// Layers without rotary positions attend to everything, those with them to their chunk.
bool lacks_rotation(HfReader& r, const JsonValue& flag) {
  if (!flag.is(JsonKind::integer)) r.error_at("E0201", "must be 0 or 1", flag);
  return flag.as_integer() == 0;
}

std::int64_t layers_of(const HfReader& r) {
  return r.written_number("/layers");
}

/// Layers marked by a list of their numbers; empty without the list.
std::vector<bool> marked_layers(HfReader& r, std::string_view key) {
  std::vector<bool> marked(static_cast<std::size_t>(layers_of(r)), false);
  const bool listed = r.each(key, [&](const JsonValue& element) {
    const bool exists = element.is(JsonKind::integer) && element.as_integer() >= 0 &&
                        static_cast<std::size_t>(element.as_integer()) < marked.size();
    if (exists)
      marked[static_cast<std::size_t>(element.as_integer())] = true;
    else
      r.error_at(layer_contradiction, fmt::format("must be the index of a layer, less than {}", marked.size()),
                 element);
  });
  return listed ? marked : std::vector<bool>();
}

}  // namespace

void settle_attention(HfReader& r) {
  const bool windows = r.written("/sliding_window") || r.written("/attention_chunk");
  std::vector<bool> full;
  std::string_view from = "layer_types";
  if (!r.each(from, [&](const JsonValue& type) { full.push_back(attends_to_all(r, type)); }) &&
      r.written("/attention_chunk")) {
    from = "no_rope_layers";
    r.each(from, [&](const JsonValue& flag) { full.push_back(lacks_rotation(r, flag)); });
  }
  const auto layers = static_cast<std::size_t>(layers_of(r));
  if (!full.empty() && full.size() < layers)
    r.error(layer_contradiction, fmt::format("lists {} layers of {}", full.size(), layers), from);
  if (!windows) return drop_windows(r);
  if (full.empty() || full.size() < layers) return;
  full.resize(layers);
  settle_full_layers(r, full, from);
}

void adjust_qwen_windows(HfReader& r) {
  if (!r.written("/sliding_window") || r.part().find("layer_types")) return;
  const auto leading = r.number({"max_window_layers", 28}, count_spec(0, 1 << 14));
  std::vector<bool> full(static_cast<std::size_t>(layers_of(r)), false);
  std::fill_n(full.begin(), std::min<std::int64_t>(leading.value_or(0), layers_of(r)), true);
  if (!full.empty()) settle_full_layers(r, full, "max_window_layers");
}

void adjust_qwen_layers(HfReader& r) {
  adjust_qwen_windows(r);
  if (!r.written("/experts")) return;
  const std::vector<bool> dense = marked_layers(r, "mlp_only_layers");
  const auto leading = std::find(dense.begin(), dense.end(), false) - dense.begin();
  if (std::count(dense.begin(), dense.end(), true) != leading)
    r.error(not_modelled, "only leading layers may be without experts", "mlp_only_layers");
  else if (leading > 0)
    r.set_in("experts", "dense_layers", static_cast<std::int64_t>(leading), "mlp_only_layers");
}

void adjust_llama4_layers(HfReader& r) {
  if (!r.written("/experts")) return;
  const std::vector<bool> mixed = marked_layers(r, "moe_layers");
  if (mixed.empty()) return;
  if (const auto every = period(mixed))
    r.set_in("experts", "every", *every, "moe_layers");
  else
    r.error(not_modelled, "layers with experts must be evenly spread", "moe_layers");
}

void adjust_deepseek_layers(HfReader& r) {
  if (r.number({"moe_layer_freq", HfNumber::absent}, count_spec(1, 1 << 14)).value_or(1) != 1)
    r.error(not_modelled, "every layer after the dense ones must have experts (1)", "moe_layer_freq");
}

/// Multi-query attention is a flag of the first generation; the second one names its key-value heads.
void adjust_falcon(HfReader& r) {
  const bool newer = r.flag({"new_decoder_architecture"});
  if (newer) {
    r.set("parallel_block", true, "new_decoder_architecture");
    r.note("not described: the separate norm of the MLP beside attention");
  }
  const bool multi_query = r.flag({"multi_query", true});
  if (!newer && multi_query) r.set("kv_heads", std::int64_t{1}, "multi_query");
  if (!newer && !multi_query) r.drop("kv_heads");
  if (r.flag({"alibi"})) r.set("positions", "alibi", "alibi");
}

void adjust_opt_embedding(HfReader& r) {
  const auto width = r.number({"word_embed_proj_dim", HfNumber::absent}, count_spec(1, 1 << 26));
  if (width && *width != r.written_number("/hidden", *width))
    r.error(not_modelled, "token tables narrower than the hidden size are not modelled", "word_embed_proj_dim");
}

}  // namespace clusterwright
