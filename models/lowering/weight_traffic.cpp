// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/weight_traffic.hpp"

#include <algorithm>
#include <numeric>

#include "models/kernels/kernel_traffic.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/memory/parameter_memory.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/stage_schedule.hpp"

namespace clusterwright {

namespace {}  // namespace

WeightTraffic::WeightTraffic(StepContext& context, RankClassId rank_class, LaneId data, LaneId host_in, LaneId host_out)
    : context_(context),
      class_(rank_class),
      stage_(context.classes.representative(rank_class).pipeline),
      data_(data),
      host_in_(host_in),
      host_out_(host_out),
      streamed_(streams_weights(context.memory)) {
  for (int chunk = 0; chunk < context_.layout.chunks(); ++chunk) fill_buckets(chunk);
  for (const auto& buckets : buckets_)
    for (const Bucket& bucket : buckets) trained_ += bucket.trained;
}

void WeightTraffic::fill_buckets(int chunk) {
  const ChunkContents& contents = context_.layout.at(stage_, chunk);
  const bool adapters = context_.memory.lora_rank > 0;
  const auto trained_in = [&](int first, int layers) {
    const int number = contents.first_layer + first;
    return adapters ? adapters_of(context_.memory, number, layers) : layers_share(context_.memory, number, layers);
  };
  const double wanted = context_.scenario.stack.bucket.value.in(byte) / context_.scenario.stack.gradient_size.value;
  std::vector<Bucket> buckets;
  for (int first = 0; first < std::max(1, contents.layers);) {
    const double one = trained_in(first, 1).total();
    const int step = std::max(1, static_cast<int>(std::min(wanted / one, 1e6)));
    const int layers = std::max(0, std::min(step, contents.layers - first));
    buckets.push_back({first, layers, layers_share(context_.memory, contents.first_layer + first, layers), 0,
                       trained_in(first, layers)});
    first += step;
  }
  const double table =
      contents.embedding ? embedding_parameters(context_.scenario.transformer) / context_.plan.tensor : 0;
  const RankParameters head = contents.head ? head_share(context_.memory) : RankParameters{};
  root_weights_ += table + head.common;
  root_trained_ += adapters ? 0 : table + head.common;
  root_routed_ += adapters ? 0 : head.routed;
  buckets.front().root += table;
  buckets.back().root += head.common;
  buckets.back().weights.routed += head.routed;
  if (!adapters) buckets.front().trained.common += table, buckets.back().trained += head;
  buckets_.push_back(std::move(buckets));
}

ReplicaGroup WeightTraffic::shard_kind() const {
  return context_.plan.sharding == Sharding::hsdp ? ReplicaGroup::shard : ReplicaGroup::all;
}

Bytes WeightTraffic::gathered(double layers, double root) const {
  return (layers * gathered_layer_size(context_.memory) + root * context_.scenario.stack.gathered_size.value) * byte;
}

double WeightTraffic::owned() const {
  return updated_part(context_.memory, trained_);
}

OpId WeightTraffic::exchange(ReplicaGroup kind, CollectiveOp op, Bytes payload, int note) {
  const ChainId chain = context_.links.replicas(kind, op, payload, class_);
  Meetings& meetings = context_.replicas[static_cast<std::size_t>(kind)];
  const RendezvousId meeting = meetings.join(context_.links.replica_group(kind, class_), class_, chain);
  return context_.builder.add_op(data_, context_.recipes.data_collective, charge_id(StepCharge::dp_exposed), meeting,
                                 note);
}

OpId WeightTraffic::exchange_copies(CollectiveOp op, Bytes payload, int note) {
  RankCoordinates mirror = context_.classes.representative(class_);
  mirror.pipeline = context_.plan.pipeline - 1 - stage_;
  const ChainId chain = context_.links.between_stages(op, payload, class_, mirror.pipeline);
  const RendezvousId meeting = context_.copies.join(std::min(class_, context_.classes.class_of(mirror)), class_, chain);
  return context_.builder.add_op(data_, context_.recipes.data_collective, charge_id(StepCharge::dp_exposed), meeting,
                                 note);
}

std::vector<int> WeightTraffic::chunks_in_common_order() const {
  std::vector<int> chunks(buckets_.size());
  std::iota(chunks.begin(), chunks.end(), 0);
  if (context_.layout.is_mirrored() && 2 * stage_ >= context_.plan.pipeline) std::reverse(chunks.begin(), chunks.end());
  return chunks;
}

OpId WeightTraffic::copy(MemoryLevel tier, bool out, Bytes payload, OpId after, StepCharge charge) {
  return host_op(out, context_.tiers.copy(tier, out, payload, class_), after, charge);
}

OpId WeightTraffic::host_op(bool out, ChainId chain, OpId after, StepCharge charge) {
  const RendezvousId meeting = context_.host.join(class_, class_, chain);
  const OpId id =
      context_.builder.add_op(out ? host_out_ : host_in_, context_.recipes.host_copy, charge_id(charge), meeting);
  if (after.exists()) context_.builder.depends(after, id);
  return id;
}

void WeightTraffic::begin_step() {
  gathers_.assign(buckets_.size(), {});
  last_gather_ = {};
  const bool apart = context_.plan.gradient_ranks() > 1 || copies_share_optimizer(context_.memory);
  if (context_.plan.sharding == Sharding::none || streamed_ || !apart) return;
  for (const int chunk : chunks_in_common_order())
    for (const Bucket& bucket : buckets_[static_cast<std::size_t>(chunk)]) {
      last_gather_ = gather_bucket(bucket);
      gathers_[static_cast<std::size_t>(chunk)].push_back(last_gather_);
    }
}

OpId WeightTraffic::gather_bucket(const Bucket& bucket) {
  // With adapters only they change; frozen weights stay where they are, unless they are sharded.
  const bool all = shards_weights(context_.plan.sharding) || context_.memory.lora_rank == 0;
  return all ? gather(bucket.weights, bucket.root, {}) : gather(bucket.trained, 0, {});
}

std::vector<OpId> WeightTraffic::before_layer(const PipelineSlot& slot, int layer, OpId compute) {
  if (streamed_) return streamed_before(slot, layer, compute);
  const auto chunk = static_cast<std::size_t>(slot.chunk);
  const bool first = slot.forward && slot.micro_batch == micro_batches_of(context_.plan, slot.chunk).first;
  if (!first || gathers_[chunk].empty()) return {};
  if (!context_.scenario.stack.overlap_parameter_gather) {
    if (layer == 0 && (chunk == 0 || context_.layout.is_mirrored())) return {last_gather_};
    return {};
  }
  for (std::size_t i = 0; i < buckets_[chunk].size(); ++i)
    if (buckets_[chunk][i].first_layer == layer) return {gathers_[chunk][i]};
  return {};
}

OpId WeightTraffic::gather_group(ReplicaGroup kind, Bytes payload, OpId after) {
  const bool routed = kind == ReplicaGroup::expert_replicas;
  const double shards = routed ? expert_shard_ranks(context_.memory) : shard_ranks(context_.memory);
  const int members = routed ? context_.plan.expert_replicas() : context_.plan.gradient_ranks();
  OpId last;
  const auto add = [&](OpId id) {
    if (after.exists()) context_.builder.depends(after, id);
    last = id;
  };
  if (copies_share_optimizer(context_.memory)) add(exchange_copies(CollectiveOp::all_gather, payload / shards, -1));
  // What comes from the host passes here too, with nobody to gather from.
  if (members > 1 || (streamed_ && !routed)) add(exchange(kind, CollectiveOp::all_gather, payload, -1));
  return last;
}

OpId WeightTraffic::gather(const RankParameters& layers, double root, OpId after) {
  const OpId common = gather_group(shard_kind(), gathered(layers.common, root), after);
  if (layers.routed <= 0) return common;
  const OpId routed = gather_group(ReplicaGroup::expert_replicas, gathered(layers.routed, 0), after);
  return routed.exists() ? routed : common;
}

RankParameters WeightTraffic::layer_at(int place) const {
  int chunk = 0;
  while (place >= context_.layout.at(stage_, chunk).layers) place -= context_.layout.at(stage_, chunk++).layers;
  return layers_share(context_.memory, context_.layout.at(stage_, chunk).first_layer + place, 1);
}

OpId WeightTraffic::gather_layer(int position, OpId after) {
  const int layers = context_.layout.layers_on(stage_);
  const RankParameters weights = layer_at(position < layers ? position : 2 * layers - 1 - position);
  const bool present = position >= layers && !context_.scenario.stack.regather_for_backward;
  if (present) return {};
  OpId fetched = after;
  if (const MemoryLevel tier = context_.scenario.job.offload.weights; tier != MemoryLevel::device) {
    const Bytes own = owned_part(context_.memory, weights) * bytes_16bit * byte;
    fetched = copy(tier, false, own, after, StepCharge::dp_exposed);
  }
  return gather(weights, 0, fetched);
}

/// Gathers of the layers up to `prefetched_layers` ahead are issued first; each may start when the layer before its own
/// so many back has ended, so that no more are in memory.
std::vector<OpId> WeightTraffic::streamed_before(const PipelineSlot& slot, int layer, OpId compute) {
  const int layers = context_.layout.layers_on(stage_);
  const int position = slot.forward ? layer : 2 * layers - 1 - layer;
  std::vector<OpId> wait;
  if (position == 0) {
    streamed_gathers_.clear();
    root_gather_ = gather({}, root_weights_, compute);
    wait.push_back(root_gather_);
  }
  const int ahead = std::min(position + context_.scenario.stack.prefetched_layers, 2 * layers - 1);
  while (static_cast<int>(streamed_gathers_.size()) <= ahead)
    streamed_gathers_.push_back(gather_layer(static_cast<int>(streamed_gathers_.size()), compute));
  const OpId own = streamed_gathers_[static_cast<std::size_t>(position)];
  if (own.exists()) wait.push_back(own);
  return wait;
}

bool WeightTraffic::reduces(const PipelineSlot& slot) const {
  const bool alone = context_.plan.gradient_ranks() == 1 && !context_.layout.is_mirrored();
  if (alone || trained_.total() <= 0) return false;
  const bool early = context_.scenario.stack.reduce_every_micro_batch && shards_gradients(context_.plan.sharding);
  const bool every_time = context_.plan.pipeline == 1 && (early || context_.plan.sharding == Sharding::zero2);
  return every_time || slot.micro_batch == micro_batches_of(context_.plan, slot.chunk).last;
}

OpId WeightTraffic::reduce_group(ReplicaGroup kind, Bytes payload, OpId compute, int note) {
  const Plan& plan = context_.plan;
  const bool routed = kind == ReplicaGroup::expert_replicas, sharded = plan.sharding != Sharding::none;
  const double shards = routed ? expert_shard_ranks(context_.memory) : shard_ranks(context_.memory);
  const int members = routed ? plan.expert_replicas() : plan.gradient_ranks();
  const bool hybrid = !routed && plan.sharding == Sharding::hsdp && plan.shard_group != plan.gradient_ranks();
  const Bytes own = sharded ? payload / shards : payload;
  OpId last;
  const auto add = [&](OpId id) {
    if (!last.exists()) context_.builder.depends(compute, id);
    last = id;
  };
  if (members > 1)
    add(exchange(kind, sharded ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce, payload, note));
  if (hybrid) add(exchange(ReplicaGroup::mirrors, CollectiveOp::all_reduce, own, note));
  if (context_.layout.is_mirrored())
    add(exchange_copies(
        copies_share_optimizer(context_.memory) ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce, own, note));
  return last;
}

/// Gradients of experts go to those that hold the same ones, all others to all gradient ranks.
OpId WeightTraffic::reduce(const RankParameters& trained, OpId compute, int note) {
  const double size = context_.scenario.stack.reduced_size.value;
  OpId last;
  if (trained.common > 0) {
    const ReplicaGroup kind = context_.plan.sharding == Sharding::none ? ReplicaGroup::all : shard_kind();
    last = reduce_group(kind, trained.common * size * byte, compute, note);
  }
  if (trained.routed <= 0) return last;
  const OpId routed = reduce_group(ReplicaGroup::expert_replicas, trained.routed * size * byte, compute, note);
  return routed.exists() ? routed : last;
}

void WeightTraffic::after_layer(const PipelineSlot& slot, int layer, OpId compute) {
  if (!reduces(slot) || !context_.scenario.stack.overlap_gradient_reduce) return;
  if (streamed_) {
    const int number = context_.layout.at(stage_, slot.chunk).first_layer + layer;
    reduce(context_.memory.lora_rank > 0 ? adapters_of(context_.memory, number, 1)
                                         : layers_share(context_.memory, number, 1),
           compute, slot.micro_batch);
    return;
  }
  if (layer == 0) return;  // the first bucket ends with the embedding
  const std::vector<Bucket>& buckets = buckets_[static_cast<std::size_t>(slot.chunk)];
  for (const Bucket& bucket : buckets)
    if (bucket.first_layer == layer) reduce(bucket.trained, compute, slot.micro_batch);
}

OpId WeightTraffic::after_backward(const PipelineSlot& slot, OpId compute) {
  if (!reduces(slot)) return {};
  const std::vector<Bucket>& buckets = buckets_[static_cast<std::size_t>(slot.chunk)];
  if (context_.scenario.stack.overlap_gradient_reduce) {
    reduce(streamed_ ? RankParameters{root_trained_, root_routed_} : buckets.front().trained, compute,
           slot.micro_batch);
    return {};
  }
  for (const Bucket& bucket : buckets) unreduced_.push_back(bucket.trained);
  const bool more = slot.micro_batch < micro_batches_of(context_.plan, slot.chunk).last;
  return more ? reduce_rest(compute) : OpId{};
}

OpId WeightTraffic::reduce_rest(OpId compute) {
  OpId last;
  for (const RankParameters& trained : unreduced_)
    if (const OpId id = reduce(trained, compute, -1); id.exists()) last = id;
  unreduced_.clear();
  return last;
}

/// Gradients go to the host, which updates its states and sends new weights to where they are kept.
OpId WeightTraffic::update_on_host(OpId after) {
  const OpId out = copy(MemoryLevel::host, true, owned() * context_.scenario.stack.reduced_size.value * byte, after,
                        StepCharge::optimizer);
  const OpId updated = host_op(true, context_.tiers.update(optimizer_level(context_.memory), owned(), class_), out,
                               StepCharge::optimizer);
  const Bytes weights = owned() * bytes_16bit * byte;
  switch (context_.scenario.job.offload.weights) {
    case MemoryLevel::nvme:
      return host_op(true, context_.tiers.host_to_drives(weights, class_), updated, StepCharge::optimizer);
    case MemoryLevel::pool:
      return copy(MemoryLevel::pool, true, weights, updated, StepCharge::optimizer);
    default:
      return copy(MemoryLevel::host, false, weights, updated, StepCharge::optimizer);
  }
}

OpId WeightTraffic::copy_states(bool out, int parts, OpId after) {
  const bool with_weights = out && context_.scenario.job.offload.weights == MemoryLevel::pool;
  const double each = adam_states() + (with_weights ? bytes_16bit : 0);
  return copy(MemoryLevel::pool, out, owned() / parts * each * byte, after, StepCharge::optimizer);
}

}  // namespace clusterwright
