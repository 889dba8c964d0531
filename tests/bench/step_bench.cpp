// SPDX-License-Identifier: Apache-2.0
// The step of Llama 3 405B on 16,384 GPUs: from scenario to graph, and at new timings.
#include <benchmark/benchmark.h>

#include "models/job/scenario_loader.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/step_simulation.hpp"

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

BENCHMARK(lower)->Arg(16384)->Arg(98304)->Unit(benchmark::kMillisecond);
BENCHMARK(retime)->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK(predict)->Arg(16384)->Arg(98304)->Unit(benchmark::kMillisecond);

}  // namespace
