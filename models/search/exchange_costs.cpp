// SPDX-License-Identifier: Apache-2.0
#include "models/search/exchange_costs.hpp"

#include <algorithm>

#include "models/kernels/streaming_time.hpp"
#include "models/lowering/level_links.hpp"
#include "models/lowering/optimizer_step.hpp"
#include "models/lowering/stage_weights.hpp"
#include "models/lowering/step_recipes.hpp"

namespace clusterwright {

Seconds ExchangeTimes::switches(const GroupShape& group) const {
  return group.domains > 1 ? prices_.links.cluster().fabric.least_latency() : Seconds{};
}

const GroupShape& ExchangeTimes::shape(const Plan& p, ReplicaGroup kind) {
  const PlanKey key{p.tensor, p.context,       p.data,     static_cast<int>(p.rank_order),
                    p.expert, p.expert_tensor, p.pipeline, p.shard_group};
  const auto [entry, fresh] = shapes_.try_emplace({key, static_cast<int>(kind)});
  if (fresh) entry->second = Placement(p, scenario_.cluster.blocks).replica_group(kind);
  return entry->second;
}

double ExchangeTimes::time(const Plan& plan, const WeightExchange& exchange) {
  if (!exchange.with) return 0;  // with the mirror stage
  const GroupShape& group = shape(plan, *exchange.with);
  const auto [entry, fresh] = times_.try_emplace(
      {static_cast<int>(exchange.op), group.domains, group.ranks_per_domain, group.surplus, exchange.payload.in(byte)});
  if (fresh)
    entry->second = prices_.links.collective(exchange.op, exchange.payload, group, switches(group)).time().in(second);
  return entry->second;
}

double ExchangeTimes::time(const Plan& plan, const std::vector<WeightExchange>& exchanges) {
  double sum = 0;
  for (const WeightExchange& exchange : exchanges) sum += time(plan, exchange);
  return sum;
}

void ExchangeTimes::add_gathers(const PlannedJob& planned, const StageWeights& weights, StageExchanges& out) {
  const Plan& plan = planned.plan;
  if (plan.sharding == Sharding::none || !holds_weights_together(planned)) return;
  const bool all = shards_weights(plan.sharding) || planned.lora_rank == 0;
  for (const auto& chunk : weights.chunks)
    for (const WeightBucket& bucket : chunk) {
      const double each = time(plan, all ? weight_gathers(planned, bucket.weights, bucket.root)
                                         : weight_gathers(planned, bucket.trained, 0));
      out.lane_before += each;
      const bool first = &bucket == &weights.chunks.front().front();
      if ((first && !planned.layout.is_mirrored()) || !planned.stack.overlap_parameter_gather) out.before += each;
    }
}

void ExchangeTimes::add_reductions(const PlannedJob& planned, const StageWeights& weights, StageExchanges& out) {
  for (const auto& chunk : weights.chunks)
    for (const WeightBucket& bucket : chunk) {
      const double each = time(planned.plan, gradient_reductions(planned, bucket.trained));
      out.lane_behind += each;
      const bool last = !planned.layout.is_mirrored() && &chunk == &weights.chunks.front() && &bucket == &chunk.front();
      if (last || !planned.stack.overlap_gradient_reduce) out.behind += each;
    }
  finish_reductions(planned, weights, out);
}

/// Weights that come layer by layer, for each pass of each micro-batch.
void ExchangeTimes::add_streams(const PlannedJob& planned, int stage, const StageWeights& weights,
                                StageExchanges& out) {
  const Plan& plan = planned.plan;
  const int layers = planned.layout.layers_on(stage);
  const double root = time(plan, weight_gathers(planned, {}, weights.root));
  double gathers = 0,
         reductions = time(plan, gradient_reductions(planned, {weights.trained_root, weights.trained_routed}));
  out.before = root;
  out.behind = reductions;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts}) {
    const auto count = static_cast<double>(planned.model.layers_of(kind, 0, layers));
    if (count == 0) continue;
    gathers += count * time(plan, weight_gathers(planned, layer_share(planned, kind), 0));
    const RankParameters trained =
        planned.lora_rank > 0
            ? RankParameters{adapter_parameters(planned.model, planned.lora_rank, kind) / plan.tensor, 0}
            : layer_share(planned, kind);
    reductions += count * time(plan, gradient_reductions(planned, trained));
  }
  // Passes side by side share their gathers.
  const int passes = planned.stack.regather_for_backward && !plan.paired ? 2 : 1;
  out.each = root + passes * gathers;
  if (planned.offload.weights == MemoryLevel::host)
    out.copies_each = passes * owned_part(planned, layers_share(planned, 0, layers)) * bytes_16bit / host_link();
  if (planned.stack.overlap_gradient_reduce) {
    out.lane_behind = reductions;
    finish_reductions(planned, weights, out);
  } else {
    out.behind = 0;
    add_reductions(planned, weights, out);
  }
}

