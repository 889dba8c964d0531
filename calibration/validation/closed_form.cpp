// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/closed_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "calibration/validation/closed_form_layer.hpp"

namespace clusterwright {

namespace {

constexpr double update_bytes = 40;        // of an owned parameter, optimizer
constexpr double accumulation_bytes = 5;   // of a parameter and micro-batch, gradients in 32 bit
constexpr double hidden_share = 0.9;       // of a backward pass that hides a reduction
constexpr double least_exposed = 0.06;     // of an exchange beside computation
constexpr double overlap_penalty = 0.2;    // of a hidden exchange, on Ampere
constexpr double later_contention = 2.05;  // the same on later parts, relative to Ampere

using ByKind = std::array<double, layer_kind_count>;

/// Numbers of one step that its parts share.
struct StepWork {
  const Scenario& scenario;
  const Plan& plan;
  const ClosedFormFactors& factors;
  ClosedFormRates rates;
  std::array<ClosedFormPasses, layer_kind_count> layer;
  ByKind parameters{};         ///< of one layer and rank, experts apart
  ByKind expert_parameters{};  ///< likewise of its routed experts
};

/// Time of one ring over the replicas of `bytes` of each rank.
double replica_ring(const StepWork& work, double bytes, int ranks) {
  const Plan& plan = work.plan;
  int stride = plan.tensor;
  if (plan.rank_order == RankOrder::tensor_context_pipeline_data && plan.context == 1) stride *= plan.pipeline;
  const ClosedFormLinks links = closed_form_links(work.scenario, ranks, stride);
  return closed_form_ring(bytes, ranks, links.bandwidth, links.inside) * work.factors.communication;
}

double expert_ring(const StepWork& work, double bytes) {
  const int ranks = work.plan.expert_replicas();
  const ClosedFormLinks links = closed_form_links(work.scenario, ranks, work.plan.expert * work.plan.expert_tensor);
  return closed_form_ring(bytes, ranks, links.bandwidth, links.inside) * work.factors.communication;
}

/// Time of a layer of sharded weights: its exchanges run beside its kernels, slow them down, and show where they are
/// longer.
double with_sharded_weights(const StepWork& work, std::size_t kind, const ClosedFormPasses& layer) {
  const Plan& plan = work.plan;
  const SoftwareStack& stack = work.scenario.stack;
  if (!shards_weights(plan.sharding)) return layer.sum();
  const auto rings = [&](double size) {
    return replica_ring(work, work.parameters[kind] * size, plan.shard_group) +
           expert_ring(work, work.expert_parameters[kind] * size);
  };
  const double gathered = rings(stack.gathered_size.value);
  const double reduced = work.scenario.job.task == Task::lora ? 0 : rings(stack.reduced_size.value);
  const double exchange = gathered * (stack.regather_for_backward ? 2 : 1) + reduced;
  if (!stack.overlap_parameter_gather) return layer.sum() + exchange;
  const bool ampere = closed_form_generation(work.scenario.cluster.accelerator) == ClosedFormGeneration::ampere;
  const double penalty = overlap_penalty * (ampere ? 1 : later_contention) * work.factors.overlap;
  return std::max(layer.sum() + penalty * std::min(exchange, layer.sum()), exchange);
}

/// Layers of each stage by kind: as even as possible. Where that leaves two places, embedding and head take them.
std::vector<ByKind> stage_layers(const StepWork& work) {
  const Transformer& model = work.scenario.transformer;
  const Plan& plan = work.plan;
  const int chunks = plan.pipeline * plan.virtual_pipeline;
  std::vector<int> counts = plan.stage_layers;
  const auto layers = static_cast<int>(model.layers);
  if (counts.empty())
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const bool with_ends = layers % chunks != 0 && (layers + 2) % chunks == 0 && chunks > 2;
      const int slots = with_ends ? layers + 2 : layers;
      const int own = slots / chunks + (chunk < slots % chunks ? 1 : 0);
      counts.push_back(own - (with_ends && (chunk == 0 || chunk == chunks - 1) ? 1 : 0));
    }
  std::vector<ByKind> out(static_cast<std::size_t>(plan.pipeline), ByKind{});
  std::int64_t first = 0;
  for (std::size_t chunk = 0; chunk < counts.size(); ++chunk) {
    ByKind& stage = out[chunk % out.size()];
    for (const LayerKind kind : {LayerKind::dense, LayerKind::experts})
      stage[static_cast<std::size_t>(kind)] += static_cast<double>(model.layers_of(kind, first, counts[chunk]));
    first += counts[chunk];
  }
  return out;
}

/// Parameters of the layers of a stage on one rank.
double parameters_of(const ByKind& layers, const ByKind& each) {
  double sum = 0;
  for (std::size_t kind = 0; kind < layer_kind_count; ++kind) sum += layers[kind] * each[kind];
  return sum;
}

/// Parameters of the embedding or the head on one rank, mean over the stages.
double embedding_share(const StepWork& work) {
  const Transformer& model = work.scenario.transformer;
  return (embedding_parameters(model) + head_parameters(model)) / work.plan.tensor / work.plan.pipeline;
}

double stage_time(const StepWork& work, const ByKind& layers) {
  double sum = 0;
  for (std::size_t kind = 0; kind < layer_kind_count; ++kind)
    if (layers[kind] > 0) sum += layers[kind] * with_sharded_weights(work, kind, work.layer[kind]);
  const bool sums = work.scenario.stack.gradient_size.value >= 4 && work.scenario.job.task != Task::lora;
  const double parameters = parameters_of(layers, work.parameters) + parameters_of(layers, work.expert_parameters);
  if (sums) sum += parameters * accumulation_bytes / work.rates.memory * work.factors.compute;
  return sum;
}

double message_time(const StepWork& work) {
  const Plan& plan = work.plan;
  if (plan.pipeline <= 1) return 0;
  const double bytes =
      2 * closed_form_tokens(work.scenario, plan) * static_cast<double>(work.scenario.transformer.hidden) / plan.tensor;
  const int stride = plan.accelerators() / plan.pipeline;
  const ClosedFormLinks links = closed_form_links(work.scenario, plan.pipeline, stride);
  const double one = bytes / std::max(1.0, links.bandwidth) * work.factors.communication;
  return 2 * one * (work.scenario.stack.overlap_pipeline_messages ? 0.2 : 1);
}

double pipeline_time(const StepWork& work, const std::vector<ByKind>& layers) {
  std::vector<double> stages;
  for (const ByKind& one : layers) stages.push_back(stage_time(work, one));
  stages.back() += closed_form_head(work.scenario, work.plan, work.factors).sum();
  const double slowest = *std::max_element(stages.begin(), stages.end());
  double others = -slowest;
  for (const double stage : stages) others += stage;
  const Plan& plan = work.plan;
  const double schedule = plan.schedule == PipelineSchedule::one_forward_one_backward ? 1
                          : plan.schedule == PipelineSchedule::zero_bubble            ? 1.0 / 3
                                                                                      : 0.5;
  const double messages = message_time(work);
  return plan.micro_batches * (slowest + messages * plan.virtual_pipeline) +
         schedule * (others + messages * plan.pipeline) / plan.virtual_pipeline;
}

double exposed(double exchange, bool overlapped, double beside) {
  return overlapped ? std::max(least_exposed * exchange, exchange - hidden_share * beside) : exchange;
}

/// Exposed part of the reduction of gradients and of the gathers of weights, once in a step.
double replica_exchange(const StepWork& work, const ByKind& layers) {
  const Plan& plan = work.plan;
  const SoftwareStack& stack = work.scenario.stack;
  if (shards_weights(plan.sharding) || work.scenario.job.task == Task::lora) return 0;
  const double own = parameters_of(layers, work.parameters) + embedding_share(work);
  const double experts = parameters_of(layers, work.expert_parameters);
  const auto rings = [&](double size) {
    return replica_ring(work, own * size, plan.gradient_ranks()) + expert_ring(work, experts * size);
  };
  ClosedFormPasses beside;
  for (std::size_t kind = 0; kind < layer_kind_count; ++kind) beside = beside + work.layer[kind] * layers[kind];
  return exposed(rings(stack.reduced_size.value), stack.overlap_gradient_reduce, beside.backward) +
         exposed(rings(2), stack.overlap_parameter_gather, beside.forward);
}

double optimizer_time(const StepWork& work, const ByKind& layers) {
  if (work.scenario.job.task == Task::lora) return 0;
  const Plan& plan = work.plan;
  const bool sharded = plan.sharding != Sharding::none;
  const double dense = parameters_of(layers, work.parameters) / (sharded ? plan.shard_group : 1);
  const double experts = parameters_of(layers, work.expert_parameters) / (sharded ? plan.expert_replicas() : 1);
  return (dense + experts) * update_bytes / work.rates.memory * work.factors.compute;
}

}  // namespace

Seconds closed_form_step(const Scenario& scenario, const Plan& plan, const ClosedFormFactors& factors) {
  StepWork work{scenario, plan, factors, closed_form_rates(scenario.cluster.accelerator, scenario.job.precision),
                {},       {},   {}};
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts}) {
    if (scenario.transformer.layers_of(kind) == 0) continue;
    const auto k = static_cast<std::size_t>(kind);
    work.layer[k] = closed_form_layer(scenario, plan, work.rates, factors, kind);
    const double routed = routed_parameters(scenario.transformer, kind);
    work.parameters[k] = (layer_parameters(scenario.transformer, kind) - routed) / plan.tensor;
    work.expert_parameters[k] = routed / (plan.expert * plan.expert_tensor);
  }
  const std::vector<ByKind> layers = stage_layers(work);
  const ByKind& largest = *std::max_element(layers.begin(), layers.end(),
                                            [](const ByKind& a, const ByKind& b) { return a[0] + a[1] < b[0] + b[1]; });
  return (pipeline_time(work, layers) + replica_exchange(work, largest) + optimizer_time(work, largest)) * second;
}

}  // namespace clusterwright
