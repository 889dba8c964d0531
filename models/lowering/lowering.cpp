// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/lowering/step_program.hpp"
#include "sim/diagnostic.hpp"
#include "sim/step_works.hpp"

namespace clusterwright {

namespace {

Seconds time_alone(const WorkTiming& work) {
  return to_seconds(work.duration) + to_seconds(work.launch);
}

/// Time of a leg without other transfers: its own rate, or what it takes from the capacity of a shared resource.
Seconds time_shared(const StepGraph& graph, LegId id) {
  const LegTiming& leg = graph.timing.legs[id];
  const Seconds delay = to_seconds(leg.delay);
  if (leg.bytes == 0) return delay;
  double slowest = 1.0 / static_cast<double>(leg.rate_bound);  // seconds per byte
  for (std::size_t use = graph.structure.use_begin[id.value]; use < graph.structure.use_begin[id.value + 1]; ++use) {
    const ResourceUse& taken = graph.structure.uses[use];
    const double share = taken.count * static_cast<double>(graph.timing.coefficients[use]) / coefficient_one;
    const auto capacity = static_cast<double>(graph.timing.capacity[taken.resource]);
    slowest = std::max(slowest, share / capacity);
  }
  return delay + static_cast<double>(leg.bytes) * slowest * second;
}

Seconds time_shared(const StepGraph& graph, ChainId chain) {
  Seconds total;
  for (LegId leg(graph.structure.chain_begin[chain.value]); leg.value < graph.structure.chain_begin[chain.value + 1];
       ++leg.value)
    total += time_shared(graph, leg);
  return total;
}

/// Simulated time is finite; sharing may stretch a step, hence the wide margin below its 106 days.
void check_length(const StepGraph& graph) {
  constexpr double longest_days = 20;
  Seconds total;
  std::vector<Seconds> chains;
  for (std::size_t chain = 0; chain + 1 < graph.structure.chain_begin.size(); ++chain)
    chains.push_back(time_shared(graph, ChainId(chain)));
  for_each_work(graph.structure, [&](const StepWork& work) {
    Seconds time = time_alone(graph.timing.works[work.work]);
    if (work.chain.exists()) time += chains[work.chain.value];
    total += static_cast<double>(work.count) * time;
  });
  if (total < longest_days * day) return;
  throw ConfigError({"E0502",
                     fmt::format("the kernels and transfers of one step take {:.0f} days", total.in(day)),
                     {},
                     "",
                     fmt::format("at most {:.0f} can be simulated: a shorter sequence, a smaller batch or faster links",
                                 longest_days)});
}

/// Only a governor lets power overshoot the rating for the length of a kernel.
StepGraphBuilder make_builder(const DevicePowerParameters& power, bool has_governor) {
  StepGraphBuilder builder(
      std::vector<std::string>(step_charge_names.begin(), step_charge_names.end()),
      {charge_id(StepCharge::launch), charge_id(StepCharge::throttle), charge_id(StepCharge::bubble)});
  builder.set_power_clock_exponent(power.clock_exponent.value);
  builder.set_governed(has_governor);
  builder.set_short_term_power(has_governor ? power.short_term_power.value : 1);
  return builder;
}

/// Cluster with the network cards that the stack uses.
Cluster used_part(const Scenario& s) {
  Cluster cluster = s.cluster;
  if (s.stack.network_cards) cluster.nics = std::min(cluster.nics, *s.stack.network_cards);
  return cluster;
}

/// Power beside the accelerator of one rank: its share of the hosts, and of the accelerators that no rank uses.
Watts power_beside(const Cluster& cluster, Watts idle_accelerator) {
  const Watts host = cluster.spec.node.host_power.value;
  if (cluster.blocks.idle() == 0) return host / cluster.node_accelerators;
  return (cluster.nodes() * host + cluster.blocks.idle() * idle_accelerator) / cluster.spec.accelerators;
}

/// The rank classes of the graph, each with its program. @param write  writes the ops of one program
template <class Write>
void write_programs(const StepParts& parts, const Write& write) {
  const PlannedStep& step = parts.step;
  const Cluster& cluster = step.scenario.cluster;
  const Watts beside = power_beside(cluster, parts.kernels.idle_power());
  const PowerDomainId domain = parts.builder.add_power_domain("accelerators and hosts");
  for (const RankClassId c : step.classes.ids()) {
    parts.builder.add_rank_class(
        fmt::format("stage {}", step.stage_of(c)), static_cast<std::uint32_t>(step.classes.multiplicity(c)), domain,
        parts.kernels.idle_power() + beside, parts.kernels.power_limit() + beside, step.classes.highest_clock(c));
    StepProgram program(parts, c);
    write(program);
  }
}

/// Structure first, then times, then the machine, then the programs; each line uses those above it.
template <class Write>
StepGraph lower(const Scenario& s, const Plan& plan, Folding folding, const Write& write) {
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  const PlannedJob job = planned_job(s.transformer, s.job, s.stack, plan, layout);
  const Placement placement(plan, s.stack.rank_order, s.cluster.blocks);
  const ExpertWork experts = placed_expert_work(job, placement);
  const RankClasses classes = rank_classes(s, placement, folding);
  const ClassGroups groups(placement, classes);
  const PlannedStep step{s, job, placement, classes, groups, experts};

  const StepFactors factors = step_factors(s.steps, s.stack, s.job, s.cluster.accelerator);
  const KernelTimes kernels(s.cluster.accelerator, s.parameters, s.stack, factors, s.job.precision);
  const Cluster cluster = used_part(s);
  const LinkTimings timings(cluster, s.parameters, factors.communication);

  StepGraphBuilder builder = make_builder(s.parameters.power, kernels.has_governor());
  StepMachine machine(builder, step, timings, host_link_bandwidth(s.cluster, s.parameters));
  const StepRecipes recipes = write_recipes(builder, kernels, job, experts);
  StepMeetings meetings(builder, classes.count(), plan.pipeline);
  StepLinks& links = machine.links();
  const ChainId norm = s.stack.kernels.clips_gradients ? links.everywhere() : links.nothing();
  PassBook passes(builder);
  write_programs({builder, step, kernels, recipes, machine, meetings, passes, norm}, write);
  return std::move(builder).build();
}

}  // namespace

StepGraph lower_training_step(const Scenario& scenario, const Plan& plan, Folding folding) {
  StepGraph graph = lower(scenario, plan, folding, [](StepProgram& program) { program.write(); });
  check_length(graph);
  return graph;
}

StepGraph lower_layer(const Scenario& scenario, const Plan& plan, LayerKind kind, bool backward) {
  return lower(scenario, plan, Folding::folded, [&](StepProgram& program) { program.write_layer(kind, backward); });
}

}  // namespace clusterwright
