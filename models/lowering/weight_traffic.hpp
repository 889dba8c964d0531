// SPDX-License-Identifier: Apache-2.0
/// Traffic of one rank's weights in the course of a step: gathers of sharded weights, reductions of gradients.
#pragma once

#include <vector>

#include "models/lowering/level_copies.hpp"
#include "models/lowering/parameter_exchange.hpp"
#include "models/lowering/stage_weights.hpp"
#include "models/plan/stage_schedule.hpp"

namespace clusterwright {

/// Two regimes. Weights that every replica keeps (or gathers once per step: ZeRO-1, ZeRO-2, and any sharding under a
/// pipeline) travel in buckets, gathered in front of the first forward pass, reduced behind the last backward pass.
/// Weights that are sharded layer by layer (ZeRO-3, FSDP) are gathered for each pass of each layer, a few layers ahead,
/// and their gradients are scattered behind it.
class WeightTraffic {
 public:
  WeightTraffic(RankOps& ops, const PlannedStep& step, const StageWeights& weights, ParameterExchange& exchange,
                LevelCopies& copies, int stage);

  void begin_step();
  /// Gathers in front of a layer's kernels.
  /// @return ops that the layer must wait for
  std::vector<OpId> before_layer(const PipelineSlot& slot, int layer);
  /// Reductions behind the kernels of the backward pass of a layer.
  void after_layer(const PipelineSlot& slot, int layer);
  /// Reductions behind the backward pass of a chunk.
  /// @return op that the next micro-batch must wait for where nothing overlaps; may not exist
  OpId after_backward(const PipelineSlot& slot);
  /// Reductions of all gradients that were not reduced yet.
  /// @return the last reduction; does not exist if there was none
  OpId reduce_rest();

 private:
  std::vector<OpId> streamed_before(const PipelineSlot& slot, int layer);
  OpId gather_layer(int position, OpId after);
  OpId gather_bucket(const WeightBucket& bucket);
  /// Weights of a layer by its place on the stage, chunk after chunk.
  RankParameters layer_at(int place) const;
  /// Chunks of the stage, so that both ranks with a copy of a chunk start with the same one (DualPipe).
  std::vector<int> chunks_in_common_order() const;
  bool reduces(const PipelineSlot& slot) const;
  const std::vector<WeightBucket>& buckets(int chunk) const { return weights_.chunks[static_cast<std::size_t>(chunk)]; }

  RankOps& ops_;
  const PlannedStep& step_;
  const StageWeights& weights_;
  ParameterExchange& exchange_;
  LevelCopies& copies_;
  int stage_;
  bool streamed_;
  std::vector<std::vector<OpId>> gathers_;  // by chunk and bucket
  OpId last_gather_;
  std::vector<RankParameters> unreduced_;  // trained parameters
  // Layer by layer: passes run over positions 0..layers-1 (forward) and on to 2 layers - 1 (backward).
  std::vector<OpId> streamed_gathers_;  // by position of the present micro-batch
};

}  // namespace clusterwright