/// What the reductions of the last micro-batch are, those of every micro-batch may be.
void ExchangeTimes::finish_reductions(const PlannedJob& planned, const StageWeights& weights, StageExchanges& out) {
  if (!reduces_gradients(planned, weights.trained)) {
    out.behind = out.lane_behind = 0;
    return;
  }
  if (!reduces_every_micro_batch(planned)) return;
  out.each += out.lane_behind;
  if (!planned.stack.overlap_gradient_reduce) out.each_waits = out.lane_behind;
}

double ExchangeTimes::host_link() const {
  return host_link_bandwidth(scenario_.cluster, scenario_.parameters).in(byte_per_second);
}

double ExchangeTimes::host_copy(const Plan& plan) const {
  const double alone = 1 / host_link();
  const auto& memory = scenario_.cluster.spec.node.host.memory_bandwidth;
  if (!memory) return alone;
  const bool inside = plan.rank_order == RankOrder::tensor_context_data_pipeline;
  const int block = inside ? plan.stage_ranks() : plan.tensor * plan.context, host = scenario_.cluster.node_ranks();
  const int together = block % host == 0 || host % block == 0 ? std::min(block, host) : 1;
  return std::max(alone, 2 * together / memory->in(byte_per_second));
}

double ExchangeTimes::update_time(const PlannedJob& planned, double trained, double owned) const {
  const auto kernel = [&](double updated) {
    return to_seconds(optimizer_work(prices_.kernels, trained, updated, planned.stack).duration).in(second);
  };
  if (!updates_on_host(planned)) return optimizer_level(planned) == MemoryLevel::device ? kernel(owned) : 0;
  const auto& memory = scenario_.cluster.spec.node.host.memory_bandwidth;
  const double update_rate = memory ? memory->in(byte_per_second) : host_link();
  const bool back = planned.offload.weights == MemoryLevel::device || planned.offload.weights == MemoryLevel::host;
  const double copies = owned * (planned.stack.reduced_size.value + (back ? bytes_16bit : 0)) / host_link();
  return copies + owned * host_update_traffic(planned) / update_rate + kernel(0);
}

StageExchanges ExchangeTimes::of_stage(const PlannedJob& planned, int stage) {
  StageExchanges out;
  const StageWeights weights = stage_weights(planned, stage);
  if (streams_weights(planned)) {
    add_streams(planned, stage, weights, out);
  } else {
    add_gathers(planned, weights, out);
    add_reductions(planned, weights, out);
  }
  const RankParameters& trained = weights.trained;
  out.update = update_time(planned, trained.total(), updated_part(planned, trained));
  return out;
}

double ExchangeTimes::message(const PlannedJob& planned) const {
  const Plan& plan = planned.plan;
  const Bytes payload =
      local_tokens(planned) * bytes_16bit * static_cast<double>(planned.model.hidden) / plan.tensor * byte;
  const GroupShape pair = Placement(plan, scenario_.cluster.blocks).pair({0, 0, 0}, {0, 0, 1});
  return prices_.links.collective(CollectiveOp::send, payload, pair, switches(pair)).time().in(second);
}

double ExchangeTimes::activation_copy(const Plan& plan, const Offload& offload) const {
  return offload.activations == MemoryLevel::host ? host_copy(plan) : 0;
}

}  // namespace clusterwright
