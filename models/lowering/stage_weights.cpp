// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/stage_weights.hpp"

#include <algorithm>
#include <utility>

namespace clusterwright {

namespace {

std::vector<WeightBucket> layer_buckets(const PlannedJob& planned, const ChunkContents& contents) {
  const auto trained_in = [&](int first, int layers) {
    const int number = contents.first_layer + first;
    return planned.lora_rank > 0 ? adapters_of(planned, number, layers) : layers_share(planned, number, layers);
  };
  const double wanted = planned.stack.bucket.value.in(byte) / planned.stack.gradient_size.value;
  std::vector<WeightBucket> buckets;
  for (int first = 0; first < std::max(1, contents.layers);) {
    const double one = trained_in(first, 1).total();
    const int step = std::max(1, static_cast<int>(std::min(wanted / one, 1e6)));
    const int layers = std::max(0, std::min(step, contents.layers - first));
    buckets.push_back(
        {first, layers, layers_share(planned, contents.first_layer + first, layers), 0, trained_in(first, layers)});
    first += step;
  }
  return buckets;
}

/// The embedding joins the first bucket of its chunk, the head the last one.
void add_chunk(StageWeights& weights, const PlannedJob& planned, const ChunkContents& contents) {
  std::vector<WeightBucket> buckets = layer_buckets(planned, contents);
  const bool adapters = planned.lora_rank > 0;
  const double table = contents.embedding ? embedding_parameters(planned.model) / planned.plan.tensor : 0;
  const RankParameters head = contents.head ? head_share(planned) : RankParameters{};
  weights.root += table + head.common;
  weights.trained_root += adapters ? 0 : table + head.common;
  weights.trained_routed += adapters ? 0 : head.routed;
  buckets.front().root += table;
  buckets.back().root += head.common;
  buckets.back().weights.routed += head.routed;
  if (!adapters) {
    buckets.front().trained.common += table;
    buckets.back().trained += head;
  }
  weights.chunks.push_back(std::move(buckets));
}

}  // namespace

StageWeights stage_weights(const PlannedJob& planned, int stage) {
  StageWeights weights;
  for (int chunk = 0; chunk < planned.layout.chunks(); ++chunk)
    add_chunk(weights, planned, planned.layout.at(stage, chunk));
  for (const std::vector<WeightBucket>& buckets : weights.chunks)
    for (const WeightBucket& bucket : buckets) weights.trained += bucket.trained;
  return weights;
}

}  // namespace clusterwright
