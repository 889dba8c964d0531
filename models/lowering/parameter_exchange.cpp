// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/parameter_exchange.hpp"

#include <algorithm>

namespace clusterwright {

ParameterExchange::ParameterExchange(RankOps& ops, const PlannedStep& step, StepLinks& links, StepMeetings& meetings,
                                     LaneId data, const StepRecipes& kernels)
    : ops_(ops), step_(step), links_(links), meetings_(meetings), data_(data), kernels_(kernels) {}

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
  const RankClassId group = std::min(step_.classes.slice_of(rank), step_.groups.on_stage(rank, mirror));
  return this->op(kernel_of(op), meetings_.mirror.join(group, rank, chain), after, note);
}

OpId ParameterExchange::run(const WeightExchange& exchange, OpId after, int note) {
  return exchange.with ? this->exchange(*exchange.with, exchange.op, exchange.payload, after, note)
                       : exchange_copies(exchange.op, exchange.payload, after, note);
}

OpId ParameterExchange::gather(const RankParameters& layers, double root, OpId after) {
  OpId last;
  for (const WeightExchange& exchange : weight_gathers(step_.job, layers, root)) last = run(exchange, after, -1);
  return last;
}

/// Order on the lane is implied: only the first reduction of the common weights and of the experts' waits.
OpId ParameterExchange::reduce(const RankParameters& trained, OpId compute, int note) {
  OpId last;
  for (const WeightExchange& exchange : gradient_reductions(step_.job, trained))
    last = run(exchange, exchange.follows ? OpId() : compute, note);
  return last;
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
  // Groups that train apart do not wait for each other.
  const RankClassId rank = ops_.rank_class();
  const bool apart = step_.plan().local_steps > 1;
  const ClassGroups& groups = step_.groups;
  const RankClassId first = groups.on_stage(groups.replica_group(ReplicaGroup::shard, rank), 0);
  const RankClassId group = apart ? groups.tensor_group(first) : RankClassId(0);
  return op(kernels_.norm, meetings_.norm.join(group, rank, chain), compute, -1);
}

}  // namespace clusterwright
