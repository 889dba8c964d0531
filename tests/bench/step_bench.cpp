// SPDX-License-Identifier: Apache-2.0
// The step of Llama 3 405B on 16,384 GPUs: from scenario to graph, and at new timings.
#include <benchmark/benchmark.h>

#include "models/job/scenario_loader.hpp"
#include "models/lowering/lowered_step.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/settling/step_simulation.hpp"
#include "models/settling/step_what_ifs.hpp"

namespace {

using namespace clusterwright;

Scenario scenario_at(int accelerators) {
  const auto path = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "scenarios" / "llama3-405b-h100.json";
  Scenario scenario = load_scenario(path, {});
  scenario.cluster.spec.fabric.tiers.back().accelerators = std::max(accelerators, 24576);
  scenario.cluster = resized(scenario.cluster, accelerators);
  scenario.job.global_batch = accelerators / 128 * 16;
  return scenario;
}

Scenario scenario_named(const std::string& name) {
  return load_scenario(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "scenarios" / (name + ".json"), {});
}

Plan plan_of(const Scenario& s) {
  return resolve_plan(s).plan;
}

void lower(benchmark::State& state) {
  const Scenario scenario = scenario_at(static_cast<int>(state.range(0)));
  const Plan plan = plan_of(scenario);
  std::size_t ops = 0;
  for (auto _ : state) ops = lower_training_step(scenario, plan, Folding::folded).structure.op_count();
  state.counters["ops"] = static_cast<double>(ops);
}

/// The same structure at another clock: replay and breakdown, what a sweep or a power cap repeats.
void retime(benchmark::State& state) {
  const Scenario scenario = scenario_at(static_cast<int>(state.range(0)));
  StepGraph graph = lower_training_step(scenario, plan_of(scenario), Folding::folded);
  Replayer replayer(graph.structure);
  ReplayResult result;
  double clock = 1;
  for (auto _ : state) {
    clock = clock > 0.9 ? clock - 0.001 : 1;
    for (double& c : graph.timing.clock) c = clock;
    result = replayer.run(graph.timing, std::move(result));
    benchmark::DoNotOptimize(charge_time(graph.structure, graph.timing, result));
  }
  state.counters["events"] = static_cast<double>(result.events);
}

void predict(benchmark::State& state) {
  const Scenario scenario = scenario_at(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(predict_step(scenario));
}

using Change = void (*)(Scenario&, double factor);

void change_bandwidth(Scenario& s, double factor) {
  s.cluster.nic_bandwidth *= factor;
}
void change_limit(Scenario& s, double factor) {
  s.cluster.accelerator.power.value *= factor;
}

Scenario job_of(const char* name, int accelerators) {
  return accelerators > 64 ? scenario_at(accelerators) : scenario_named(name);
}

/// Times of another scenario alone.
void timing(benchmark::State& state, const char* name, int accelerators) {
  const Scenario scenario = job_of(name, accelerators);
  const LoweredStep step(scenario, plan_of(scenario), Folding::folded);
  for (auto _ : state) benchmark::DoNotOptimize(step.timing(scenario));
}

/// Asks with factors from 0.9 to 1.1.
template <class Ask>
void ask_around(benchmark::State& state, const Scenario& base, Change change, const Ask& ask) {
  Scenario changed = base;
  int question = 0;
  for (auto _ : state) {
    changed.cluster.nic_bandwidth = base.cluster.nic_bandwidth;
    changed.cluster.accelerator.power.value = base.cluster.accelerator.power.value;
    change(changed, 0.9 + 0.001 * (++question % 201));
    benchmark::DoNotOptimize(ask(changed));
  }
}

/// What-ifs at given clocks: times, one replay and its breakdown.
void what_if(benchmark::State& state, const char* name, int accelerators) {
  const Scenario base = job_of(name, accelerators);
  RetimedStep step(base, plan_of(base));
  const Clocks clocks(step.clocks().size(), 0.95);
  ask_around(state, base, change_bandwidth, [&](const Scenario& changed) {
    step.ask(changed);
    step.set_clocks(clocks);
    step.replay();
    return time_of(step.view());
  });
}

/// What-ifs that find their clocks.
void settled_what_if(benchmark::State& state, const char* name, int accelerators, Change change) {
  const Scenario base = job_of(name, accelerators);
  StepWhatIfs step(base, plan_of(base));
  ask_around(state, base, change, [&](const Scenario& changed) { return step.time_under(changed); });
}

BENCHMARK_CAPTURE(timing, 405b, "", 16384)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(timing, 8b, "llama3-8b-h100-64", 64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(what_if, 405b, "", 16384)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(what_if, 8b, "llama3-8b-h100-64", 64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(settled_what_if, 405b_bandwidth, "", 16384, change_bandwidth)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(settled_what_if, 405b_power_limit, "", 16384, change_limit)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(settled_what_if, 8b_bandwidth, "llama3-8b-h100-64", 64, change_bandwidth)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(settled_what_if, 8b_power_limit, "llama3-8b-h100-64", 64, change_limit)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(lower)->Arg(16384)->Arg(98304)->Unit(benchmark::kMillisecond);
BENCHMARK(retime)->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK(predict)->Arg(16384)->Arg(98304)->Unit(benchmark::kMillisecond);

}  // namespace
