#include <fmt/format.h>

#include <cmath>

#include "models/bottleneck.hpp"
#include "models/memory_use.hpp"
#include "models/plan.hpp"
#include "models/prediction_interval.hpp"
#include "models/scenario.hpp"
#include "models/step_simulation.hpp"

namespace clusterwright {

namespace {

constexpr std::array<const char*, 3> recompute_names = {"none", "selective", "full"};

MemoryUse memory_under(const Scenario& s, const Plan& plan) {
  const StageLayout layout(s.transformer.layers, plan.pipeline, plan.virtual_pipeline);
  return worst_memory({s.transformer, plan, layout, s.stack, s.job.sequence});
}

/// The least recomputation that fits; full if nothing does.
void choose_recompute(const Scenario& s, ResolvedPlan& resolved) {
  if (s.job.recompute) return;
  const Bytes capacity = s.cluster.accelerator.memory.value;
  for (const Recompute choice : {Recompute::none, Recompute::selective, Recompute::full}) {
    resolved.plan.recompute = choice;
    if (memory_under(s, resolved.plan).total() <= capacity) break;
  }
  resolved.assumptions.push_back({"recomputation", recompute_names[static_cast<std::size_t>(resolved.plan.recompute)],
                                  "default", "not given: the least that fits"});
}

NumberFormat matrix_format(Precision precision) {
  return precision == Precision::fp8 ? NumberFormat::fp8 : NumberFormat::bf16;
}

void add_rates(const Scenario& s, StepPrediction& out) {
  const double tokens = static_cast<double>(out.plan.global_batch) * s.job.sequence;
  out.tokens_per_second = tokens / out.step_time.in(second);
  const Flops per_token = training_flops_per_token(s.transformer, s.job.sequence);
  out.model_flops_per_accelerator = per_token * tokens / out.step_time / out.accelerators;
  out.mfu = out.model_flops_per_accelerator / peak(s.cluster.accelerator, matrix_format(s.job.precision));
}

void add_power(const Scenario& s, const StepSimulation& step, StepPrediction& out) {
  const auto domains = meter_power(step.graph.structure, step.graph.price, step.result);
  const DomainPower& all = domains[PowerDomainId(0)];
  out.power.it_mean = all.mean;
  out.power.it_peak = all.peak;
  out.power.energy_per_token = all.energy / (out.tokens_per_second * out.step_time.in(second));
  if (const auto pue = s.cluster.spec.facility.power_usage_effectiveness) out.power.facility_mean = all.mean * *pue;
}

void add_assumptions(const Scenario& s, StepPrediction& out) {
  const auto percent = [](double x) { return fmt::format("{:.0f} %", 100 * x); };
  const auto sourced = [](const auto& value) { return value.source; };
  auto& list = out.assumptions;
  const bool named = s.source.at_pointer("/job/stack") != nullptr;
  list.push_back({"software stack", s.stack.name, named ? "user" : "default", s.stack.source});
  list.push_back({"kernel, link and memory curves", s.parameters.name, "fit",
                  "published microbenchmarks of " + s.parameters.accelerator});
  list.push_back({"kernels of a step against microbenchmarks",
                  fmt::format("{:.2f} times as long", s.parameters.step.kernel_tax.value), "fit",
                  sourced(s.parameters.step.kernel_tax)});
  list.push_back({"error of whole steps beyond their parts", percent(s.parameters.step.structural_error.value), "fit",
                  sourced(s.parameters.step.structural_error)});
  list.push_back({"power at full matrix load", percent(s.parameters.power.tensor_weight.value) + " of the rated range",
                  "estimate", sourced(s.parameters.power.tensor_weight)});
  list.push_back({"host power per node", fmt::format("{:.2f} kW", s.cluster.spec.node.host_power.value.in(kilowatt)),
                  "estimate", s.cluster.spec.node.host_power.source});
  list.push_back({"network share of the data sheet", percent(s.parameters.network.bandwidth_share.value), "fit",
                  sourced(s.parameters.network.bandwidth_share)});
  list.push_back({"stragglers, jitter and failures", "none", "default", "not modelled in this version"});
  list.push_back({"network paths", "evenly spread", "default", "collisions of hashed flows are not modelled yet"});
}

}  // namespace

StepPrediction predict_step(const Scenario& s) {
  ResolvedPlan resolved = resolve_plan(s.cluster, s.transformer, s.job, s.source);
  choose_recompute(s, resolved);
  StepPrediction out;
  out.accelerators = s.cluster.spec.accelerators;
  out.plan = resolved.plan;
  out.assumptions = std::move(resolved.assumptions);
  out.memory = memory_under(s, out.plan);
  const MemoryVerdict verdict = judge_memory(out.memory, s.cluster.accelerator.memory.value, out.plan.pipeline);
  out.fits = verdict.fits;
  out.verdict = verdict.sentence;

  const StepSimulation step = simulate_step(s, out.plan);
  out.step_time = to_seconds(step.result.end);
  for (std::size_t i = 0; i < step_charge_count; ++i) out.breakdown[i] = step.breakdown.mean[i];
  add_rates(s, out);
  add_power(s, step, out);
  const double factor = std::exp(half_width_90 * step_time_sigma(out, s.parameters));
  out.low = out.step_time / factor;
  out.high = out.step_time * factor;
  out.bottleneck = name_bottleneck(out);
  add_assumptions(s, out);
  return out;
}

}  // namespace clusterwright
