// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_context.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"

#include <algorithm>
#include <string>

namespace clusterwright {

namespace {

StepGraphBuilder make_builder() {
  return {std::vector<std::string>(step_charge_names.begin(), step_charge_names.end()),
          {charge_id(StepCharge::launch), charge_id(StepCharge::throttle), charge_id(StepCharge::bubble)}};
}

Cluster used_part(const Scenario& s) {
  Cluster cluster = s.cluster;
  if (s.stack.network_cards) cluster.nics = std::min(cluster.nics, *s.stack.network_cards);
  return cluster;
}

std::vector<Meetings> make_replica_meetings(StepGraphBuilder& builder, std::size_t classes) {
  return std::vector<Meetings>(replica_group_count, Meetings(builder, classes, StepCharge::imbalance));
}

ExpertWork make_experts(const PlannedJob& planned, const Placement& placement) {
  if (!planned.model.experts) return {};
  // Where stages share nodes, groups may fill them unevenly: the most that divide, as for shard groups.
  int near = placement.members_on_node(ReplicaGroup::experts);
  while (planned.plan.expert % near != 0) --near;
  return expert_work(planned, near);
}

void reserve_ops(StepContext& c) {
  const auto slots = static_cast<std::size_t>(c.plan.micro_batches) * static_cast<std::size_t>(c.plan.virtual_pipeline);
  const std::size_t layers =
      static_cast<std::size_t>(c.scenario.transformer.layers) / static_cast<std::size_t>(c.plan.pipeline) + 2;
  std::size_t per_layer = 0;
  for (const LayerPasses& passes : c.recipes.layers)
    per_layer = std::max(per_layer, passes.forward.size() + passes.again.size() + passes.backward.size());
  const std::size_t ops =
      c.classes.count() * (layers * static_cast<std::size_t>(c.plan.micro_batches) * per_layer + 4 * slots);
  c.builder.reserve(ops, ops);
}

}  // namespace

StepContext::StepContext(const Scenario& s, const Plan& p, Folding folding)
    : scenario(s),
      cluster(used_part(s)),
      plan(p),
      layout(stage_layout(s.transformer.layers, p)),
      memory(planned_job(s.transformer, s.job, s.stack, plan, layout)),
      placement(p, s.stack.rank_order, s.cluster.domain),
      experts(make_experts(memory, placement)),
      factors(step_factors(s.steps, s.stack, s.job, s.cluster.accelerator)),
      builder(make_builder()),
      classes(rank_classes(s, placement, folding)),
      kernels(s.cluster.accelerator, s.parameters, s.stack, factors, s.job.precision),
      links(builder, cluster, s.parameters, placement, classes, factors.communication, kernels.host_bandwidth()),
      tiers(builder, s, classes, links, kernels.host_bandwidth()),
      recipes(write_recipes(builder, kernels, memory, experts)),
      domain(builder.add_power_domain("accelerators and hosts")),
      tensor(builder, classes.count(), StepCharge::imbalance),
      tied(builder, classes.count(), StepCharge::bubble),
      norm(builder, classes.count(), p.pipeline > 1 ? StepCharge::bubble : StepCharge::imbalance),
      host(builder, classes.count(), StepCharge::imbalance),
      issue(builder, classes.count(), StepCharge::launch),
      copies(builder, classes.count(), StepCharge::bubble),
      messages(message_route_count, MessageMeetings(builder, classes.count(), StepCharge::bubble)),
      replicas(make_replica_meetings(builder, classes.count())),
      norm_chain(s.stack.kernels.clips_gradients ? links.everywhere() : links.nothing()),
      reads(builder, classes.count(), StepCharge::input_wait) {
  if (s.job.input) input.emplace(builder, s, placement, classes);
  builder.set_power_clock_exponent(s.parameters.power.clock_exponent.value);
  builder.set_short_term_power(s.parameters.power.short_term_power.value);
  reserve_ops(*this);
}

Bytes StepContext::activation() const {
  return 2.0 * scenario.job.sequence * plan.micro_batch * static_cast<double>(scenario.transformer.hidden) /
         plan.context * byte;
}

}  // namespace clusterwright
