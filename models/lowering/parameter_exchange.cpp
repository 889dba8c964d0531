// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/parameter_exchange.hpp"

#include <algorithm>

namespace clusterwright {

ParameterExchange::ParameterExchange(RankOps& ops, const PlannedStep& step, StepLinks& links, StepMeetings& meetings,
                                     LaneId data, const StepRecipes& kernels)
    : ops_(ops),
      step_(step),
      links_(links),
      meetings_(meetings),
      data_(data),
      kernels_(kernels),
      streamed_(streams_weights(step.job)) {}

WorkId ParameterExchange::kernel_of(CollectiveOp op) const {
  if (op == CollectiveOp::all_gather) return kernels_.gather;
  return op == CollectiveOp::reduce_scatter ? kernels_.scatter : kernels_.reduce;
}

OpId ParameterExchange::op(WorkId kernel, RendezvousId meeting, OpId after, int note) {
  return ops_.communicate(data_, kernel, StepCharge::dp_exposed, meeting, after, note);
}

OpId ParameterExchange::exchange(ReplicaGroup kind, CollectiveOp op, Bytes payload, OpId after, int note) {
  const RankClassId rank = ops_.rank_class();
  const ChainId chain = links_.replicas(kind, op, payload, rank);
  return this->op(kernel_of(op), meetings_.of(kind).join(step_.groups.replica_group(kind, rank), rank, chain), after,
                  note);
}

OpId ParameterExchange::exchange_copies(CollectiveOp op, Bytes payload, OpId after, int note) {
  const RankClassId rank = ops_.rank_class();
  const int mirror = step_.plan().pipeline - 1 - step_.stage_of(rank);
  const ChainId chain = links_.between_stages(op, payload, rank, mirror);
  const RankClassId group = std::min(rank, step_.groups.on_stage(rank, mirror));
  return this->op(kernel_of(op), meetings_.mirror.join(group, rank, chain), after, note);
}

ReplicaGroup ParameterExchange::common_group() const {
  return step_.plan().sharding == Sharding::hsdp ? ReplicaGroup::shard : ReplicaGroup::all;
}

double ParameterExchange::shards(ReplicaGroup kind) const {
  return kind == ReplicaGroup::expert_replicas ? expert_shard_ranks(step_.job) : shard_ranks(step_.job);
}

int ParameterExchange::members(ReplicaGroup kind) const {
  return kind == ReplicaGroup::expert_replicas ? step_.plan().expert_replicas() : step_.plan().gradient_ranks();
}

Bytes ParameterExchange::gathered(double layers, double root) const {
  return (layers * gathered_layer_size(step_.job) + root * step_.job.stack.gathered_size.value) * byte;
}

OpId ParameterExchange::gather_group(ReplicaGroup kind, Bytes payload, OpId after) {
  OpId last;
  if (copies_share_optimizer(step_.job))
    last = exchange_copies(CollectiveOp::all_gather, payload / shards(kind), after, -1);
  // Weights from the host pass here too, with nobody to gather from.
  if (members(kind) > 1 || (streamed_ && kind != ReplicaGroup::expert_replicas))
    last = exchange(kind, CollectiveOp::all_gather, payload, after, -1);
  return last;
}

OpId ParameterExchange::gather(const RankParameters& layers, double root, OpId after) {
  const OpId common = gather_group(common_group(), gathered(layers.common, root), after);
  if (layers.routed <= 0) return common;
  const OpId routed = gather_group(ReplicaGroup::expert_replicas, gathered(layers.routed, 0), after);
  return routed.exists() ? routed : common;
}

/// Order on the lane is implied: only the first reduction waits for the kernel.
OpId ParameterExchange::reduce_group(ReplicaGroup kind, Bytes payload, OpId compute, int note) {
  const Plan& plan = step_.plan();
  const bool routed = kind == ReplicaGroup::expert_replicas, sharded = plan.sharding != Sharding::none;
  const bool hybrid = !routed && plan.sharding == Sharding::hsdp && plan.shard_group != plan.gradient_ranks();
  const Bytes own = sharded ? payload / shards(kind) : payload;
  OpId last;
  const auto after = [&] { return last.exists() ? OpId() : compute; };
  if (members(kind) > 1)
    last = exchange(kind, sharded ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce, payload, after(), note);
  if (hybrid) last = exchange(ReplicaGroup::mirrors, CollectiveOp::all_reduce, own, after(), note);
  const CollectiveOp op = copies_share_optimizer(step_.job) ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce;
  if (step_.layout().is_mirrored()) last = exchange_copies(op, own, after(), note);
  return last;
}

OpId ParameterExchange::reduce(const RankParameters& trained, OpId compute, int note) {
  const double size = step_.job.stack.reduced_size.value;
  OpId last;
  if (trained.common > 0) {
    const ReplicaGroup kind = step_.plan().sharding == Sharding::none ? ReplicaGroup::all : common_group();
    last = reduce_group(kind, trained.common * size * byte, compute, note);
  }
  if (trained.routed <= 0) return last;
  const OpId routed = reduce_group(ReplicaGroup::expert_replicas, trained.routed * size * byte, compute, note);
  return routed.exists() ? routed : last;
}

void ParameterExchange::reduce_tied_table(OpId compute) {
  const Transformer& model = step_.job.model;
  const RankClassId rank = ops_.rank_class();
  const int stage = step_.stage_of(rank), last = step_.plan().pipeline - 1;
  const bool copied = last > 0 && !step_.layout().is_mirrored();
  const bool holds = stage == 0 || stage == last;
  if (!model.tied_embeddings || !copied || !holds || step_.job.lora_rank > 0) return;
  const RankClassId group = step_.groups.on_stage(rank, 0);
  const double rows = static_cast<double>(model.vocabulary * model.hidden) / step_.plan().tensor;
  const Bytes table = rows * step_.job.stack.gradient_size.value * byte;
  const ChainId chain = links_.between_stages(CollectiveOp::all_reduce, table, group, last);
  op(kernels_.reduce, meetings_.tied.join(group, rank, chain), compute, -1);
}

OpId ParameterExchange::norm(ChainId chain, OpId compute) {
  return op(kernels_.norm, meetings_.norm.join(RankClassId(0), ops_.rank_class(), chain), compute, -1);
}

}  // namespace clusterwright
