// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/weight_exchanges.hpp"

namespace clusterwright {

namespace {

ReplicaGroup common_group(const PlannedJob& planned) {
  return planned.plan.sharding == Sharding::hsdp ? ReplicaGroup::shard : ReplicaGroup::all;
}

double shards(const PlannedJob& planned, ReplicaGroup kind) {
  return kind == ReplicaGroup::expert_replicas ? expert_shard_ranks(planned) : shard_ranks(planned);
}

int members(const PlannedJob& planned, ReplicaGroup kind) {
  return kind == ReplicaGroup::expert_replicas ? planned.plan.expert_replicas() : planned.plan.gradient_ranks();
}

Bytes gathered(const PlannedJob& planned, double layers, double root) {
  return (layers * gathered_layer_size(planned) + root * planned.stack.gathered_size.value) * byte;
}

void add_gathers(const PlannedJob& planned, ReplicaGroup kind, Bytes payload, std::vector<WeightExchange>& out) {
  if (copies_share_optimizer(planned))
    out.push_back({{}, CollectiveOp::all_gather, payload / shards(planned, kind), false});
  // Weights from the host pass here too, with nobody to gather from.
  if (members(planned, kind) > 1 || (streams_weights(planned) && kind != ReplicaGroup::expert_replicas))
    out.push_back({kind, CollectiveOp::all_gather, payload, false});
}

void add_reductions(const PlannedJob& planned, ReplicaGroup kind, Bytes payload, std::vector<WeightExchange>& out) {
  const Plan& plan = planned.plan;
  const bool routed = kind == ReplicaGroup::expert_replicas, sharded = plan.sharding != Sharding::none;
  const bool hybrid = !routed && plan.sharding == Sharding::hsdp && plan.shard_group != plan.gradient_ranks();
  const Bytes own = sharded ? payload / shards(planned, kind) : payload;
  bool follows = false;
  const auto add = [&](std::optional<ReplicaGroup> with, CollectiveOp op, Bytes bytes) {
    out.push_back({with, op, bytes, follows});
    follows = true;
  };
  if (members(planned, kind) > 1) add(kind, sharded ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce, payload);
  if (hybrid) add(ReplicaGroup::mirrors, CollectiveOp::all_reduce, own);
  const CollectiveOp op = copies_share_optimizer(planned) ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce;
  if (planned.layout.is_mirrored()) add({}, op, own);
}

}  // namespace

bool holds_weights_together(const PlannedJob& planned) {
  return planned.plan.gradient_ranks() > 1 || copies_share_optimizer(planned);
}

bool reduces_gradients(const PlannedJob& planned, const RankParameters& trained) {
  return (planned.plan.gradient_ranks() > 1 || planned.layout.is_mirrored()) && trained.total() > 0;
}

bool reduces_every_micro_batch(const PlannedJob& planned) {
  const Plan& plan = planned.plan;
  const bool early = planned.stack.reduce_every_micro_batch && shards_gradients(plan.sharding);
  return plan.pipeline == 1 && (early || plan.sharding == Sharding::zero2);
}

std::vector<WeightExchange> weight_gathers(const PlannedJob& planned, const RankParameters& layers, double root) {
  std::vector<WeightExchange> out;
  add_gathers(planned, common_group(planned), gathered(planned, layers.common, root), out);
  if (layers.routed > 0) add_gathers(planned, ReplicaGroup::expert_replicas, gathered(planned, layers.routed, 0), out);
  return out;
}

std::vector<WeightExchange> gradient_reductions(const PlannedJob& planned, const RankParameters& trained) {
  const double size = planned.stack.reduced_size.value;
  std::vector<WeightExchange> out;
  if (trained.common > 0) {
    const ReplicaGroup kind = planned.plan.sharding == Sharding::none ? ReplicaGroup::all : common_group(planned);
    add_reductions(planned, kind, trained.common * size * byte, out);
  }
  if (trained.routed > 0) add_reductions(planned, ReplicaGroup::expert_replicas, trained.routed * size * byte, out);
  return out;
}

}  // namespace clusterwright
