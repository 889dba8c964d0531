// SPDX-License-Identifier: Apache-2.0
#include "gemm_shapes.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace clusterwright::probes {
namespace {

struct LinearWidths {
  const char* role;
  std::int64_t out, in;  // of one rank
};

std::vector<LinearWidths> linear_layers(const TransformerWidths& model, int split) {
  const int kv_heads = std::max(model.kv_heads, split);  // fewer heads than ranks are replicated
  const std::int64_t attention = std::int64_t{model.heads} * model.head_dim;
  return {{"qkv", (attention + 2ll * kv_heads * model.head_dim) / split, model.hidden},
          {"attention_out", model.hidden, attention / split},
          {"mlp_up", (model.gated ? 2ll : 1ll) * model.ffn / split, model.hidden},
          {"mlp_down", model.hidden, model.ffn / split},
          {"head", (model.vocabulary + split - 1) / split, model.hidden}};
}

GemmShape layer_shape(const LinearWidths& layer, std::int64_t tokens, GemmLayout layout, DataType type) {
  if (layout == GemmLayout::forward) return {tokens, layer.out, layer.in, layout, type};
  if (layout == GemmLayout::input_gradient) return {tokens, layer.in, layer.out, layout, type};
  return {layer.out, layer.in, tokens, layout, type};
}

/// Drops shapes that an earlier model already has.
class CaseList {
 public:
  void add(const std::string& origin, const GemmShape& shape) {
    const auto key = std::make_tuple(shape.m, shape.n, shape.k, shape.layout, shape.accumulate_fp32);
    if (seen_.insert(key).second) cases_.push_back({origin, shape});
  }
  std::vector<GemmCase> take() { return std::move(cases_); }

 private:
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, GemmLayout, bool>> seen_;
  std::vector<GemmCase> cases_;
};

void add_model(CaseList& list, const TransformerWidths& model, std::int64_t tokens, DataType type, bool full) {
  for (const int split : {1, 2, 4, 8}) {
    for (const LinearWidths& layer : linear_layers(model, split)) {
      const std::string origin = std::string(model.name) + " tp" + std::to_string(split) + " " + layer.role;
      for (const GemmLayout layout : {GemmLayout::forward, GemmLayout::input_gradient, GemmLayout::weight_gradient}) {
        list.add(origin, layer_shape(layer, tokens, layout, type));
      }
      if (!full || type != DataType::bf16) continue;
      GemmShape shape = layer_shape(layer, tokens, GemmLayout::weight_gradient, type);
      shape.accumulate_fp32 = true;
      list.add(origin, shape);
    }
  }
}

}  // namespace

const std::vector<TransformerWidths>& transformer_widths() {
  // Order of worth: a run that is cut has the common shapes. The first three are the quick suite.
  static const std::vector<TransformerWidths> models = {
      {"llama3-8b", 4096, 14336, 32, 8, 128, true, 128256},   {"llama3-70b", 8192, 28672, 64, 8, 128, true, 128256},
      {"gpt-1.3b", 2048, 8192, 16, 16, 128, false, 50304},    {"gpt3-175b", 12288, 49152, 96, 96, 128, false, 50257},
      {"llama2-7b", 4096, 11008, 32, 32, 128, true, 32000},   {"llama3-405b", 16384, 53248, 128, 8, 128, true, 128256},
      {"gpt-22b", 6144, 24576, 64, 64, 96, false, 50304},     {"llama3.2-1b", 2048, 8192, 32, 8, 64, true, 128256},
      {"qwen2.5-32b", 5120, 27648, 40, 8, 128, true, 152064}, {"gpt-1t", 25600, 102400, 160, 160, 160, false, 50304},
  };
  return models;
}

std::vector<GemmCase> layer_gemms(DataType type, bool full) {
  CaseList list;
  const std::vector<std::int64_t> token_counts =
      full ? std::vector<std::int64_t>{8192, 2048} : std::vector<std::int64_t>{4096};
  const std::size_t models = full ? transformer_widths().size() : 3;
  for (const std::int64_t tokens : token_counts) {
    for (std::size_t i = 0; i < models; ++i) add_model(list, transformer_widths()[i], tokens, type, full);
  }
  return list.take();
}

std::vector<GemmCase> grid_gemms(DataType type, bool full) {
  CaseList list;
  const std::vector<std::int64_t> sizes = full ? std::vector<std::int64_t>{256, 512, 1024, 2048, 4096, 8192, 16384}
                                               : std::vector<std::int64_t>{512, 2048, 8192};
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      for (const std::int64_t k : sizes) list.add("grid", {m, n, k, GemmLayout::forward, type});
    }
  }
  return list.take();
}

std::vector<GemmCase> edge_gemms(DataType type, int multiprocessors, bool full) {
  CaseList list;
  for (const int offset : {-128, -64, -8, 8, 64, 128, 256, 512}) {
    list.add("tile edge", {4096 + offset, 4096, 4096, GemmLayout::forward, type});
    if (full) list.add("tile edge", {8192, 8192 + offset, 8192, GemmLayout::forward, type});
    if (full) list.add("tile edge", {4096, 4096, 4096 + offset, GemmLayout::forward, type});
  }
  for (int waves = 1; waves <= (full ? 6 : 3); ++waves) {
    for (const int extra : {-1, 0, 1}) {  // two columns of 256, so 2 x m / 128 tiles
      const std::int64_t rows_of_tiles = (waves * multiprocessors + 1) / 2 + extra;
      list.add("wave edge", {128 * rows_of_tiles, 512, 4096, GemmLayout::forward, type});
    }
  }
  for (const int tokens : {1, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    list.add("few tokens", {tokens, 4096, 4096, GemmLayout::forward, type});
    list.add("few tokens", {tokens, 28672, 8192, GemmLayout::forward, type});
    if (full) list.add("few tokens", {tokens, 8192, 28672, GemmLayout::forward, type});
  }
  return list.take();
}

std::vector<GemmCase> sustained_gemms(DataType type, bool full) {
  CaseList list;
  list.add("sustained", {8192, 8192, 8192, GemmLayout::forward, type});
  list.add("sustained", {4096, 28672, 4096, GemmLayout::forward, type});
  list.add("sustained", {4096, 4096, 14336, GemmLayout::input_gradient, type});
  list.add("sustained", {28672, 4096, 4096, GemmLayout::weight_gradient, type});
  list.add("sustained", {2048, 2048, 2048, GemmLayout::forward, type});
  if (!full) return list.take();
  for (const std::int64_t size : {1024, 4096, 16384})
    list.add("sustained", {size, size, size, GemmLayout::forward, type});
  for (const int split : {1, 8}) {
    for (const LinearWidths& layer : linear_layers(transformer_widths()[1], split)) {
      list.add("sustained llama3-70b", layer_shape(layer, 8192, GemmLayout::forward, type));
      list.add("sustained llama3-70b", layer_shape(layer, 8192, GemmLayout::weight_gradient, type));
    }
  }
  return list.take();
}

}  // namespace clusterwright::probes
