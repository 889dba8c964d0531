// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/weight_exchanges.hpp"

#include "models/kernels/streaming_time.hpp"

namespace clusterwright {

namespace {

ReplicaGroup common_group(const PlannedJob& planned) {
  return planned.plan.in_groups() ? ReplicaGroup::shard : ReplicaGroup::all;
}

double shards(const PlannedJob& planned, ReplicaGroup kind) {
  return kind == ReplicaGroup::expert_replicas ? expert_shard_ranks(planned) : shard_ranks(planned);
}

int members(const PlannedJob& planned, ReplicaGroup kind) {
  return kind == ReplicaGroup::expert_replicas ? planned.plan.expert_replicas() : planned.plan.reducing_ranks();
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

/// Reductions of one kind of parameters, one behind the other.
class Reductions {
 public:
  Reductions(const PlannedJob& planned, std::vector<WeightExchange>& out) : planned_(planned), out_(out) {}

  void add(ReplicaGroup kind, Bytes payload) {
    const Plan& plan = planned_.plan;
    const bool sharded = plan.sharding != Sharding::none;
    const bool between = kind == ReplicaGroup::shard && plan.shard_group != plan.reducing_ranks();
    const Bytes part = payload / shards(planned_, kind);
    follows_ = false;
    if (members(planned_, kind) > 1) push(kind, sharded || between ? CollectiveOp::reduce_scatter : all, payload);
    if (between) push(ReplicaGroup::mirrors, all, part);
    if (between && !sharded) push(kind, CollectiveOp::all_gather, payload);
    const CollectiveOp op = copies_share_optimizer(planned_) ? CollectiveOp::reduce_scatter : all;
    if (planned_.layout.is_mirrored()) push({}, op, sharded ? part : payload);
  }

 private:
  static constexpr CollectiveOp all = CollectiveOp::all_reduce;

  void push(std::optional<ReplicaGroup> with, CollectiveOp op, Bytes bytes) {
    out_.push_back({with, op, bytes, follows_});
    follows_ = true;
  }

  const PlannedJob& planned_;
  std::vector<WeightExchange>& out_;
  bool follows_ = false;
};

}  // namespace

bool holds_weights_together(const PlannedJob& planned) {
  return planned.plan.reducing_ranks() > 1 || copies_share_optimizer(planned);
}

bool reduces_gradients(const PlannedJob& planned, const RankParameters& trained) {
  return (planned.plan.reducing_ranks() > 1 || planned.layout.is_mirrored()) && trained.total() > 0;
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
  if (trained.common > 0) Reductions(planned, out).add(common_group(planned), trained.common * size * byte);
  if (trained.routed > 0) Reductions(planned, out).add(ReplicaGroup::expert_replicas, trained.routed * size * byte);
  return out;
}

bool synchronises_groups(const PlannedJob& planned) {
  return planned.plan.local_steps > 1 && planned.plan.synchronises;
}

WeightExchange outer_reduction(const PlannedJob& planned, const RankParameters& trained) {
  return {ReplicaGroup::mirrors, CollectiveOp::all_reduce, outer_part(planned, trained) * bytes_32bit * byte, false};
}

std::optional<WeightExchange> outer_gather(const PlannedJob& planned, const RankParameters& trained) {
  if (planned.plan.sharding != Sharding::none || planned.plan.shard_group == 1) return {};
  return WeightExchange{ReplicaGroup::shard, CollectiveOp::all_gather, trained.total() * bytes_16bit * byte, true};
}

}  // namespace clusterwright
