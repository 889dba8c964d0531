// SPDX-License-Identifier: Apache-2.0
#include "models/search/layout_costs.hpp"

#include "models/settling/replica_jitter.hpp"

namespace clusterwright {

const StageTable& LayoutCosts::stages(const Plan& plan) {
  std::unique_ptr<StageTable>& table = stages_[{plan.pipeline, plan.virtual_pipeline, plan.weight_copies() > 1}];
  if (!table) table = std::make_unique<StageTable>(scenario_.transformer, plan);
  return *table;
}

const PassCosts& LayoutCosts::passes(const Plan& plan) {
  // Stages between the ranks of an expert group put them further apart.
  const bool between = plan.rank_order == RankOrder::tensor_context_pipeline_data &&
                       plan.expert * plan.expert_tensor > plan.tensor * plan.context;
  // Rows of full recomputation hold those without; what predicts further tokens is recomputed with the head.
  const bool joined = plan.recompute == Recompute::none && scenario_.transformer.predicted_tokens == 0;
  Plan of_rows = plan;
  if (joined) of_rows.recompute = Recompute::full;
  std::unique_ptr<PassCosts>& costs = passes_[{plan.tensor, plan.context, plan.expert, plan.expert_tensor,
                                               plan.micro_batch, of_rows.recompute, between ? plan.pipeline : 1}];
  if (!costs) costs = std::make_unique<PassCosts>(scenario_, of_rows, splits_);
  return *costs;
}

std::vector<StageExchanges> LayoutCosts::exchanges(const PlannedJob& planned, const StageTable& stages) {
  std::vector<StageExchanges> out;
  for (int c = 0; c < stages.classes(); ++c) out.push_back(exchanges_.of_stage(planned, stages.first_of(c)));
  return out;
}

double LayoutCosts::slowest_replica(const Plan& plan) {
  const auto [at, is_new] = slowest_.try_emplace(plan.data);
  if (is_new) at->second = expected_loss(scenario_.steps, plan);
  return at->second;
}

double LayoutCosts::idle_watts(const Scenario& s, const StepPrices& prices) {
  const Watts idle = prices.kernels.idle_power();
  return s.cluster.spec.accelerators * (idle + power_beside(s.cluster, idle)).in(watt);
}

PlannedJob LayoutCosts::planned(const Layout& layout, const Plan& plan, const StageTable& stages) const {
  PlannedJob job = planned_job(scenario_.transformer, scenario_.job, scenario_.stack, plan, stages.layout());
  job.offload = layout.offload;
  return job;
}

double LayoutCosts::bound(const Layout& layout) {
  const Plan plan = plan_of(scenario_, layout);
  const StageTable& table = stages(plan);
  const PlannedJob job = planned(layout, plan, table);
  const StepBound bound(job, table, passes(plan), plan.pipeline > 1 ? exchanges_.message(job) : 0,
                        slowest_replica(plan));
  return bound.seconds(exchanges(job, table), exchanges_.activation_copy(plan, job.offload), power_);
}

Bytes LayoutCosts::memory(const Layout& layout) {
  const Plan plan = plan_of(scenario_, layout);
  const StageTable& table = stages(plan);
  const PlannedJob job = planned(layout, plan, table);
  return worst_total(parameter_uses(job, table), activation_uses(job, table, schedules_.instants(plan, table)),
                     buffer_use(job), scenario_.stack);
}

}  // namespace clusterwright
