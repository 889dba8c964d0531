// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/weight_traffic.hpp"

#include <algorithm>
#include <numeric>

#include "models/kernels/streaming_time.hpp"
#include "models/plan/stage_schedule.hpp"

namespace clusterwright {

WeightTraffic::WeightTraffic(RankOps& ops, const PlannedStep& step, const StageWeights& weights,
                             ParameterExchange& exchange, LevelCopies& copies, int stage)
    : ops_(ops),
      step_(step),
      weights_(weights),
      exchange_(exchange),
      copies_(copies),
      stage_(stage),
      streamed_(streams_weights(step.job)) {}

std::vector<int> WeightTraffic::chunks_in_common_order() const {
  std::vector<int> chunks(weights_.chunks.size());
  std::iota(chunks.begin(), chunks.end(), 0);
  if (step_.layout().is_mirrored() && 2 * stage_ >= step_.plan().pipeline) std::reverse(chunks.begin(), chunks.end());
  return chunks;
}

void WeightTraffic::begin_step() {
  gathers_.assign(weights_.chunks.size(), {});
  last_gather_ = {};
  if (step_.plan().sharding == Sharding::none || streamed_ || !holds_weights_together(step_.job)) return;
  for (const int chunk : chunks_in_common_order())
    for (const WeightBucket& bucket : buckets(chunk)) {
      last_gather_ = gather_bucket(bucket);
      gathers_[static_cast<std::size_t>(chunk)].push_back(last_gather_);
    }
}

OpId WeightTraffic::gather_bucket(const WeightBucket& bucket) {
  // With adapters only they change; frozen weights stay where they are, unless they are sharded.
  const bool all = shards_weights(step_.plan().sharding) || step_.job.lora_rank == 0;
  return all ? exchange_.gather(bucket.weights, bucket.root, {}) : exchange_.gather(bucket.trained, 0, {});
}

std::vector<OpId> WeightTraffic::before_layer(const PipelineSlot& slot, int layer) {
  if (streamed_) return streamed_before(slot, layer);
  const auto chunk = static_cast<std::size_t>(slot.chunk);
  const bool first = slot.forward && slot.micro_batch == micro_batches_of(step_.plan(), slot.chunk).first;
  if (!first || gathers_[chunk].empty()) return {};
  if (!step_.scenario.stack.overlap_parameter_gather) {
    if (layer == 0 && (chunk == 0 || step_.layout().is_mirrored())) return {last_gather_};
    return {};
  }
  for (std::size_t i = 0; i < buckets(slot.chunk).size(); ++i)
    if (buckets(slot.chunk)[i].first_layer == layer) return {gathers_[chunk][i]};
  return {};
}

RankParameters WeightTraffic::layer_at(int place) const {
  int chunk = 0;
  while (place >= step_.layout().at(stage_, chunk).layers) place -= step_.layout().at(stage_, chunk++).layers;
  return layers_share(step_.job, step_.layout().at(stage_, chunk).first_layer + place, 1);
}

OpId WeightTraffic::gather_layer(int position, OpId after) {
  const int layers = step_.layout().layers_on(stage_);
  const RankParameters weights = layer_at(position < layers ? position : 2 * layers - 1 - position);
  const bool present = position >= layers && !step_.scenario.stack.regather_for_backward;
  if (present) return {};
  OpId fetched = after;
  if (const MemoryLevel level = step_.scenario.job.offload.weights; level != MemoryLevel::device) {
    const Bytes own = owned_part(step_.job, weights) * bytes_16bit * byte;
    fetched = copies_.copy(level, false, own, after, StepCharge::dp_exposed);
  }
  return exchange_.gather(weights, 0, fetched);
}

/// Gathers of the layers up to `prefetched_layers` ahead are issued first. Each may start when the layer that many
/// places before its own has ended, so that no more are in memory.
std::vector<OpId> WeightTraffic::streamed_before(const PipelineSlot& slot, int layer) {
  const int layers = step_.layout().layers_on(stage_);
  const int position = slot.forward ? layer : 2 * layers - 1 - layer;
  std::vector<OpId> wait;
  if (position == 0) {
    streamed_gathers_.clear();
    wait.push_back(exchange_.gather({}, weights_.root, ops_.last_kernel()));
  }
  const int ahead = std::min(position + step_.scenario.stack.prefetched_layers, 2 * layers - 1);
  while (static_cast<int>(streamed_gathers_.size()) <= ahead)
    streamed_gathers_.push_back(gather_layer(static_cast<int>(streamed_gathers_.size()), ops_.last_kernel()));
  const OpId own = streamed_gathers_[static_cast<std::size_t>(position)];
  if (own.exists()) wait.push_back(own);
  return wait;
}

bool WeightTraffic::reduces(const PipelineSlot& slot) const {
  if (!reduces_gradients(step_.job, weights_.trained)) return false;
  return reduces_every_micro_batch(step_.job) || slot.micro_batch == micro_batches_of(step_.plan(), slot.chunk).last;
}

void WeightTraffic::after_layer(const PipelineSlot& slot, int layer) {
  if (!reduces(slot) || !step_.scenario.stack.overlap_gradient_reduce) return;
  if (streamed_) {
    const int number = step_.layout().at(stage_, slot.chunk).first_layer + layer;
    exchange_.reduce(step_.job.lora_rank > 0 ? adapters_of(step_.job, number, 1) : layers_share(step_.job, number, 1),
                     ops_.last_kernel(), slot.micro_batch);
    return;
  }
  if (layer == 0) return;  // the first bucket ends with the embedding
  for (const WeightBucket& bucket : buckets(slot.chunk))
    if (bucket.first_layer == layer) exchange_.reduce(bucket.trained, ops_.last_kernel(), slot.micro_batch);
}

OpId WeightTraffic::after_backward(const PipelineSlot& slot) {
  if (!reduces(slot)) return {};
  if (step_.scenario.stack.overlap_gradient_reduce) {
    exchange_.reduce(streamed_ ? RankParameters{weights_.trained_root, weights_.trained_routed}
                               : buckets(slot.chunk).front().trained,
                     ops_.last_kernel(), slot.micro_batch);
    return {};
  }
  for (const WeightBucket& bucket : buckets(slot.chunk)) unreduced_.push_back(bucket.trained);
  const bool more = slot.micro_batch < micro_batches_of(step_.plan(), slot.chunk).last;
  return more ? reduce_rest() : OpId{};
}

OpId WeightTraffic::reduce_rest() {
  OpId last;
  for (const RankParameters& trained : unreduced_)
    if (const OpId id = exchange_.reduce(trained, ops_.last_kernel(), -1); id.exists()) last = id;
  unreduced_.clear();
  return last;
}

}  // namespace clusterwright
