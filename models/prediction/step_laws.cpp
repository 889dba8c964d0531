// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_laws.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/lowering/step_charge.hpp"
#include "models/prediction/efficiency_reasons.hpp"
#include "sim/law_check.hpp"

namespace clusterwright {

namespace {

void check_time(const StepPrediction& step, LawCheck& laws) {
  const double time = step.step_time.in(second);
  laws.positive("step time", time);
  laws.ordered("step time", step.low.in(second), time, step.high.in(second));
  Seconds sum;
  for (std::size_t i = 0; i < step_charge_count; ++i) {
    laws.not_negative(fmt::format("time charged to {}", step_charge_names[i]), step.breakdown[i].in(second));
    sum += step.breakdown[i];
  }
  laws.equal("sum of causes", sum.in(second), "step time", time);
}

void check_rates(const StepPrediction& step, const Scenario& s, LawCheck& laws) {
  const double tokens = static_cast<double>(step.plan.global_batch) * s.job.sequence;
  laws.equal("tokens/s times step time", step.tokens_per_second * step.step_time.in(second), "tokens", tokens);
  laws.positive("MFU", step.mfu);
  laws.at_most("MFU", step.mfu, "1", 1);
  laws.equal("energy per token times tokens", step.power.energy_per_token.in(joule)*tokens, "power times time",
             step.power.nodes_mean.in(watt)*step.step_time.in(second));
}

void check_memory(const StepPrediction& step, LawCheck& laws) {
  const MemoryUse& m = step.memory;
  for (const Bytes part :
       {m.weights, m.gradients, m.optimizer, m.gathered, m.activations, m.working, m.logits, m.buffers, m.reserved})
    laws.not_negative("memory of each kind", part.in(gigabyte));
  for (const LevelUse& level : step.tiers) laws.not_negative("memory of each level", level.bytes.total().in(gigabyte));
}

/// Rated power of all accelerators, idle ones included.
Watts rated_power(const StepPrediction& step, const Cluster& cluster) {
  if (cluster.kinds() == 1) return (step.accelerators + step.idle_accelerators) * cluster.accelerator.power.value;
  Watts sum;
  for (const NodeGroup& group : cluster.groups) sum += group.accelerators() * group.accelerator.power.value;
  return sum;
}

/// The largest overshoot of the kinds of nodes.
double short_term_power(const Scenario& s) {
  double most = s.parameters.power.short_term_power.value;
  for (const KindParameters& kind : s.by_kind) most = std::max(most, kind.parameters.power.short_term_power.value);
  return most;
}

/// Governors let the mean of the accelerators reach their rating, and a kernel exceed it for its own length.
void check_power(const StepPrediction& step, const Scenario& s, LawCheck& laws) {
  const PowerUse& power = step.power;
  const double mean = power.nodes_mean.in(watt);
  const double accelerators = rated_power(step, s.cluster).in(watt);
  const double hosts = step.nodes * power.node_host.in(watt);
  laws.positive("mean power", mean);
  laws.at_most("lowest power", power.nodes_trough.in(watt), "mean power", mean);
  laws.at_most("mean power", mean, "highest power at the supplies", power.nodes_crest.in(watt));
  laws.at_most("highest power at the supplies", power.nodes_crest.in(watt), "peak power", power.nodes_peak.in(watt));
  laws.at_most("largest change of power", power.nodes_ramp.in(watt), "its swing",
               (power.nodes_crest - power.nodes_trough).in(watt));
  laws.at_most("mean power", mean, "rated power of accelerators and hosts", accelerators + hosts);
  laws.at_most("peak power", power.nodes_peak.in(watt), "rated power with its overshoot",
               accelerators * short_term_power(s) + hosts);
}

/// The run is its steps, and every hour of it costs power and accelerators.
void check_training(const StepPrediction& step, const Scenario& s, LawCheck& laws) {
  const TrainingRun& run = *step.training;
  const double per_step = static_cast<double>(step.plan.global_batch) * s.job.sequence;
  const double hours = run.time.value.in(hour);
  laws.positive("steps of the run", static_cast<double>(run.steps));
  laws.equal("tokens of the run", run.tokens, "steps times tokens of a step",
             static_cast<double>(run.steps) * per_step);
  if (s.job.tokens) {
    const auto asked = static_cast<double>(*s.job.tokens);
    laws.at_most("tokens asked for", asked, "tokens of the run", run.tokens);
    laws.at_most("tokens of the run", run.tokens, "those asked for and one step", asked + per_step);
  }
  laws.ordered("time of the run", run.time.low.in(second), run.time.value.in(second), run.time.high.in(second));
  laws.ordered("pauses for checkpoints", 0, run.checkpoints.in(hour), hours);
  laws.equal("time in steps", (run.time.value - run.checkpoints).in(second), "steps times step time",
             static_cast<double>(run.steps) * step.step_time.in(second));
  laws.ordered("accelerator-hours", run.accelerator_hours.low, run.accelerator_hours.value, run.accelerator_hours.high);
  laws.equal("accelerator-hours", run.accelerator_hours.value, "accelerators times hours", run.accelerators * hours);
  laws.equal("energy of the run in kWh", run.nodes_energy.value.in(kilowatt_hour), "mean power times hours",
             step.power.nodes_mean.in(kilowatt)*hours);
  if (run.rent) {
    laws.ordered("goodput", 0, run.rent->goodput, 1);
    laws.at_most("rent without losses", (run.rent->each * hour).in(dollar)*run.accelerator_hours.value, "rent",
                 run.rent->total.value.in(dollar));
  }
}

}  // namespace

void check_laws(const StepPrediction& step, const Scenario& scenario) {
  LawCheck laws(fmt::format("step on {} x {}", step.accelerators, scenario.cluster.accelerator.id));
  laws.holds(step.accelerators > 0, "a step runs on at least one accelerator");
  check_time(step, laws);
  check_rates(step, scenario, laws);
  check_memory(step, laws);
  check_power(step, scenario, laws);
  if (step.training) check_training(step, scenario, laws);
  laws.finish();
}

void check_laws(const ScaleCurve& curve) {
  LawCheck laws("scaling curve");
  const StepPrediction* first = nullptr;
  for (const ScalePoint& point : curve.points) {
    if (!point.reason.empty() || !point.step.fits) continue;
    if (!first) first = &point.step;
    laws.positive("efficiency", point.efficiency);
    laws.holds(point.efficiency <= explained_above || !point.step.warnings.empty(),
               "an efficiency above 1 is explained");
    laws.ordered("efficiency", point.efficiency_low, point.efficiency, point.efficiency_high);
    laws.equal("speed-up", point.speedup, "ratio of the throughputs",
               point.step.tokens_per_second / first->tokens_per_second);
  }
  laws.finish();
}

}  // namespace clusterwright
