// SPDX-License-Identifier: Apache-2.0
// Search over layouts: closed-form time and exact memory of every layout of GPT-3 175B on 1,024 A100.
#include <benchmark/benchmark.h>

#include "models/job/job_blocks.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/search/layout_sweep.hpp"

namespace {

using namespace clusterwright;

Scenario gpt3() {
  const auto path = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "scenarios" / "gpt3-175b-a100.json";
  Scenario scenario = load_scenario(path, {});
  scenario.job.global_batch = 1024;
  scenario.cluster = cluster_of_size(scenario, 1024);
  return scenario;
}

void sweep(benchmark::State& state) {
  const Scenario scenario = gpt3();
  double evaluated = 0;
  for (auto _ : state) {
    LayoutSpace space(scenario, {});
    LayoutSweep sweep(space, {});
    sweep.run();
    evaluated += static_cast<double>(sweep.counts().evaluated);
  }
  state.counters["layouts"] = benchmark::Counter(evaluated, benchmark::Counter::kIsRate);
}

BENCHMARK(sweep)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
