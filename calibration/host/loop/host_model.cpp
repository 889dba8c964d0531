// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/host_model.hpp"

#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace clusterwright {

void HostModel::check() const {
  for (const auto& [name, size] :
       {std::pair("layers", layers), std::pair("hidden", hidden), std::pair("heads", heads), std::pair("ffn", ffn),
        std::pair("vocabulary", vocabulary), std::pair("sequence", sequence), std::pair("sequences", sequences)})
    if (size < 1) throw std::invalid_argument(fmt::format("{} must be at least 1 (got {})", name, size));
  if (hidden % heads != 0)
    throw std::invalid_argument(fmt::format("heads must divide hidden (got heads {}, hidden {})", heads, hidden));
}

ParameterLayout::ParameterLayout(const HostModel& model) {
  std::int64_t used = 0;
  const auto place = [&used](std::int64_t count) {
    const std::int64_t begin = used;
    used += count;
    return begin;
  };
  const std::int64_t hidden = model.hidden;
  embedding = place(model.vocabulary * hidden);
  for (std::int64_t i = 0; i < model.layers; ++i) {
    Layer& layer = layers.emplace_back();
    layer.attention_norm = place(hidden);
    layer.qkv = place(hidden * 3 * hidden);
    layer.projection = place(hidden * hidden);
    layer.mlp_norm = place(hidden);
    layer.up = place(hidden * model.ffn);
    layer.down = place(model.ffn * hidden);
  }
  final_norm = place(hidden);
  head = place(hidden * model.vocabulary);
  size = used;
}

}  // namespace clusterwright
