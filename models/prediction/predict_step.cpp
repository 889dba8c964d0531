// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/predict_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/job/scenario.hpp"
#include "models/job/uniform_scenario.hpp"
#include "models/kernels/kernel_times.hpp"
#include "models/lowering/input_side.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/memory/checkpoint_use.hpp"
#include "models/memory/memory_levels.hpp"
#include "models/memory/memory_verdict.hpp"
#include "models/plan/expert_work.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/planned_job.hpp"
#include "models/plan/stage_layout.hpp"
#include "models/prediction/bottleneck.hpp"
#include "models/prediction/evidence.hpp"
#include "models/prediction/nearest_change.hpp"
#include "models/prediction/prediction.hpp"
#include "models/prediction/prediction_interval.hpp"
#include "models/prediction/step_laws.hpp"
#include "models/prediction/step_warnings.hpp"
#include "models/prediction/unstated_routing.hpp"
#include "models/search/choose_plan.hpp"
#include "models/settling/settle_input.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "sim/plain_number.hpp"
#include "topology/cluster/uniform_cluster.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

namespace {

void add_size(const Cluster& cluster, StepPrediction& out) {
  out.accelerators = cluster.spec.accelerators;
  out.nodes = cluster.nodes();
  out.domain_ranks = cluster.blocks.used;
  out.idle_accelerators = cluster.blocks.idle();
  if (out.idle_accelerators > 0)
    out.warnings.push_back(idle_text(cluster.blocks, cluster.node_accelerators) + " and draw idle power");
}

/// Peak of an accelerator, mean over the ranks.
FlopsPerSecond mean_peak(const Scenario& s) {
  const NumberFormat format = matrix_format(s.job.precision);
  if (s.cluster.kinds() == 1) return peak(s.cluster.accelerator, format);
  FlopsPerSecond sum;
  for (const NodeGroup& group : s.cluster.groups) sum += peak(group.accelerator, format) * group.accelerators();
  return sum / s.cluster.spec.accelerators;
}

/// Power of the host of a node, mean over the nodes.
Watts mean_host_power(const Cluster& cluster) {
  if (cluster.kinds() == 1) return cluster.spec.node.host_power.value;
  Watts sum;
  for (const NodeGroup& group : cluster.groups) sum += group.host_power.value * group.nodes;
  return sum / cluster.nodes();
}

void add_rates(const Scenario& s, StepPrediction& out) {
  const double tokens = static_cast<double>(out.plan.global_batch) * s.job.sequence;
  out.tokens_per_second = tokens / out.step_time.in(second);
  // Assignments that a capacity factor drops are no work that anything does.
  const Flops per_token = training_flops_per_token(s.transformer, training_work(s.job), 1 - out.dropped);
  out.model_flops_per_accelerator = per_token * tokens / out.step_time / out.accelerators;
  out.mfu = out.model_flops_per_accelerator / mean_peak(s);
}

void add_power(const Scenario& s, const StepSummary& step, StepPrediction& out) {
  out.power.nodes_mean = step.mean_power;
  out.power.nodes_peak = step.peak_power;
  out.power.nodes_trough = step.wave.low;
  out.power.nodes_crest = step.wave.high;
  out.power.nodes_ramp = step.wave.ramp;
  for (const NodeGroup& group : s.cluster.groups)
    if (const AcceleratorPart& part = group.accelerator; part.power_limit)
      out.power.limits.push_back({part.id, *part.power_limit, part.power.value});
  out.power.node_host = mean_host_power(s.cluster);
  out.power.energy_per_token = step.energy / (out.tokens_per_second * out.step_time.in(second));
}

/// Sets the verdict on memory: that of the accelerator, or that of other levels if the accelerator's suffices.
void judge(const ChosenPlan& chosen, StepPrediction& out) {
  const Scenario& s = chosen.scenario;
  const bool alike = s.cluster.kinds() == 1;
  const std::string nodes = alike ? std::string() : kind_name(s.cluster, chosen.fullest_kind);
  const double residual = memory_residual(s.steps, s.stack);
  out.memory_range = memory_range(out.memory, residual);
  const MemoryVerdict verdict = judge_memory(out.memory, out.memory_capacity, out.plan.pipeline, residual, nodes);
  out.tiers = level_uses(s, out.plan);
  const std::string beyond = level_verdict(out.tiers);
  out.fits = verdict.fits && beyond.empty();
  out.verdict = verdict.fits && !out.fits ? beyond : verdict.sentence;
  if (!s.cluster.groups[s.cluster.group_of_kind(chosen.fullest_kind)].accelerator.addressable_memory)
    out.verdict += fmt::format("; {} GB are the label's, what the driver reports is not known",
                               plain_number(out.memory_capacity.in(gigabyte)));
}

double dropped_of(const Scenario& s, const Plan& plan) {
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  return dropped_share(planned_job(s.transformer, s.job, s.stack, plan, layout));
}

/// Whether an accelerator runs slower than its peers: a cap may lie above the clock that power allows.
bool is_slowed(const SlowAcceleratorSpec& slow, const Cluster& cluster, const StepSummary& step) {
  if (is_limited(slow, cluster)) return true;
  if (slow.relative_clock.value_or(1) < 1) return true;
  return std::ranges::any_of(
      step.capped, [&](const CappedClock& capped) { return capped.cap == slow.clock && capped.settled >= capped.cap; });
}

/// Compares with the same step of healthy accelerators, if any is slower than they are.
void add_stragglers(const Scenario& s, const StepSummary& step, StepPrediction& out) {
  StragglerUse use;
  for (const SlowAcceleratorSpec& slow : s.cluster.spec.slow)
    if (s.cluster.blocks.rank(slow.accelerator) && is_slowed(slow, s.cluster, step))
      use.accelerators.push_back(slow.accelerator);
  if (use.accelerators.empty()) return;
  Scenario healthy = s;
  healthy.cluster.spec.slow.clear();
  const StepTime best = time_step(healthy, out.plan);
  use.loss = std::max(Seconds{}, to_seconds(step.end) - to_seconds(best.end));
  for (std::size_t i = 0; i < step_charge_count; ++i) use.healthy[i] = best.breakdown[i];
  out.stragglers = std::move(use);
}

/// The interval, which unstated routing widens upwards.
void add_interval(const Scenario& s, bool with_hashing, StepPrediction& out) {
  const double half = half_width_90 * out.uncertainty.sigma;
  out.low = out.step_time / std::exp(half);
  out.high = out.step_time * std::exp(half);
  if (with_hashing) out.hashed_time = hashed_step(s, out.plan);
  if (out.hashed_time) out.high = high_with_hashing(out.step_time, out.high, *out.hashed_time);
}

void add_input(const Scenario& s, StepPrediction& out) {
  if (!s.job.input) return;
  out.input = input_supply(s, out.plan);
  if (!s.job.input->checkpoint) return;
  for (const Scenario& kind : uniform_scenarios(s))  // the slowest hosts hold up the others
    if (const CheckpointUse use = checkpoint_use(kind, out.plan, out.step_time);
        !out.checkpoint || use.stall > out.checkpoint->stall)
      out.checkpoint = use;
}

/// Rent of an accelerator, mean over the ranks; absent unless the prices state that of every kind.
std::optional<Ranged<DollarsPerSecond>> mean_rent(const Scenario& s) {
  if (!s.prices) return {};
  std::optional<Ranged<DollarsPerSecond>> mean;
  for (int kind = 0; kind < s.cluster.kinds(); ++kind) {
    const auto* rent = s.prices->rent_of(s.cluster.groups[s.cluster.group_of_kind(kind)].accelerator.id);
    if (!rent) return {};
    if (s.cluster.kinds() == 1) return *rent;
    const double share = static_cast<double>(accelerators_of_kind(s.cluster, kind)) / s.cluster.spec.accelerators;
    if (!mean) mean = *rent, mean->value = {};
    mean->value += share * rent->value;
  }
  return mean;
}

void add_training(const Scenario& s, StepPrediction& out) {
  const auto steps = stated_steps(s.job, static_cast<std::int64_t>(out.plan.global_batch) * s.job.sequence);
  if (!steps) return;
  out.training = training_run(out, s.job.sequence, *steps);
  if (const auto rent = mean_rent(s)) out.training->rent = rent_of(*out.training, *rent, s.prices->goodput.value);
}

Assumption paths_taken(const FabricSpec& fabric) {
  const PathPolicy policy = path_policy(fabric);
  std::string paths;
  switch (policy.routing) {
    case Routing::hash:
      paths = fmt::format("{} hashed flows for each pair of NICs", policy.queue_pairs);
      break;
    case Routing::spray:
      paths = fabric.routing.value_or(Routing::spray) == Routing::spray ? "evenly spread"
                                                                        : "evenly spread: a fat tree has no detours";
      break;
    case Routing::valiant:
      paths = "detours by way of a third group";
      break;
    case Routing::adaptive:
      paths = "the best mixture of shortest paths and detours";
      break;
  }
  return {"network paths", paths, fabric.routing ? "user" : "default",
          fabric.routing ? "fabric.routing" : "the fabric does not state its routing"};
}

Assumption unequal_flows(const TailSpec& tail) {
  std::string text = fmt::format("1 in 100 takes {:g} times the median", tail.p99);
  if (tail.p999) text += fmt::format(", 1 in 1,000 {:g} times", *tail.p999);
  return {"flows between nodes", std::move(text), "user", "fabric.tail"};
}

/// What the first kind of nodes of a scenario takes from fits and estimates. @param nodes  behind the name of each
void add_parameters(const Scenario& s, const std::string& nodes, StepPrediction& out) {
  const auto percent = [](double x) { return fmt::format("{:.0f} %", 100 * x); };
  const auto sourced = [](const auto& value) { return value.source; };
  const StepFactors factors = step_factors(s.steps, s.stack, s.job, s.cluster.accelerator);
  auto& list = out.assumptions;
  list.push_back({"kernel, link and memory curves" + nodes, s.parameters.name, "fit",
                  curves_from(s.parameters, s.cluster.accelerator)});
  list.push_back({"time of kernels in a step over their microbenchmarks" + nodes,
                  fmt::format("{:.2f}", factors.compute), "fit",
                  fmt::format("entry \"{}\" of the step calibration, on {}", factors.entry,
                              step_architecture(s.cluster.accelerator))});
  if (nodes.empty())
    list.push_back({"error of whole steps beyond that of their parts", percent(out.uncertainty.sigma), "fit",
                    sourced(s.steps.residuals.known)});
  list.push_back({"power of GEMMs at full utilisation" + nodes,
                  percent(s.parameters.power.tensor_weight.value) + " of the rated range", "estimate",
                  sourced(s.parameters.power.tensor_weight)});
  list.push_back({"host power per node" + nodes,
                  fmt::format("{:.2f} kW", s.cluster.spec.node.host_power.value.in(kilowatt)), "estimate",
                  s.cluster.spec.node.host_power.source});
  list.push_back({"network efficiency" + nodes, percent(s.parameters.network.bandwidth_share.value), "fit",
                  sourced(s.parameters.network.bandwidth_share)});
}

void add_assumptions(const Scenario& s, StepPrediction& out) {
  auto& list = out.assumptions;
  const bool named = s.source.at_pointer("/job/stack") != nullptr;
  list.push_back({"software stack", s.stack.name, named ? "user" : "default", s.stack.source});
  add_parameters(s, "", out);
  for (int kind = 1; kind < s.cluster.kinds(); ++kind)
    add_parameters(uniform_scenario(s, kind), " (" + kind_name(s.cluster, kind) + ")", out);
  if (out.input && out.input->limited_by.empty())
    list.push_back({"storage that holds the input data", "no limit", "default", "its rate is not given"});
  if (s.steps.replica_spread.value > 0) {
    list.push_back({"spread of the speed of replicas", fmt::format("{:.1f} %", 100 * s.steps.replica_spread.value),
                    "parameters", s.steps.replica_spread.source});
    list.push_back({"stragglers and failures", "none", "default", "not modelled in this version"});
  } else {
    list.push_back({"stragglers, jitter and failures", "none", "default", "not modelled in this version"});
  }
  if (!s.cluster.has_network()) return;
  list.push_back(paths_taken(s.cluster.spec.fabric));
  if (s.cluster.spec.fabric.tail) list.push_back(unequal_flows(*s.cluster.spec.fabric.tail));
}

/// Whether no field that moves a step by more than a few percent had to be assumed.
bool all_given(const Job& job) {
  const ParallelSpec& parallel = job.parallel;
  const bool chunks = parallel.virtual_pipeline || !parallel.stage_layers.empty() ||
                      parallel.schedule != PipelineSchedule::one_forward_one_backward;
  const bool stages = parallel.pipeline && (*parallel.pipeline == 1 || chunks);
  return job.recompute && job.micro_batch && parallel.tensor && stages;
}

/// Uncertainty by the kind of nodes that is least certain: the kinds share the errors of their stack, and a step that
/// waits for one of them has the errors of that one.
StepUncertainty widest_uncertainty(const StepPrediction& step, const Scenario& s, bool known) {
  if (s.cluster.kinds() == 1) return step_uncertainty(step, s, known);
  std::optional<StepUncertainty> widest;
  for (const Scenario& kind : uniform_scenarios(s))
    if (StepUncertainty own = step_uncertainty(step, kind, known); !widest || own.sigma > widest->sigma)
      widest = std::move(own);
  return *std::move(widest);
}

/// Sentences on each kind of nodes, each once.
std::vector<std::string> evidence_of_kinds(const Scenario& s, double sigma) {
  if (s.cluster.kinds() == 1) return evidence_warnings(s, sigma);
  std::vector<std::string> out;
  for (const Scenario& kind : uniform_scenarios(s))
    for (std::string& text : evidence_warnings(kind, sigma))
      if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
  return out;
}

/// @param with_hashing  widens the interval where the fabric does not state its routing
StepPrediction predict_decided(const Scenario& s, DecidedPlan decided, bool with_hashing, bool with_remedy) {
  ChosenPlan& chosen = decided.chosen;
  StepPrediction out;
  add_size(s.cluster, out);
  out.plan = chosen.plan;
  out.assumptions = std::move(chosen.assumptions);
  out.memory = chosen.memory;
  out.memory_capacity = chosen.capacity;
  judge(chosen, out);

  const StepSummary step = decided.step ? *decided.step : settle_input(chosen.scenario, out.plan);
  out.step_time = to_seconds(step.end);
  for (std::size_t i = 0; i < step_charge_count; ++i) out.breakdown[i] = step.breakdown[i];
  out.dropped = dropped_of(chosen.scenario, out.plan);
  add_rates(s, out);
  add_power(s, step, out);
  out.uncertainty = widest_uncertainty(out, chosen.scenario, decided.searched || all_given(s.job));
  add_interval(chosen.scenario, with_hashing, out);
  add_input(chosen.scenario, out);
  add_training(s, out);
  add_stragglers(chosen.scenario, step, out);
  out.mixed = mixed_use(chosen.scenario, out.plan, step);
  for (std::string& warning : step_warnings(chosen.scenario, out, step)) out.warnings.push_back(std::move(warning));
  if (!out.fits && with_remedy) out.remedy = nearest_change(s, out.plan);
  out.bottleneck = name_bottleneck(out);
  add_assumptions(s, out);
  for (std::string& warning : evidence_of_kinds(chosen.scenario, out.uncertainty.sigma))
    out.warnings.push_back(std::move(warning));
  check_laws(out, chosen.scenario);
  return out;
}

}  // namespace

StepPrediction predict_step(const Scenario& s, OpenFields open, Remedy remedy) {
  const bool best = open == OpenFields::best;
  const bool with_remedy = remedy == Remedy::sought && best && s.cluster.kinds() == 1;
  return predict_decided(s, decide_plan(s, open), best, with_remedy);
}

StepPrediction predict_step(const Scenario& s, const GivenPlan& given) {
  DecidedPlan decided = given.decided;
  const auto host = [](const Scenario& scenario) { return scenario.cluster.spec.node.host_power.value; };
  if (host(s) != host(decided.chosen.scenario)) decided.step.reset();
  decided.chosen.scenario = s;
  return predict_decided(s, std::move(decided), given.hashed == HashedFlows::timed, false);
}

}  // namespace clusterwright
